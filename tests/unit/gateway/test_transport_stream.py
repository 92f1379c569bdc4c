"""Whatever bytes come, cut anywhere: the short way for usual frames must not show."""

import asyncio
import gc
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from server.gateway.connection import Connection, HandlerFactory, Upgrade
from server.gateway.transport import Bounds, websocket_protocol
from server.gateway.wire import is_utf8, text_frame

LIMIT = 300
REQUEST = (
    b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class FakeSocket:
    family = 2

    def setsockopt(self, *_: Any) -> None: ...


class FakeTransport(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self, *, can_write_eof: bool = True) -> None:
        super().__init__({"socket": FakeSocket(), "peername": ("192.0.2.1", 1)})
        self.written = b""
        self.calls: list[str] = []
        self.after_each_write: Callable[[], None] = lambda: None
        self._can_write_eof = can_write_eof

    def write(self, data: Any) -> None:
        self.written += data
        self.after_each_write()

    def can_write_eof(self) -> bool:
        return self._can_write_eof

    def write_eof(self) -> None:
        self.calls.append("write_eof")

    def close(self) -> None:
        self.calls.append("close")

    def abort(self) -> None:
        self.calls.append("abort")

    def set_protocol(self, protocol: Any) -> None: ...

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...


class Notes:
    """A handler and an endpoint in one."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.connection: Connection

    def accept(self, _request: Upgrade) -> HandlerFactory:
        return self._begin

    def _begin(self, connection: Connection) -> "Notes":
        self.connection = connection
        return self

    def opened(self) -> None: ...

    def received(self, message: bytes) -> None:
        self.told.append(message)

    def received_binary(self) -> None:
        self.told.append("binary")

    def closed(self, code: int) -> None:
        self.told.append(code)


class ServerState:
    connections: set[Any]

    def __init__(self) -> None:
        self.connections = set()


def start(notes: Notes, transport: FakeTransport) -> Any:
    """A connection, just opened."""
    protocol: Any = websocket_protocol(notes, Bounds(message_bytes=LIMIT))
    connection = protocol(config=None, server_state=ServerState(), app_state={})
    connection.connection_made(transport)
    connection.data_received(REQUEST)
    transport.written = b""
    return connection


async def ours(chunks: Sequence[bytes]) -> tuple[list[Any], bytes]:
    notes, transport = Notes(), FakeTransport()
    connection = start(notes, transport)
    for chunk in chunks:
        connection.data_received(chunk)
    connection.connection_lost(None)
    await asyncio.sleep(0)
    return notes.told, transport.written


def by_the_book(data: bytes) -> tuple[list[Any], bytes]:
    """The same with ``websockets`` alone, byte by byte."""
    protocol = ServerProtocol(state=State.OPEN, max_size=LIMIT)
    told: list[Any] = []
    parts, kind = b"", Opcode.TEXT
    for at in range(len(data)):
        protocol.receive_data(data[at : at + 1])
        for frame in protocol.events_received():
            assert isinstance(frame, Frame)
            if frame.opcode in (Opcode.TEXT, Opcode.BINARY):
                parts, kind = b"", frame.opcode
            if frame.opcode > Opcode.BINARY:
                continue
            parts += frame.data
            if frame.fin and kind is Opcode.TEXT and not is_utf8(parts):
                protocol.fail(1007, "not UTF-8")
            elif frame.fin:
                told.append(parts if kind is Opcode.TEXT else "binary")
    close = protocol.close_sent
    told.append(1006 if close is None else close.code)
    return told, b"".join(protocol.data_to_send())


texts = st.text(max_size=40) | st.integers(120, 130).map("x".__mul__) | st.integers(LIMIT - 2, LIMIT + 2).map("x".__mul__)
frames = st.builds(
    lambda opcode, data, fin: Frame(opcode, data, fin).serialize(mask=True),
    st.sampled_from([Opcode.TEXT, Opcode.TEXT, Opcode.BINARY, Opcode.CONT]),
    texts.map(str.encode),
    st.booleans(),
) | st.builds(
    lambda opcode, data: Frame(opcode, data).serialize(mask=True),
    st.sampled_from([Opcode.PING, Opcode.PONG, Opcode.CLOSE]),
    st.sampled_from([b"", b"\x03\xe8", b"\x03\xe8ok", b"\x0f\xa1"]),
)
bad = st.binary(max_size=6) | st.binary(min_size=1, max_size=9).map(lambda data: Frame(Opcode.TEXT, data).serialize(mask=True))
streams = st.lists(frames | frames | frames | bad, max_size=12).map(b"".join)


@given(streams, st.lists(st.integers(0, 600), max_size=6))
@example(b"\x81\x02hi", [])
@example(Frame(Opcode.TEXT, b"a", fin=False).serialize(mask=True) + Frame(Opcode.TEXT, b"b").serialize(mask=True), [9])
def test_any_bytes_cut_anywhere_are_read_as_websockets_reads_them_whole(data: bytes, cuts: list[int]) -> None:
    # Ours waits for the end of a frame with whose header something is wrong; a frame that is not masked ends the stream.
    data += bytes(LIMIT + 16)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    chunks = [data[start:end] for start, end in pairwise(edges)]
    assert asyncio.run(ours(chunks)) == by_the_book(data)


@pytest.mark.parametrize("data", [b"", b"\x81\x02hi", Frame(Opcode.CLOSE, b"").serialize(mask=True)])
async def test_nothing_remembers_a_connection_that_is_gone(data: bytes) -> None:
    connection = start(Notes(), FakeTransport())
    connection.data_received(data)
    connection.connection_lost(None)
    known = [each for each in gc.get_referrers(connection) if isinstance(each, (set, dict)) and each is not globals()]
    assert known == []


async def test_what_was_held_back_goes_out_only_until_the_transport_is_full_again() -> None:
    transport, messages = FakeTransport(), [b"1", b"2", b"3"]
    connection = start(Notes(), transport)
    connection.pause_writing()
    for message in messages:
        connection.send(message)
    assert transport.written == b""
    transport.after_each_write = connection.pause_writing
    for count in range(1, 4):
        connection.resume_writing()
        assert transport.written == b"".join(text_frame(message) for message in messages[:count])
    connection.connection_lost(None)


async def test_where_one_side_cannot_be_shut_alone_both_are() -> None:
    transport = FakeTransport(can_write_eof=False)
    connection = start(Notes(), transport)
    connection.data_received(b"\x81\x02hi")
    assert transport.calls == ["close"]
    connection.connection_lost(None)


async def test_a_peer_that_reset_the_connection_meanwhile_is_no_error() -> None:
    class ResetTransport(FakeTransport):
        def write_eof(self) -> None:
            raise OSError

    connection = start(Notes(), ResetTransport())
    connection.data_received(b"\x81\x02hi")
    connection.connection_lost(None)
    assert not connection.is_open


async def test_nothing_is_framed_twice_in_a_broadcast() -> None:
    written: list[int] = []

    class NotingTransport(FakeTransport):
        def write(self, data: Any) -> None:
            written.append(id(data))

    notes = Notes()
    protocol: Any = websocket_protocol(notes)
    connections = [protocol(config=None, server_state=ServerState(), app_state={}) for _ in range(3)]
    for connection in connections:
        connection.connection_made(NotingTransport())
        connection.data_received(REQUEST)
    written.clear()
    message = b"to all"
    for connection in connections:
        connection.send(message)
    assert len(written) == 3
    assert len(set(written)) == 1
    for connection in connections:
        connection.connection_lost(None)
