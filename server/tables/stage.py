"""What the people at a table see: turns states and entries into messages and sends them to the room."""

from collections import deque
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from server.match.events import (
    Closed,
    Code,
    CommitmentTaken,
    ContributionTaken,
    Entry,
    Event,
    Moved,
    PlayerId,
    RematchAgreed,
    Rolled,
    SealAborted,
    Sealed,
)
from server.match.evolve import MATCH_EVENTS
from server.match.lobby import is_connected
from server.match.state import Table
from server.match.view import away_seats, table_view, wire_head
from server.match.world import Presence
from server.protocol.closing import NO_SUCH_TABLE
from server.protocol.outgoing import (
    AbortedSeal,
    Lobby,
    MovedTo,
    Ok,
    PresenceChanged,
    SeatPresence,
    Welcome,
    You,
    encode,
    with_ref,
)
from server.tables.room import Room, Viewer
from server.tables.telling import Told, tell

_SILENT = (CommitmentTaken, ContributionTaken, RematchAgreed)
"""Entries that change nothing that is shown."""


class Step(NamedTuple):
    """One entry, and the state it leads to."""

    entry: Entry
    after: Table


class Answer(NamedTuple):
    """Whose command caused the steps, and the id to answer it with."""

    viewer: Viewer
    ref: str | None


class Stage:
    """The room of a table, and all that is shown in it beyond the state: names, presence, dice held just now, recent events."""

    __slots__ = ("code", "holding", "names", "presence", "room", "tail")

    def __init__(self, code: Code, presence: Presence) -> None:
        self.code = code
        self.room = Room()
        self.presence = presence
        self.names: dict[PlayerId, str] = {}
        self.holding: tuple[int, ...] | None = None
        self.tail: deque[Told] = deque()

    def show(self, before: Table, steps: Sequence[Step], answer: Answer | None) -> None:
        """Tell everyone what happened, in order; the sender's copy of what it caused carries its ref."""
        after = steps[-1].after
        watching = self.room.watching
        self.room.seat(sitting(after))
        if self.room.watching != watching:
            self.show_presence(after)
        has_events = any(_is_match_event(step) for step in steps)
        for is_event, run in groupby(steps, _is_match_event):
            if is_event:
                for step in run:
                    self._show_event(step, None if step.entry.cause is None else answer)
            else:
                self._show_entries(list(run), None if has_events else answer)
        if away_seats(before) != away_seats(after):
            self.show_presence(after)

    def _show_event(self, step: Step, answer: Answer | None) -> None:
        event = step.entry.event
        turn = None if step.after.match is None else step.after.match.turn
        if isinstance(event, Rolled) or turn is None or not turn.roll:
            self.holding = None
        if isinstance(event, Sealed):
            self.tail.clear()
        told = tell(event, step.after, self.holding)  # type: ignore[arg-type]
        self.tail.append(told)
        self._broadcast(told.message, answer)

    def _show_entries(self, run: Sequence[Step], answer: Answer | None) -> None:
        """Tell what table entries in a row changed: where the table stands after them, and where everyone goes."""
        shown = [step.entry.event for step in run if not isinstance(step.entry.event, _SILENT)]
        moved = [event for event in shown if isinstance(event, Moved)]
        if any(isinstance(event, Closed) for event in shown):
            self.dismiss()
        elif not shown:
            if answer is not None:
                acknowledge(answer)
        elif moved:
            self._broadcast(encode(MovedTo(code=moved[0].code)), answer)
        else:
            self._broadcast(encode(self.lobby(run[-1].after, shown)), answer)

    def _broadcast(self, message: bytes, answer: Answer | None) -> None:
        if answer is None:
            self.room.broadcast(message)
        else:
            self.room.broadcast(message, answer.viewer, with_ref(message, answer.ref))

    def lead_on(self, table: Table, viewer: Viewer) -> None:
        """Send someone who was here before after the others, if they were moved meanwhile."""
        if table.is_moved and table.next_code is not None:
            viewer.send(encode(MovedTo(code=table.next_code)))

    def forget_name(self, player: PlayerId | None, table: Table) -> None:
        """Forget someone who went away and has no seat."""
        if player is not None and table.seat_of(player) is None and not self.room.has(player):
            self.names.pop(player, None)

    def dismiss(self) -> None:
        """Send everyone away: there is no such table any more."""
        self.room.close(NO_SUCH_TABLE, "the table is closed")

    def lobby(self, table: Table, events: Sequence[Event] = ()) -> Lobby:
        """The table as it is now, with the seal that failed, if one did."""
        failed = next((event for event in events if isinstance(event, SealAborted)), None)
        aborted = UNSET if failed is None else AbortedSeal(failed.match, failed.seats, failed.root)
        return Lobby(table=table_view(table, self.code, self.presence, self.names, self.holding), aborted=aborted)

    def show_presence(self, table: Table) -> None:
        """Tell everyone who is there."""
        seats = {
            str(i): SeatPresence(
                connected=seat.player is None or is_connected(self.presence, seat.player),
                away=table.match is not None and table.match.is_away(i),
            )
            for i, seat in enumerate(table.seats)
            if seat is not None
        }
        self.room.broadcast(encode(PresenceChanged(seats=seats, watching=self.room.watching)))

    def welcome(self, table: Table, player: PlayerId | None, now_ms: int, missed: Sequence[Told] | None = None) -> Welcome:
        """The snapshot; with ``missed``, the events that bring a client's own state to it."""
        seat = table.seat_of(player)
        n, h = wire_head(table)
        return Welcome(
            you=You(player=UNSET if player is None else player, seat=UNSET if seat is None else seat),
            now=now_ms,
            n=n,
            h=h,
            table=table_view(table, self.code, self.presence, self.names, self.holding),
            events=UNSET if missed is None else [msgspec.Raw(told.message) for told in missed],
        )


def _is_match_event(step: Step) -> bool:
    return type(step.entry.event) in MATCH_EVENTS


def acknowledge(answer: Answer) -> None:
    """Say that a command was taken which nobody else sees, if its sender gave it an id."""
    if answer.ref is not None:
        answer.viewer.send(with_ref(encode(Ok()), answer.ref))


def sitting(table: Table) -> frozenset[PlayerId]:
    """The players that have a seat."""
    return frozenset(seat.player for seat in table.seats if seat is not None and seat.player is not None)
