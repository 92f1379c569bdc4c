"""One timer for all connections: who is still there, and who takes too long to go.

Owns when each is visited and when it is aborted. What a visit does is the connection's.
"""

import asyncio
from typing import Protocol

_PARTS = 32


class Swept(Protocol):
    """A connection as the sweep knows it; ``part`` is the sweep's own note."""

    part: int

    def visit(self) -> None:
        """Do what is due once a round."""

    def abort(self) -> None:
        """Drop the connection without a word."""


class Sweep:
    """Visits each connection once in ``round_s`` seconds, and aborts those that still are not gone after ``close_s``.

    A round has parts and each connection belongs to one, so that visits are spread over the round and never hold the loop. The
    timer runs only while there are connections. One for each event loop.
    """

    def __init__(self, round_s: float, close_s: float) -> None:
        self._round_s = round_s
        self._close_s = close_s
        self._parts: tuple[set[Swept], ...] = tuple(set() for _ in range(_PARTS))
        self._next = 0
        self._joined = 0
        self._leaving: dict[Swept, float] = {}
        self._timer: asyncio.TimerHandle | None = None

    def join(self, connection: Swept) -> None:
        """Visit ``connection`` from now on."""
        self._joined += 1
        connection.part = self._joined % _PARTS
        self._parts[connection.part].add(connection)
        self._start()

    def leave(self, connection: Swept) -> None:
        """Visit ``connection`` no more; its time to go runs from the first call on."""
        self._parts[connection.part].discard(connection)
        self._leaving.setdefault(connection, asyncio.get_running_loop().time() + self._close_s)
        self._start()

    def forget(self, connection: Swept) -> None:
        """``connection`` is gone."""
        self._leaving.pop(connection, None)

    def _start(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._round_s / _PARTS, self._tick)

    def _tick(self) -> None:
        self._timer = None
        for connection in tuple(self._parts[self._next]):
            connection.visit()
        self._next = (self._next + 1) % _PARTS
        now = asyncio.get_running_loop().time()
        # In the order of their deadlines, since all have the same time.
        for connection, deadline in tuple(self._leaving.items()):
            if deadline > now:
                break
            connection.abort()
        if self._leaving or any(self._parts):
            self._start()
