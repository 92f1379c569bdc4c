"""Who is at the tables: counts connections, and tells who came or went by that.

The store notes comings and goings; counts are not kept, since no connection outlives the process.
"""

from server.match.events import Code, PlayerId
from server.match.world import PlayerPresence, Presence

ANYONE = ""
"""Stands for anyone at all, watchers included, where a player's id would stand."""

Change = tuple[str, bool, int]
"""A player or ``ANYONE``, connected or not, and since when."""


class Attendance:
    """The connections to a table. ``presence`` is who is there; it is exchanged, never changed."""

    __slots__ = ("_counts", "presence")

    def __init__(self, presence: Presence) -> None:
        self.presence = presence
        self._counts: dict[PlayerId | None, int] = {}

    def count(self, who: PlayerId | None, change: int, now_ms: int) -> list[Change]:
        """Count connections of ``who`` (None: a watcher) in or out; returns what became different by that.

        A connection that was never counted in is not counted out.
        """
        was_anyone, was_there = bool(self._counts), who in self._counts
        left = max(self._counts.get(who, 0) + change, 0)
        if left:
            self._counts[who] = left
        else:
            self._counts.pop(who, None)
        changes: list[Change] = []
        if who is not None and was_there != (left > 0):
            changes.append((who, left > 0, now_ms))
        if was_anyone != bool(self._counts):
            changes.append((ANYONE, not was_anyone, now_ms))
        if changes:
            self.presence = _changed(self.presence, changes)
        return changes


class Attendances:
    """The attendance of every table."""

    def __init__(self) -> None:
        self._at: dict[Code, Attendance] = {}

    def open(self, code: Code, presence: Presence) -> None:
        """There is a table now, and this is who is known there; none of them has a connection."""
        self._at[code] = Attendance(presence)

    def close(self, code: Code) -> None:
        """There is no such table any more."""
        del self._at[code]

    def presence(self, code: Code) -> Presence | None:
        """Who is at a table; None if there is no such table."""
        attendance = self._at.get(code)
        return attendance.presence if attendance else None

    def count(self, code: Code, who: PlayerId | None, change: int, now_ms: int) -> list[Change]:
        """Count at a table that there is; see ``Attendance.count``."""
        return self._at[code].count(who, change, now_ms)


def _changed(presence: Presence, changes: list[Change]) -> Presence:
    players, empty_since_ms = dict(presence.players), presence.empty_since_ms
    for who, is_connected, since_ms in changes:
        if who == ANYONE:
            empty_since_ms = None if is_connected else since_ms
        else:
            players[PlayerId(who)] = PlayerPresence(is_connected, since_ms)
    return Presence(players, empty_since_ms)
