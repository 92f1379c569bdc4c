"""Session tokens: proof of who someone is, signed with the key of the service, so that checking one needs no store.

A token is base64url of ``version (1 byte) | player (8) | session (8) | issued at, ms (8) | HMAC-SHA256 of all that (32)``: 57
bytes, 76 characters, no padding. It survives restarts as long as the key does. The row of the session in the records is what a
later revocation points at; whether the player still exists is not the token's business.

Also where a token travels: ``Authorization: Bearer`` first, else the cookie. Not how HTTP answers a bad one.
"""

import binascii
import hashlib
import hmac
import struct
from typing import NewType

from msgspec import Struct

from server.match.events import PlayerId

SessionId = NewType("SessionId", str)
"""16 hex characters."""

SESSION_COOKIE = "cubilete_session"
_COOKIE_SECONDS = 400 * 86_400
"""The longest life that browsers give a cookie."""

_VERSION = 1
_LAYOUT = struct.Struct(">B8s8sQ")
_PURPOSE = b"cubilete session token"
"""Keeps the signing key apart from every other use of the service's key."""
_TOKEN_CHARACTERS = 76
_TO_URL = bytes.maketrans(b"+/", b"-_")
_FROM_URL = bytes.maketrans(b"-_+/", b"+/??")
"""The standard alphabet is no second spelling: its two signs become one that the strict decoder refuses."""


class Session(Struct, frozen=True, gc=False):
    """Who a token stands for, which of their sessions it is, and since when (milliseconds since the epoch)."""

    player: PlayerId
    id: SessionId
    issued_ms: int


class Sessions:
    """Writes and reads tokens under one key of the service."""

    def __init__(self, key: bytes) -> None:
        self._key = hmac.digest(key, _PURPOSE, hashlib.sha256)

    def token(self, session: Session) -> str:
        """The token of a session: 76 characters that are safe in a header, a cookie and a URL."""
        body = _LAYOUT.pack(_VERSION, bytes.fromhex(session.player), bytes.fromhex(session.id), session.issued_ms)
        return binascii.b2a_base64(body + self._sign(body), newline=False).translate(_TO_URL).decode()

    def read(self, token: str) -> Session | None:
        """The session of a token, or None if this service did not write it just so. Takes microseconds, waits for nothing."""
        if len(token) != _TOKEN_CHARACTERS or not token.isascii():
            return None
        try:
            raw = binascii.a2b_base64(token.encode().translate(_FROM_URL), strict_mode=True)
        except binascii.Error:
            return None
        body, signature = raw[: _LAYOUT.size], raw[_LAYOUT.size :]
        if not hmac.compare_digest(self._sign(body), signature):
            return None
        version, player, session, issued_ms = _LAYOUT.unpack(body)
        if version != _VERSION:
            return None
        return Session(PlayerId(player.hex()), SessionId(session.hex()), issued_ms)

    def _sign(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, hashlib.sha256)


def presented_token(authorization: str | None, cookie: str | None) -> str | None:
    """The token that the values of these two headers present, if any; whether it is good is for ``Sessions.read`` to say.

    A ``Bearer`` is taken before the cookie; another scheme (a proxy's ``Basic``) says nothing about a session.
    """
    scheme, _, credentials = (authorization or "").strip().partition(" ")
    if scheme.lower() == "bearer":
        return credentials.strip()
    for pair in (cookie or "").split(";"):
        name, _, value = pair.strip().partition("=")
        if name == SESSION_COOKIE:
            return value
    return None


def session_cookie(token: str, *, is_https: bool) -> str:
    """The value of the ``Set-Cookie`` header that keeps a session in a browser."""
    parts = [f"{SESSION_COOKIE}={token}", "Path=/", f"Max-Age={_COOKIE_SECONDS}", "HttpOnly", "SameSite=Lax"]
    return "; ".join([*parts, "Secure"] if is_https else parts)
