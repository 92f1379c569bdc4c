"""The WebSocket transport in time: clients that vanish, that do not answer, that do not read; and a server that stops."""

import socket
import threading
from collections.abc import Iterator

import pytest

from server.gateway.transport import Bounds
from tests.integration.transport_rig import BINARY, CLOSE, PING, PONG, TEXT, Client, Recorder, Rig

FAR_S = 3600.0
SOON_S = 0.2
HURRIED = Bounds(ping_s=10.0, close_s=SOON_S)
"""Nobody is pinged for long enough to be lost by it, but those who do not follow in closing are soon dropped."""


@pytest.fixture(params=["asyncio", "uvloop"])
def loop(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def patient(loop: str) -> Iterator[Rig]:
    """Nothing happens here because of time."""
    with Rig(loop, Bounds(ping_s=FAR_S, close_s=FAR_S)) as rig:
        yield rig


def test_the_protocol_of_time_is_kept_by_default() -> None:
    bounds = Bounds()
    assert (bounds.message_bytes, bounds.outbox_frames, bounds.outbox_bytes) == (4096, 256, 256 * 1024)
    # Noticed within two pings, and that within 30 s.
    assert 2 * bounds.ping_s < 30
    # What one client that does not read takes up; the system counts twice what it is asked to hold.
    assert 2 * bounds.kernel_bytes + bounds.high_water_bytes + bounds.outbox_bytes < 1 << 20


def test_a_client_that_vanished_is_dropped(loop: str) -> None:
    with Rig(loop, Bounds(ping_s=SOON_S)) as rig, Client(rig) as client:
        client.open()
        handler = rig.handler()
        assert handler.next() == ("closed", 1006)
        assert not handler.connection.is_open
        assert client.read() == (PING, b"")
        assert client.is_hung_up()


@pytest.mark.parametrize("opcode", [PONG, PING, TEXT, BINARY])
def test_a_client_that_says_anything_between_two_pings_stays(patient: Rig, opcode: int) -> None:
    with Client(patient) as client:
        client.open()
        connection = patient.handler().connection
        for _ in range(3):
            patient.run(connection.visit)
            assert client.read() == (PING, b"")
            client.send(b"", opcode)
            while patient.run(lambda: connection._is_silent):
                pass
            if opcode in (PING, TEXT):
                assert client.read() == (PONG if opcode == PING else TEXT, b"")
        assert connection.is_open
        patient.run(connection.visit)
        patient.run(connection.visit)
        assert not connection.is_open


def test_messages_are_no_odd_frames_however_long(loop: str) -> None:
    with Rig(loop, Bounds(ping_s=FAR_S, odd_frames=2)) as rig, Client(rig) as client:
        client.open()
        for message in (b"long" * 200, b"short") * 4:
            client.send(message)
            assert client.read() == (TEXT, message)


def test_pings_between_visits_are_counted_anew(loop: str) -> None:
    with Rig(loop, Bounds(ping_s=FAR_S, odd_frames=2)) as rig, Client(rig) as client:
        client.open()
        connection = rig.handler().connection
        for _ in range(3):
            client.send(b"1", PING)
            client.send(b"2", PING)
            assert [client.read(), client.read()] == [(PONG, b"1"), (PONG, b"2")]
            rig.run(connection.visit)
            assert client.read() == (PING, b"")
        assert connection.is_open


def test_a_client_that_never_answers_a_close_is_dropped(loop: str) -> None:
    with Rig(loop, HURRIED) as rig, Client(rig) as client:
        client.open()
        handler = rig.handler()
        rig.run(lambda: handler.connection.close(4001))
        assert handler.next() == ("closed", 4001)
        assert client.read_code() == 4001
        assert client.is_hung_up()


def test_a_client_that_never_hangs_up_after_a_fault_is_dropped(loop: str) -> None:
    with Rig(loop, HURRIED) as rig, Client(rig) as client:
        client.open()
        client.socket.sendall(b"\x81\x02hi")
        assert client.read_code() == 1002
        assert client.is_hung_up()
        rig.stop()


def test_a_server_that_stops_says_that_it_restarts(patient: Rig) -> None:
    with Client(patient) as client, Client(patient) as other:
        client.open()
        other.open()
        handlers = [patient.handler(), patient.handler()]
        patient.server.should_exit = True
        for each in (client, other):
            opcode, payload = each.read()
            assert (opcode, payload[:2]) == (CLOSE, (1012).to_bytes(2))
            each.send(payload, CLOSE)
            assert each.is_hung_up()
        assert [handler.next() for handler in handlers] == [("closed", 1012)] * 2


def test_a_server_that_stops_does_not_wait_for_those_who_never_answer(loop: str) -> None:
    with Rig(loop, HURRIED) as rig, Client(rig) as client:
        client.open()
        rig.handler()
        rig.stop()
        assert client.read_code() == 1012


# A client that does not read.


def stuck_client(rig: Rig) -> Client:
    """One whose buffer is as small as it gets."""
    return Client(rig, receive_buffer=1024).open()


def fill(rig: Rig, handler: Recorder, message: bytes, most: int = 5000) -> int:
    """Send until the connection is closed; how often."""

    def one() -> bool:
        handler.connection.send(message)
        return handler.connection.is_open

    for count in range(most):
        if not rig.run(one):
            return count
    pytest.fail("never closed")


def test_a_client_that_does_not_read_is_closed_as_too_slow_with_little_memory(patient: Rig) -> None:
    stuck = stuck_client(patient)
    handler = patient.handler()
    message = b"m" * 4000
    sent = fill(patient, handler, message)
    assert handler.next() == ("closed", 4008)
    assert 256 * 1024 < sent * len(message) < 1 << 20
    buffered = patient.run(handler.connection._transport.get_write_buffer_size)
    assert buffered < 2 * Bounds().high_water_bytes
    assert stuck.read_code() == 4008
    stuck.send((4008).to_bytes(2), CLOSE)
    assert stuck.is_hung_up()
    stuck.socket.close()


def test_a_first_message_larger_than_every_buffer_does_not_hide_that_a_client_is_stuck(patient: Rig) -> None:
    first = b"f" * 200_000
    patient.answers = lambda connection, *what: connection.send(first) if what[0] == "opened" else None
    stuck = stuck_client(patient)
    handler = patient.handler()
    assert fill(patient, handler, b"m" * 4000) * 4000 <= 256 * 1024
    assert handler.next() == ("closed", 4008)
    stuck.socket.close()


def test_few_long_waits_count_as_well_as_many_bytes(loop: str) -> None:
    with Rig(loop, Bounds(ping_s=FAR_S, outbox_frames=3)) as rig:
        stuck = stuck_client(rig)
        handler = rig.handler()
        assert fill(rig, handler, b"m" * 4000) * 4000 < 256 * 1024
        assert handler.next() == ("closed", 4008)
        stuck.socket.close()


def test_a_slow_client_that_never_reads_again_is_dropped(loop: str) -> None:
    with Rig(loop, HURRIED) as rig:
        stuck = stuck_client(rig)
        handler = rig.handler()
        fill(rig, handler, b"m" * 4000)
        assert handler.next()[0] == "closed"
        rig.stop()
        assert not rig.server.server_state.connections
        stuck.socket.close()


def test_a_client_that_reads_again_in_time_gets_everything_in_order(patient: Rig) -> None:
    messages = [b"%06d" % number * 500 for number in range(110)]
    with stuck_client(patient) as slow:
        handler = patient.handler()
        patient.run(lambda: [handler.connection.send(message) for message in messages])
        assert patient.run(lambda: len(handler.connection._outbox or ())) > 1
        assert [slow.read() for _ in messages] == [(TEXT, message) for message in messages]
        assert handler.connection.is_open
        assert patient.run(lambda: handler.connection._outbox) is None


def test_a_client_that_sends_pings_and_never_reads_is_too_slow(loop: str) -> None:
    with Rig(loop, Bounds(ping_s=FAR_S, close_s=SOON_S, odd_frames=1 << 30, outbox_frames=8)) as rig:
        stuck = stuck_client(rig)
        handler = rig.handler()
        pings = bytes.fromhex("89fd00000000") + b"p" * 125

        def flood() -> None:
            while handler.connection.is_open:
                stuck.socket.sendall(pings * 50)

        thread = threading.Thread(target=flood)
        thread.start()
        assert handler.next() == ("closed", 4008)
        # The server throws away what still comes.
        thread.join(20)
        assert not thread.is_alive()
        stuck.socket.close()


def test_a_client_that_does_not_read_delays_nobody(patient: Rig) -> None:
    readers = [Client(patient).open() for _ in range(3)]
    stuck = stuck_client(patient)
    handlers = [patient.handler() for _ in range(4)]
    message = b"e" * 4000

    def broadcast() -> None:
        for handler in handlers:
            handler.connection.send(message)

    # Longer than it takes to fill every buffer and the outbox: each is read before the next is sent.
    for _ in range(300):
        patient.run(broadcast)
        assert [reader.read() for reader in readers] == [(TEXT, message)] * 3
    assert handlers[3].next() == ("closed", 4008)
    assert all(handler.heard_nothing_more() for handler in handlers[:3])
    for client in (*readers, stuck):
        client.socket.close()


def test_a_stuck_client_that_shuts_its_side_is_let_go(loop: str) -> None:
    with Rig(loop, HURRIED) as rig:
        stuck = stuck_client(rig)
        handler = rig.handler()
        rig.run(lambda: [handler.connection.send(b"m" * 4000) for _ in range(60)])
        stuck.socket.shutdown(socket.SHUT_WR)
        assert handler.next() == ("closed", 1006)
        rig.stop()
        assert not rig.server.server_state.connections
        stuck.socket.close()
