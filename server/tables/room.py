"""The connections at one table in this worker: who gets what is sent, seats before watchers."""

from typing import Protocol

from server.match.events import PlayerId
from server.protocol.closing import REPLACED

TABS = 5
"""So many connections of one player are live at once; a further one replaces the oldest."""


class Viewer(Protocol):
    """A connection to a table, as the table sees it."""

    player: PlayerId | None

    def send(self, message: bytes) -> None:
        """Send one text message. Never blocks, never raises."""

    def close(self, code: int, reason: str) -> None:
        """Close the connection. Never raises."""


class Room:
    """The viewers of a table. Seats are served first, so that watchers never slow them."""

    __slots__ = ("_players", "_seated", "_watchers")

    def __init__(self) -> None:
        self._seated: dict[Viewer, None] = {}
        self._watchers: dict[Viewer, None] = {}
        self._players: frozenset[PlayerId] = frozenset()

    def __len__(self) -> int:
        return len(self._seated) + len(self._watchers)

    @property
    def watching(self) -> int:
        """Connections of people who do not sit."""
        return len(self._watchers)

    def seat(self, players: frozenset[PlayerId]) -> None:
        """Say who sits now."""
        if players == self._players:
            return
        self._players = players
        viewers = [*self._seated, *self._watchers]
        self._seated = {viewer: None for viewer in viewers if viewer.player in players}
        self._watchers = {viewer: None for viewer in viewers if viewer.player not in players}

    def add(self, viewer: Viewer) -> None:
        """Let a connection in; the player's oldest goes if that makes too many."""
        (self._seated if viewer.player in self._players else self._watchers)[viewer] = None
        if viewer.player is None:
            return
        own = [other for other in (*self._seated, *self._watchers) if other.player == viewer.player]
        for oldest in own[:-TABS]:
            oldest.close(REPLACED, "opened in newer tabs")

    def remove(self, viewer: Viewer) -> bool:
        """Forget a connection; whether it was here."""
        for group in (self._seated, self._watchers):
            if viewer in group:
                del group[viewer]
                return True
        return False

    def has(self, player: PlayerId) -> bool:
        """Whether a player has a connection here."""
        return any(viewer.player == player for viewer in (*self._seated, *self._watchers))

    def broadcast(self, message: bytes, sender: Viewer | None = None, answer: bytes = b"") -> None:
        """Send ``message`` to everyone; ``sender``, if it is here, gets ``answer`` in its place."""
        for viewer in (*self._seated, *self._watchers):
            viewer.send(answer if viewer is sender else message)

    def close(self, code: int, reason: str) -> None:
        """Close every connection."""
        for viewer in (*self._seated, *self._watchers):
            viewer.close(code, reason)
