"""HTTP on the wire: uvicorn's protocol, with a bound on what a request may take up before it is a request.

The parser gathers the line and the headers without a bound, and waits for them for ever. Here a head has at most ``HEAD_BYTES``
and has to be whole within ``HEAD_S``, and what is no HTTP gets the one shape of errors.
"""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 32 * 1024
HEAD_S = 10.0
_ERROR = b'{"error":{"code":"%b","message":"%b"}}'


class BoundedHttp(HttpToolsProtocol):
    """One HTTP connection."""

    _head_bytes = 0
    _is_in_head = True
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there: its first request has to come soon."""
        super().connection_made(transport)
        self._head_timer = self.loop.call_later(HEAD_S, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """More of a request: its head is counted, its body is the application's to bound."""
        if self.transport.is_closing():
            return
        if self._is_in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._is_in_head and self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
            self._answer(b"431 Request Header Fields Too Large", b"too_large", b"The head of the request is too long.")

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._is_in_head = True
        self._head_bytes = 0
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_S, self._give_up)

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._is_in_head = False
        self._stop_timer()
        super().on_headers_complete()

    def handle_websocket_upgrade(self) -> None:
        """The connection is another protocol's from here on."""
        self._stop_timer()
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - uvicorn's words are not ours
        """What came is no HTTP."""
        self._answer(b"400 Bad Request", b"unreadable", b"This is no HTTP request.")

    def _answer(self, status: bytes, code: bytes, message: bytes) -> None:
        body = _ERROR % (code, message)
        head = (
            b"HTTP/1.1 " + status,
            b"content-type: application/json",
            b"content-length: %d" % len(body),
            b"connection: close",
        )
        self.transport.write(b"\r\n".join((*head, b"", body)))
        self.transport.close()

    def _give_up(self) -> None:
        self._head_timer = None
        if not self.transport.is_closing():
            self.transport.close()

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
