"""WebSocket on the wire (RFC 6455), as the class that uvicorn hands an upgrade to. Another transport replaces this file.

Owns the handshake, frames in and out, the close handshake, time-outs, and what happens to a client that does not read. Knows
nothing of messages: it asks the ``Endpoint`` who gets in and tells the ``Handler`` what came.

*In.* The bytes are cut into frames here. A whole text frame of less than 126 bytes, which nearly every command is, is unmasked
and handed on at once. Every other frame goes to ``websockets``' sans-I/O protocol, which knows the book: one whole frame at a
time, so that it never holds half of one while the short way is taken. A header that promises too much goes there at once, to be
refused before its payload is waited for.

*Out.* A text frame is two to ten bytes and the message. It is written straight to the transport. While the transport is paused
(its buffer and the kernel's are full), frames wait in an ``Outbox``; when that is full too, the client is too slow.

*Time.* No connection has a task or a timer of its own. A ``Sweep`` visits all of them: each is pinged once a round, and dropped
if nothing came from it since the last ping. So a client that vanished is noticed within two rounds.

*End.* Open, then closing (our close frame is out, theirs is waited for), then ended (nothing more to say: our side is shut, and
what still comes is thrown away, lest a reset overtakes the close frame). Who does not follow in time is aborted.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from typing import Any, ClassVar, cast

from uvicorn.server import ServerState
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import SEND_EOF, State
from websockets.server import ServerProtocol

from server.gateway import wire
from server.gateway.connection import SUBPROTOCOL, Endpoint, Handler, HandlerFactory, Outbox, Rejection
from server.gateway.sweep import Sweep
from server.protocol.closing import FLOODING, INTERNAL_ERROR, LOST, RESTARTING, TOO_SLOW

try:
    from websockets.speedups import apply_mask
except ImportError:
    from websockets.utils import apply_mask

_PROTOCOL_ERROR = 1002
_INVALID_TEXT = 1007
_BROKEN = Rejection(500, b'{"error":{"code":"ours","message":"Something went wrong on our side; it has been noted."}}')

_log = logging.getLogger(__name__)
_wire_log = _log.getChild("wire")
# At DEBUG websockets logs whole handshakes and frames: cookies, tokens, tickets.
_wire_log.setLevel(logging.WARNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a connection may take up, in bytes, frames and seconds.

    ``kernel_bytes`` are what the system may hold for a client that does not read: left alone, Linux takes megabytes. Above
    ``high_water_bytes`` in its own buffer a transport is paused. ``odd_frames`` are those between two pings that are no whole
    text: control frames and fragments, which no message limit counts.
    """

    message_bytes: int = 4096
    kernel_bytes: int = 64 * 1024
    high_water_bytes: int = 64 * 1024
    outbox_frames: int = 256
    outbox_bytes: int = 256 * 1024
    odd_frames: int = 1000
    ping_s: float = 10.0
    close_s: float = 20.0


class Phase(Enum):
    """How far a connection has come."""

    CONNECTING = "connecting"
    OPEN = "open"
    CLOSING = "closing"
    ENDED = "ended"


class _Shared:
    """What all connections of one endpoint have in common; the message framed last is kept with its frame."""

    __slots__ = ("bounds", "endpoint", "frame", "message", "sweep")

    def __init__(self, endpoint: Endpoint, bounds: Bounds) -> None:
        self.endpoint = endpoint
        self.bounds = bounds
        self.sweep = Sweep(bounds.ping_s, bounds.close_s)
        self.message = b""
        self.frame = wire.text_frame(b"")


def websocket_protocol(endpoint: Endpoint, bounds: Bounds | None = None) -> type[asyncio.Protocol]:
    """The class to give uvicorn as ``ws``, whose connections ``endpoint`` decides on. One for each event loop."""
    return type("BoundConnection", (SocketConnection,), {"__slots__": (), "shared": _Shared(endpoint, bounds or Bounds())})


class SocketConnection(asyncio.Protocol):
    """One WebSocket: uvicorn's side of it is ``asyncio.Protocol`` and ``shutdown``, ours is ``Connection``."""

    __slots__ = (
        "_connections",
        "_fragments",
        "_handler",
        "_is_binary",
        "_is_paused",
        "_is_silent",
        "_odd_frames",
        "_outbox",
        "_phase",
        "_protocol",
        "_rest",
        "_transport",
        "is_open",
        "part",
    )

    shared: ClassVar[_Shared]

    def __init__(self, *, server_state: ServerState, **_others: object) -> None:
        self._connections: set[Any] = server_state.connections
        self._transport: asyncio.Transport
        self._protocol = ServerProtocol(
            select_subprotocol=wire.choose_subprotocol, max_size=self.shared.bounds.message_bytes, logger=_wire_log
        )
        self._handler: Handler | None = None
        self._phase = Phase.CONNECTING
        self._outbox: Outbox | None = None
        self._fragments: bytearray | None = None
        self._rest = b""
        self._odd_frames = 0
        self._is_binary = False
        self._is_paused = False
        self._is_silent = False
        self.is_open = False
        self.part = 0

    # What is sent.

    def send(self, message: bytes) -> None:
        """See ``Connection``."""
        if not self.is_open:
            return
        shared = self.shared
        if message is not shared.message:
            shared.frame = wire.text_frame(message)
            shared.message = message
        self._put(shared.frame)

    def close(self, code: int, reason: str = "") -> None:
        """See ``Connection``."""
        if self.is_open:
            self._protocol.send_close(code, reason)
            self._follow()

    def _put(self, frame: bytes) -> None:
        """Write a frame, or hold it back while the client does not read."""
        if not self._is_paused:
            self._transport.write(frame)
            return
        if self._outbox is None:
            self._outbox = Outbox(self.shared.bounds.outbox_frames, self.shared.bounds.outbox_bytes)
        if not self._outbox.put(frame):
            self.close(TOO_SLOW, "too slow: connect again with since")

    def pause_writing(self) -> None:
        """The transport's buffer is full."""
        self._is_paused = True

    def resume_writing(self) -> None:
        """The transport's buffer has room: what was held back goes out, until it is full again."""
        self._is_paused = False
        while self._outbox and not self._is_paused:
            self._transport.write(self._outbox.take())
        if not self._outbox:
            self._outbox = None

    # What comes.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Uvicorn has read an upgrade from ``transport``, and gives it on next."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=self.shared.bounds.high_water_bytes)
        wire.tune(self._transport.get_extra_info("socket"), self.shared.bounds.kernel_bytes)
        # Uvicorn does this only after the handshake, and a large first message may pause the transport before that.
        self._transport.set_protocol(self)
        self._connections.add(self)

    def data_received(self, data: bytes) -> None:
        """The request, whole, then whatever the client sends."""
        if self._phase is Phase.CONNECTING:
            self._shake_hands(data)
            return
        self._is_silent = False
        data = self._rest + data
        self._rest = b""
        start = 0
        while self._phase is not Phase.ENDED:
            end = wire.frame_end(data, start, self.shared.bounds.message_bytes)
            if not end:
                self._rest = data[start:]
                return
            if data[start] == wire.WHOLE_TEXT and data[start + 1] in wire.SHORT and self._fragments is None:
                if self.is_open:
                    self._receive(apply_mask(data[start + 6 : end], data[start + 2 : start + 6]))
            else:
                self._receive_by_the_book(data[start:end])
            start = end

    def _receive_by_the_book(self, frame: bytes) -> None:
        """Have ``websockets`` read a frame that is not the usual one, and answer it."""
        self._protocol.receive_data(frame)
        for event in self._protocol.events_received():
            self._receive_frame(cast("Frame", event))
        self._follow()
        self._odd_frames += frame[0] != wire.WHOLE_TEXT
        if self._odd_frames > self.shared.bounds.odd_frames and self.is_open:
            self._fail(FLOODING, "too many control frames and fragments")

    def _receive_frame(self, frame: Frame) -> None:
        """Put messages together. Control frames are answered already, and fragments come in order, or not at all."""
        if frame.opcode is Opcode.TEXT or frame.opcode is Opcode.BINARY:
            self._is_binary = frame.opcode is Opcode.BINARY
            self._fragments = bytearray()
        if frame.opcode > Opcode.BINARY or self._fragments is None:
            return
        self._fragments += frame.data
        if frame.fin:
            message = bytes(self._fragments)
            self._fragments = None
            self._receive(message, is_binary=self._is_binary)

    def _receive(self, message: bytes, *, is_binary: bool = False) -> None:
        """Hand a message on, if somebody still listens."""
        if not self.is_open or self._handler is None:
            return
        if not is_binary and not wire.is_utf8(message):
            self._fail(_INVALID_TEXT, "not UTF-8")
            return
        try:
            if is_binary:
                self._handler.received_binary()
            else:
                self._handler.received(message)
        except Exception:
            self._blame_handler()

    # The beginning.

    def _shake_hands(self, data: bytes) -> None:
        """Answer the request: with a connection or with a refusal."""
        self._protocol.receive_data(data)
        for request in self._protocol.events_received():
            self._answer(cast("Request", request))
        # A request that cannot be read makes no event; the protocol has said so, or just hangs up.
        if self._phase is Phase.CONNECTING:
            self._transport.write(b"".join(self._protocol.data_to_send()))
            self._end()

    def _answer(self, request: Request) -> None:
        response = self._protocol.accept(request)
        if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            self._protocol.send_response(response)
            return
        peername = self._transport.get_extra_info("peername")
        is_tls = self._transport.get_extra_info("sslcontext") is not None
        upgrade = wire.upgrade_of(request, peername, is_tls=is_tls)
        try:
            answer = self.shared.endpoint.accept(upgrade)
        except Exception:
            _log.exception("The endpoint failed; a connection is refused")
            answer = _BROKEN
        if isinstance(answer, Rejection):
            self._protocol.send_response(wire.refusal(answer))
            return
        self._protocol.send_response(response)
        self._transport.write(b"".join(self._protocol.data_to_send()))
        self._open(answer, upgrade.subprotocols)

    def _open(self, factory: HandlerFactory, offered: Sequence[str]) -> None:
        self._phase = Phase.OPEN
        self.is_open = True
        self.shared.sweep.join(self)
        if offered and SUBPROTOCOL not in offered:
            self.close(_PROTOCOL_ERROR, f"only {SUBPROTOCOL} is spoken here")
            return
        try:
            self._handler = factory(self)
            self._handler.opened()
        except Exception:
            self._blame_handler()

    # The end.

    def _follow(self) -> None:
        """Write what the protocol has to say, and come as far as it has come. Once closing, no ping is answered any more."""
        output = self._protocol.data_to_send()
        if self._protocol.state is State.OPEN:
            for frame in output:
                self._put(frame)
            return
        if self.is_open:
            close = self._protocol.close_sent
            self._leave(LOST if close is None else close.code)
            self._transport.write(b"".join(output))
        if SEND_EOF in output:
            self._end()

    def _fail(self, code: int, reason: str) -> None:
        """Close without waiting for an answer: what the client still sends is not even looked at."""
        self._protocol.fail(code, reason)
        self._follow()

    def _leave(self, code: int) -> None:
        """The connection is open no more. The handler hears of it later: nobody's loop over connections is disturbed."""
        self.is_open = False
        self._phase = Phase.CLOSING
        self._outbox = None
        self.shared.sweep.leave(self)
        if self._handler is not None:
            asyncio.get_running_loop().call_soon(self._say_closed, self._handler, code)
            self._handler = None

    def _say_closed(self, handler: Handler, code: int) -> None:
        try:
            handler.closed(code)
        except Exception:
            _log.exception("The handler of a closed connection failed")

    def _blame_handler(self) -> None:
        """Call while its exception is handled."""
        _log.exception("The handler of a connection failed; the connection is closed")
        self.close(INTERNAL_ERROR, "something is broken here")

    def _end(self) -> None:
        """Shut our side. TLS cannot do that alone, so there both sides go."""
        self._phase = Phase.ENDED
        self._rest = b""
        self.shared.sweep.leave(self)
        if not self._transport.can_write_eof():
            self._transport.close()
            return
        # The peer may have reset the connection by now; then its loss is reported by itself.
        with suppress(OSError, RuntimeError):
            self._transport.write_eof()

    def visit(self) -> None:
        """Once a round: drop a client that said nothing since the last ping, else ping it."""
        if self._is_silent:
            self.abort()
            return
        self._is_silent = True
        self._odd_frames = 0
        self._put(wire.PING)

    def abort(self) -> None:
        """Drop the connection without a word."""
        self._transport.abort()

    def shutdown(self) -> None:
        """Uvicorn is about to stop."""
        self.close(RESTARTING, "restarting: connect again")

    def eof_received(self) -> None:
        """The client's side is shut; asyncio closes ours once what is written has gone out."""
        if self.is_open:
            self._leave(LOST)
        self._phase = Phase.ENDED

    def connection_lost(self, _exc: Exception | None) -> None:
        """Nothing is left of the connection."""
        if self.is_open:
            self._leave(LOST)
        self._phase = Phase.ENDED
        self._connections.discard(self)
        self.shared.sweep.forget(self)
