"""From entries of the log to messages: what each event tells everyone, and the events that a client has missed."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from server.fairness.transcript import short
from server.match.events import Entry, Event, Finished, MatchEvent, Opened, Rolled, Scored, Sealed, canonical
from server.match.evolve import MATCH_EVENTS, evolve
from server.match.state import Match, Table
from server.match.view import totals_view, turn_view
from server.protocol.outgoing import EventParts, encode_event

TAIL = 16
"""So many events of a table are kept in memory, ready to send; older ones are read from the log."""
CATCH_UP = 200
"""A client that has missed more starts over with the snapshot."""


class Told(NamedTuple):
    """An event message as it was sent, with its number and short head."""

    n: int
    h: str
    message: bytes


class Since(NamedTuple):
    """The last event a client has: its number, its match, and the short head it came with."""

    n: int
    match: str
    h: str


def tell(event: MatchEvent, after: Table, held: tuple[int, ...] | None = None) -> Told:
    """The message for an event that led to the state ``after``; ``held`` are dice held since the last roll."""
    match = after.match
    assert match is not None
    head = short(match.head)
    parts = EventParts(
        n=match.n,
        h=head,
        canonical=canonical(event),
        turn=turn_view(after, None if isinstance(event, Rolled | Scored | Opened) else held),
        totals=totals_view(after) if isinstance(event, Scored | Finished) else None,
    )
    return Told(match.n, head, encode_event(parts))


def replay(entries: Iterable[Entry]) -> Iterator[tuple[Event, Table]]:
    """Every event of a log with the state it led to."""
    table: Table | None = None
    for entry in entries:
        table = evolve(table, entry.event, entry.cause)
        yield entry.event, table


def restore(entries: Iterable[Entry]) -> tuple[Table | None, deque[Told]]:
    """The state that a log folds to, and the tail of its last match."""
    recent: deque[tuple[MatchEvent, Table]] = deque(maxlen=TAIL)
    table: Table | None = None
    for event, after in replay(entries):
        table = after
        if isinstance(event, Sealed):
            recent.clear()
        if type(event) in MATCH_EVENTS:
            recent.append((event, after))  # type: ignore[arg-type]
    if table is None or table.match is None:
        recent.clear()
    return table, deque((tell(event, after) for event, after in recent), maxlen=TAIL)


def told_since(entries: Iterable[Entry], since: Since) -> Iterator[Told]:
    """The messages of a match from event ``since.n`` on, itself included; none if the log holds no such event."""
    for event, after in replay(entries):
        match = after.match
        if type(event) in MATCH_EVENTS and match is not None and match.sealed.match == since.match and match.n >= since.n:
            yield tell(event, after)  # type: ignore[arg-type]


def with_newest(
    match: Match | None, tail: Iterable[Told], since: Since | None, missed: Sequence[Told] | None
) -> list[Told] | None:
    """The events after ``since``: ``missed`` without the client's own, and what is in ``tail`` since that was read.

    None if there is a gap, or nothing to be said that way: the snapshot alone has to do.
    """
    if since is None or not missed or match is None or match.sealed.match != since.match:
        return None
    newest = [*missed[1:], *(one for one in tail if one.n > missed[-1].n)]
    return newest if [one.n for one in newest] == list(range(since.n + 1, match.n + 1)) else None
