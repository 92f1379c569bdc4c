"""How frames and the HTTP around a handshake are written and cut, and how a socket is set. For ``transport`` alone."""

import socket
from asyncio.trsock import TransportSocket
from collections.abc import Sequence
from email.utils import formatdate
from http import HTTPStatus
from urllib.parse import unquote

from websockets import datastructures
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from server.gateway.connection import SUBPROTOCOL, Headers, Rejection, Upgrade

WHOLE_TEXT = 0x81
"""The first byte of a text frame that is a whole message."""
PING = b"\x89\x00"
_MASKED = 0x80
_LENGTH = 0x7F
_SHORT_BYTES = 125
SHORT = range(_MASKED, _MASKED + _SHORT_BYTES + 1)
"""The second bytes of masked frames that hold the length, and no further bytes of length follow."""


def tune(wire: TransportSocket, most_bytes: int) -> None:
    """Have small frames leave at once, and the system hold at most about ``most_bytes`` for a client that does not read."""
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, most_bytes)
    # asyncio sees to this only for listeners that it made itself, uvloop for all.
    if wire.family != socket.AF_UNIX:
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def text_frame(message: bytes) -> bytes:
    """``message`` as one text frame of a server: whole, not masked."""
    size = len(message)
    if size <= _SHORT_BYTES:
        return bytes((WHOLE_TEXT, size)) + message
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2) + message
    return b"\x81\x7f" + size.to_bytes(8) + message


def frame_end(data: bytes, start: int, most_bytes: int) -> int:
    """Where the client's frame that begins at ``start`` ends, or 0 while it is not all there.

    A frame that is refused for its header alone (not masked, or more than ``most_bytes`` of payload) takes all that follows.
    """
    size = len(data) - start
    if size < 2:
        return 0
    second = data[start + 1]
    if second < _MASKED:
        return len(data)
    length = second & _LENGTH
    header = 6
    if length > _SHORT_BYTES:
        more = 2 if length == _SHORT_BYTES + 1 else 8
        if size < 2 + more:
            return 0
        length = int.from_bytes(data[start + 2 : start + 2 + more])
        header += more
    if length > most_bytes:
        return len(data)
    return start + header + length if size >= header + length else 0


def is_utf8(message: bytes) -> bool:
    """Whether ``message`` may be in a text frame."""
    try:
        message.decode()
    except UnicodeDecodeError:
        return False
    return True


def choose_subprotocol(_protocol: ServerProtocol, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Ours, where it is offered."""
    return Subprotocol(SUBPROTOCOL) if SUBPROTOCOL in offered else None


def upgrade_of(request: Request, peername: object, *, is_tls: bool) -> Upgrade:
    """A request, already found to be a proper handshake, in the gateway's words; ``peername`` as a transport gives it."""
    path, _, query = request.path.partition("?")
    offered = ",".join(request.headers.get_all("Sec-WebSocket-Protocol")).split(",")
    return Upgrade(
        path=unquote(path),
        query=query,
        headers=Headers(request.headers.raw_items()),
        scheme="https" if is_tls else "http",
        peer=str(peername[0]) if isinstance(peername, tuple) else None,
        subprotocols=tuple(name.strip() for name in offered if name.strip()),
    )


def refusal(rejection: Rejection) -> Response:
    """A rejection as the HTTP answer that ends the connection."""
    standard = {
        "Date": formatdate(usegmt=True),
        "Connection": "close",
        "Content-Length": str(len(rejection.body)),
        "Content-Type": "application/json",
    }
    headers = datastructures.Headers({**standard, **rejection.headers})
    return Response(rejection.status, HTTPStatus(rejection.status).phrase, headers, rejection.body)
