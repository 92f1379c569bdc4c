"""Tickets: a session lent to one WebSocket handshake, for clients that can send neither a header nor the cookie.

A ticket goes into the address, where logs may see it; so it is good once and for 30 seconds. Tickets live in the memory of one
worker, which is right while one worker serves; several need a store they share, hence ``async`` here.
"""

import secrets
from collections.abc import Callable

from msgspec import Struct

from server.accounts.sessions import Session

TICKET_LIFE_MS = 30_000
MAX_TICKETS = 10_000


class _Lent(Struct, frozen=True):
    session: Session
    until_ms: int


class Tickets:
    """The tickets that are out, oldest first.

    When there are too many the oldest is forgotten: a ticket is used within a second of being given, so to push out one that
    is still wanted takes 10,000 new ones in that second.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._lent: dict[str, _Lent] = {}

    async def give(self, session: Session) -> str:
        """A new ticket for a session: 43 characters that are safe in a URL."""
        while len(self._lent) >= MAX_TICKETS:
            del self._lent[next(iter(self._lent))]
        ticket = secrets.token_urlsafe(32)
        self._lent[ticket] = _Lent(session, self._now_ms() + TICKET_LIFE_MS)
        return ticket

    async def take(self, ticket: str) -> Session | None:
        """Use a ticket up: its session, or None if it is unknown, too old or was used before."""
        lent = self._lent.pop(ticket, None)
        return lent.session if lent and self._now_ms() <= lent.until_ms else None
