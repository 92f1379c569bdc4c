"""What an append changes beside the entries: the wake, the secret, and what is stored for those who are not at the table."""

from collections.abc import Sequence

from server.match.events import Code, Entry, Finished, SealAborted
from server.match.state import Table
from server.match.wake import wake
from server.match.world import World
from server.tables.cards import card_change, running_players
from server.tables.ports import Append

LOOK_AGAIN_MS = 10 * 60_000
"""A table with nothing due is looked at again after this long: absence does not announce itself after a restart."""


def next_wake(table: Table, world: World, now_ms: int) -> int | None:
    """When the table is to be looked at next; None for one that is closed."""
    if table.is_closed:
        return None
    coming = wake(table, world)
    return now_ms + LOOK_AGAIN_MS if coming is None else coming.at_ms


def change_by(
    code: Code,
    entries: Sequence[Entry],
    *,
    before: Table | None,
    after: Table,
    world: World,
    now_ms: int,
    root: bytes | None = None,
) -> Append:
    """The append of ``entries`` that lead from ``before`` (None: there is no table yet) to ``after``.

    ``root`` is the secret of a match that is sealed by them.
    """
    events = [entry.event for entry in entries]
    match = after.match or (None if before is None else before.match)
    return Append(
        entries=tuple(entries),
        wake_at_ms=next_wake(after, world, now_ms),
        match=None if match is None else match.sealed.match,
        secret=b"" if any(isinstance(event, Finished | SealAborted) for event in events) else root,
        card=card_change(code, events, after),
        finished=any(isinstance(event, Finished) for event in events),
        is_closed=after.is_closed,
        players=running_players(events, after),
    )
