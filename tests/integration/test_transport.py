"""The WebSocket transport over real sockets: handshake, frames, closing."""

import logging
import socket
import struct
from collections.abc import Iterator

import pytest

from server.gateway.connection import Connection, Rejection
from server.gateway.transport import Bounds
from tests.integration.transport_rig import (
    BINARY,
    CLOSE,
    CONTINUATION,
    PING,
    PONG,
    TEXT,
    Client,
    Recorder,
    Rig,
    echo,
    frame,
    silence,
)

BOOK = 1002


@pytest.fixture(scope="module", params=["asyncio", "uvloop"])
def server(request: pytest.FixtureRequest) -> Iterator[Rig]:
    # No ping comes between what the tests expect.
    with Rig(request.param, Bounds(ping_s=3600.0)) as rig:
        yield rig


@pytest.fixture
def rig(server: Rig) -> Rig:
    server.decide = lambda _: server.make
    server.answers = echo
    return server


@pytest.fixture
def client(rig: Rig) -> Iterator[Client]:
    with Client(rig) as client:
        yield client


@pytest.fixture
def handler(rig: Rig, client: Client) -> Recorder:
    client.open()
    return rig.handler()


# The handshake.


@pytest.mark.parametrize("offered", ["cubilete.v1", "chat, cubilete.v1", "cubilete.v1,cubilete.v2"])
def test_our_subprotocol_is_chosen_where_it_is_offered(rig: Rig, client: Client, offered: str) -> None:
    status, headers, _ = client.ask(sec_websocket_protocol=offered)
    assert (status, headers["sec-websocket-protocol"]) == (101, "cubilete.v1")
    rig.handler()


def test_a_client_that_offers_no_subprotocol_is_let_in(rig: Rig, client: Client) -> None:
    status, headers, _ = client.ask()
    assert status == 101
    assert "sec-websocket-protocol" not in headers
    rig.handler()


def test_a_client_that_offers_only_other_subprotocols_is_let_in_and_closed(rig: Rig, client: Client) -> None:
    status, headers, _ = client.ask(sec_websocket_protocol="cubilete.v2, chat")
    assert status == 101
    assert "sec-websocket-protocol" not in headers
    assert client.read_code() == BOOK
    assert rig.has_no_handler()


@pytest.mark.parametrize("status", [403, 429, 503])
def test_a_refusal_is_an_http_answer(rig: Rig, client: Client, status: int) -> None:
    rig.decide = lambda _: Rejection(status, b'{"error":{}}', {"Retry-After": "7"})
    got, headers, body = client.ask()
    assert (got, body, headers["content-type"], headers["retry-after"]) == (status, b'{"error":{}}', "application/json", "7")
    assert client.is_hung_up()
    assert rig.has_no_handler()


def test_an_endpoint_that_fails_refuses_that_client_alone(rig: Rig, client: Client, caplog: pytest.LogCaptureFixture) -> None:
    rig.decide = lambda _: 1 // 0
    status, headers, body = client.ask()
    assert (status, headers["content-type"]) == (500, "application/json")
    assert body.startswith(b'{"error":{"code":"ours",')
    assert "ZeroDivisionError" in caplog.text
    rig.decide = lambda _: rig.make
    with Client(rig) as other:
        other.open()
        rig.handler()


def test_what_is_sent_is_never_compressed(rig: Rig, client: Client) -> None:
    status, headers, _ = client.ask(sec_websocket_extensions="permessage-deflate; client_max_window_bits")
    assert status == 101
    assert "sec-websocket-extensions" not in headers
    rig.handler()


@pytest.mark.parametrize(
    ("status", "asked"),
    [
        (400, {"without": "sec-websocket-key"}),
        (400, {"sec_websocket_key": "short"}),
        (400, {"sec_websocket_version": "8"}),
        (405, {"method": "POST"}),
        (431, {"x_long": "x" * 9000}),
    ],
)
def test_a_handshake_against_the_book_is_refused(rig: Rig, client: Client, status: int, asked: dict[str, str]) -> None:
    assert client.ask(**asked)[0] == status
    assert client.is_hung_up()
    assert rig.has_no_handler()


def test_a_request_that_cannot_be_read_is_hung_up_on(client: Client) -> None:
    with pytest.raises(AssertionError, match="without an answer"):
        client.ask(transfer_encoding="gzip")


def test_the_endpoint_sees_the_request(rig: Rig, client: Client) -> None:
    client.open("/ws/tables/K%C3%A9?since=4&ticket=a%2Bb", sec_websocket_protocol="cubilete.v1, x", Cookie="a=b")
    rig.handler()
    upgrade = rig.upgrades[-1]
    assert (upgrade.path, upgrade.query) == ("/ws/tables/Ké", "since=4&ticket=a%2Bb")
    assert (upgrade.scheme, upgrade.peer) == ("http", "127.0.0.1")
    assert upgrade.subprotocols == ("cubilete.v1", "x")
    assert upgrade.headers.get("COOKIE") == "a=b"


def test_small_frames_leave_at_once(handler: Recorder, rig: Rig) -> None:
    wire = handler.connection._transport.get_extra_info("socket")
    assert rig.run(lambda: wire.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))


def test_a_first_message_larger_than_every_buffer_arrives(rig: Rig, client: Client) -> None:
    message = b"x" * 200_000
    rig.answers = lambda connection, *what: connection.send(message) if what[0] == "opened" else None
    client.open()
    rig.handler()
    assert client.read() == (TEXT, message)


# Frames.


@pytest.mark.parametrize("size", [0, 1, 80, 125, 126, 127, 4095, 4096])
def test_a_message_is_received_as_it_was_sent(handler: Recorder, client: Client, size: int) -> None:
    message = (b"dados " * 700)[:size]
    client.send(message)
    assert handler.next() == ("received", message)
    assert client.read() == (TEXT, message)


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 300_000])
def test_a_message_is_sent_as_it_is(handler: Recorder, rig: Rig, client: Client, size: int) -> None:
    rig.run(lambda: handler.connection.send(b"z" * size))
    assert client.read() == (TEXT, b"z" * size)


def test_messages_sent_in_turns_are_not_mixed_up(handler: Recorder, rig: Rig, client: Client) -> None:
    first, second = b"one", b"two"
    rig.run(lambda: [handler.connection.send(message) for message in (first, second, first, first, second)])
    assert [client.read()[1] for _ in range(5)] == [first, second, first, first, second]


def test_a_length_may_be_written_longer_than_it_needs_to_be(handler: Recorder, client: Client) -> None:
    client.socket.sendall(b"\x81\xfe\x00\x02\x00\x00\x00\x00hi" + b"\x81\xff" + (2).to_bytes(8) + b"\x00\x00\x00\x00ho")
    assert [handler.next(), handler.next()] == [("received", b"hi"), ("received", b"ho")]


def test_fragments_are_one_message_and_control_frames_may_come_between(handler: Recorder, client: Client) -> None:
    text = "generala servida: 50 ✓".encode()
    client.send(text[:-2], is_final=False)
    client.send(b"now", PING)
    client.send(text[-2:-1], CONTINUATION, is_final=False)
    client.send(b"", CONTINUATION, is_final=False)
    client.send(text[-1:], CONTINUATION)
    assert handler.next() == ("received", text)
    assert client.read() == (PONG, b"now")
    assert client.read() == (TEXT, text)
    client.send(b"next")
    assert handler.next() == ("received", b"next")


def test_bytes_may_come_one_by_one(handler: Recorder, client: Client) -> None:
    for byte in frame(b"short") + frame(b"p", PING) + frame(b"l" * 130) + frame(b"end"):
        client.socket.sendall(bytes([byte]))
    assert [handler.next()[1] for _ in range(3)] == [b"short", b"l" * 130, b"end"]


def test_many_frames_may_come_at_once(handler: Recorder, client: Client) -> None:
    messages = [b"m%d" % number * (1 + number % 60) for number in range(300)]
    client.socket.sendall(b"".join(frame(message) for message in messages))
    assert [handler.next()[1] for _ in messages] == messages


def test_a_binary_message_is_told_apart(handler: Recorder, client: Client) -> None:
    client.send(b"\xff\xfe", BINARY)
    client.send(b"\xff", BINARY, is_final=False)
    client.send(b"\xff", CONTINUATION)
    client.send(b"text")
    assert [handler.next() for _ in range(3)] == [("received_binary",), ("received_binary",), ("received", b"text")]


def test_a_ping_is_answered_and_a_pong_is_not(handler: Recorder, client: Client) -> None:
    client.send(b"unasked", PONG)
    client.send(b"x" * 125, PING)
    client.send(b"", PING)
    assert [client.read(), client.read()] == [(PONG, b"x" * 125), (PONG, b"")]
    assert handler.heard_nothing_more()


def test_pings_without_end_are_a_flood(handler: Recorder, client: Client) -> None:
    client.socket.sendall(frame(b"", PING) * 1001)
    assert client.read_code() == 4029
    assert client.is_hung_up()
    assert handler.next() == ("closed", 4029)


@pytest.mark.parametrize(
    ("code", "sent"),
    [
        pytest.param(1009, frame(b"x" * 4097), id="one byte too long"),
        pytest.param(1009, b"\x81\xff" + (1 << 40).to_bytes(8), id="a terabyte announced"),
        pytest.param(1009, frame(b"x" * 4000, is_final=False) + frame(b"x" * 97, CONTINUATION), id="fragments too long"),
        pytest.param(1009, frame(b" " * (2 << 20)), id="two MiB of blanks"),
        pytest.param(1007, frame(b"\xff"), id="no UTF-8"),
        pytest.param(1007, frame(b"\xed\xa0\x80" * 50), id="a lone surrogate, often"),
        pytest.param(1007, frame(b"\xc3", is_final=False) + frame(b"!", CONTINUATION), id="no UTF-8 over two fragments"),
        pytest.param(BOOK, b"\x81\x02hi", id="not masked"),
        pytest.param(BOOK, frame(b"hi", first=0xC1), id="a reserved bit"),
        pytest.param(BOOK, frame(b"hi", opcode=3), id="an unknown opcode"),
        pytest.param(BOOK, frame(b"hi", CONTINUATION), id="a continuation of nothing"),
        pytest.param(BOOK, frame(b"hi", is_final=False) + frame(b"ho"), id="a message within another"),
        pytest.param(BOOK, frame(b"hi", PING, is_final=False), id="a fragment of a ping"),
        pytest.param(BOOK, frame(b"x" * 126, PING), id="a long ping"),
        pytest.param(BOOK, frame(b"x", CLOSE), id="half a close code"),
        pytest.param(BOOK, frame((1005).to_bytes(2), CLOSE), id="a close code that is never sent"),
    ],
)
def test_a_frame_against_the_book_closes_that_socket_alone(rig: Rig, code: int, sent: bytes) -> None:
    with Client(rig) as steady, Client(rig) as wild:
        steady.open()
        rig.handler()
        wild.open()
        handler = rig.handler()
        wild.socket.sendall(sent)
        assert wild.read_code() == code
        assert wild.is_hung_up()
        assert handler.next() == ("closed", code)
        steady.send(b"still here")
        assert steady.read() == (TEXT, b"still here")


def test_nothing_is_received_after_a_frame_against_the_book(handler: Recorder, client: Client) -> None:
    client.socket.sendall(frame(b"first") + frame(b"\xff") + frame(b"second") + frame(b"x" * 200))
    assert [handler.next(), handler.next()] == [("received", b"first"), ("closed", 1007)]
    assert client.read_code() == 1007
    client.send(b"third")
    client.socket.shutdown(socket.SHUT_WR)
    assert client.is_hung_up()
    assert handler.heard_nothing_more()


# Closing.


@pytest.mark.parametrize(("payload", "code"), [(b"\x03\xe9bye", 1001), (b"", 1005), (b"\x13\x87", 4999)])
def test_a_client_that_closes_gets_its_close_back(handler: Recorder, client: Client, payload: bytes, code: int) -> None:
    client.send(payload, CLOSE)
    assert client.read() == (CLOSE, payload)
    assert client.is_hung_up()
    assert handler.next() == ("closed", code)


@pytest.mark.parametrize("is_reset", [False, True])
def test_a_client_that_goes_without_a_word_is_lost(handler: Recorder, rig: Rig, client: Client, *, is_reset: bool) -> None:
    if is_reset:
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.socket.close()
    assert handler.next() == ("closed", 1006)
    rig.run(lambda: handler.connection.send(b"too late"))
    rig.run(lambda: handler.connection.close(4001))
    assert not handler.connection.is_open


def test_the_server_closes_with_a_reason_and_waits_for_the_answer(handler: Recorder, rig: Rig, client: Client) -> None:
    rig.run(lambda: handler.connection.close(4001, "session invalid"))
    assert not handler.connection.is_open
    assert handler.next() == ("closed", 4001)
    opcode, payload = client.read()
    assert (opcode, payload) == (CLOSE, struct.pack("!H", 4001) + b"session invalid")
    rig.run(lambda: handler.connection.send(b"too late"))
    rig.run(lambda: handler.connection.close(4004))
    client.send(b"crossed")
    client.send(b"crossed" * 30)
    client.send(b"", PING)
    client.send(payload, CLOSE)
    assert client.is_hung_up()
    assert handler.heard_nothing_more()


def test_a_client_that_answers_a_close_with_nonsense_is_hung_up_on(handler: Recorder, rig: Rig, client: Client) -> None:
    rig.run(lambda: handler.connection.close(4001))
    assert client.read_code() == 4001
    client.send(b"", opcode=5)
    assert client.is_hung_up()
    assert handler.next() == ("closed", 4001)


def test_a_handler_is_never_told_of_the_end_from_within_a_call(rig: Rig, client: Client) -> None:
    order: list[str] = []

    def close_at_once(connection: Connection, *what: object) -> None:
        if what[0] == "received":
            connection.close(4001)
            order.append("close returned")
        elif what[0] == "closed":
            order.append("closed")

    rig.answers = close_at_once
    client.open()
    handler = rig.handler()
    client.socket.sendall(frame(b"one") + frame(b"two"))
    assert [handler.next(), handler.next()] == [("received", b"one"), ("closed", 4001)]
    assert client.read_code() == 4001
    assert order == ["close returned", "closed"]


def test_connections_that_end_during_a_broadcast_disturb_nobody(rig: Rig) -> None:
    clients = [Client(rig).open() for _ in range(4)]
    handlers = [rig.handler() for _ in clients]
    room = {handler.connection for handler in handlers}
    rig.answers = lambda connection, *what: room.discard(connection) if what[0] == "closed" else None

    def broadcast() -> None:
        for connection in room:
            connection.send(b"to all")
            if connection in (handlers[1].connection, handlers[2].connection):
                connection.close(4009)

    rig.run(broadcast)
    assert [handlers[1].next(), handlers[2].next()] == [("closed", 4009)] * 2
    rig.run(broadcast)
    assert [client.read() for client in clients] == [(TEXT, b"to all")] * 4
    assert [clients[0].read(), clients[3].read()] == [(TEXT, b"to all")] * 2
    for client in clients:
        client.socket.close()


# A handler that fails.


@pytest.mark.parametrize("when", ["opened", "received", "received_binary"])
def test_a_handler_that_fails_closes_its_own_connection(rig: Rig, caplog: pytest.LogCaptureFixture, when: str) -> None:
    with Client(rig) as steady, Client(rig) as client:
        steady.open()
        rig.handler()
        rig.answers = lambda _, *what: 1 // 0 if what[0] == when else None
        client.open()
        handler = rig.handler()
        client.send(b"\x00", BINARY if when == "received_binary" else TEXT)
        assert client.read_code() == 1011
        assert "ZeroDivisionError" in caplog.text
        told = [what := handler.next()]
        while what[0] != "closed":
            told.append(what := handler.next())
        assert told[-1] == ("closed", 1011)
        rig.answers = echo
        steady.send(b"still here")
        assert steady.read() == (TEXT, b"still here")


def test_a_handler_that_cannot_be_made_closes_its_own_connection(rig: Rig, client: Client) -> None:
    rig.decide = lambda _: lambda _connection: 1 // 0
    client.open()
    assert client.read_code() == 1011
    assert rig.has_no_handler()


def test_a_handler_may_fail_when_it_is_told_of_the_end(rig: Rig, client: Client, caplog: pytest.LogCaptureFixture) -> None:
    rig.answers = lambda _, *what: 1 // 0 if what[0] == "closed" else None
    client.open()
    handler = rig.handler()
    client.send(b"", CLOSE)
    assert client.read() == (CLOSE, b"")
    assert handler.next() == ("closed", 1005)
    rig.run(lambda: None)
    assert "ZeroDivisionError" in caplog.text


def test_no_secret_and_no_address_is_logged_even_by_the_most_talkative_log(
    rig: Rig, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        client.open("/ws/tables/QXYZ23?ticket=hush", cookie="session=hush", authorization="Bearer hush")
        handler = rig.handler()
        client.send(b'{"entropy":"hush"}')
        client.send(b"hush", PING)
        assert handler.next()[0] == "received"
        client.send(b"", CLOSE)
        assert handler.next() == ("closed", 1005)
    assert "hush" not in caplog.text
    assert "127.0.0.1" not in caplog.text
    rig.answers = silence
