"""What every HTTP answer tells the browser about safety, and how large a body may be. Plain ASGI, around any application.

To be wrapped around the whole application, as ``SecurityHeaders(BodyLimit(app))``: what is added inside a framework does not
reach the answers that the framework gives for its own failures.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_CONTENT_SECURITY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
_UNUSED_FEATURES = ("camera", "geolocation", "microphone", "payment", "usb")

SECURITY_HEADERS = {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in _CONTENT_SECURITY.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in _UNUSED_FEATURES),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""An answer that already has one of these keeps its own."""

BODY_BYTES = 64 * 1024
_TOO_LARGE = b'{"error":{"code":"too_large","message":"A body may have at most %d bytes."}}'


class SecurityHeaders:
    """Adds ``SECURITY_HEADERS`` to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", [])
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class BodyLimit:
    """Answers 413 to a request whose body is longer than ``most_bytes``, whether that was announced or not.

    The body is read whole before the application begins, so that it cannot get half of one.
    """

    def __init__(self, app: ASGIApp, most_bytes: int = BODY_BYTES) -> None:
        self._app = app
        self._most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Who asks first whether to send (``Expect: 100-continue``) is told before anything is read.
        first = None if _announced(scope) > self._most_bytes else await self._read(receive)
        if first is None:
            await self._refuse(send)
            return
        waiting = [first]

        async def replay() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, replay, send)

    async def _read(self, receive: Receive) -> Message | None:
        """The whole body as one message, or that the client went away; None if the body is too long."""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return message
            body += message.get("body", b"")
            if len(body) > self._most_bytes:
                return None
            if not message.get("more_body", False):
                return {"type": "http.request", "body": bytes(body), "more_body": False}

    async def _refuse(self, send: Send) -> None:
        body = _TOO_LARGE % self._most_bytes
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _announced(scope: Scope) -> int:
    """The length of the body that a request speaks of, 0 if it speaks of none."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0
