"""What happens to a table without a player, and when: the one mechanism for deadlines, bots, time-outs, hand-over and clean-up.

``wake`` is stored with every append; whoever fires it calls ``elapse``, which looks again. So firing twice, late, or after the
state has changed does no harm.
"""

from typing import Literal, NamedTuple, assert_never

from server.match.clockwork import LATENESS_MS, owed, seal_deadline
from server.match.events import Closed, Event, PlayerId, RematchAgreed
from server.match.lobby import CREATOR_GONE_MS, everybody_asked, heir, is_connected, pass_creator
from server.match.moment import Moment
from server.match.play import automatic, play_out
from server.match.sealing import time_out
from server.match.state import Match, Table, Turn
from server.match.world import Pace, Presence, World

EMPTY_FOR_MS = 10 * 60_000
READABLE_FOR_MS = 24 * 3_600_000
NUDGE_AFTER_MS = 5 * 60_000
PLAYED_AFTER_MS = 24 * 3_600_000
"""At a table without a clock: how long the seat on turn must be gone to be nudged, and to be played anyway."""

Action = Literal["give_back", "deadline", "seal", "bot", "play_out", "hand_over", "close", "agree", "open_next", "expire"]


class Wake(NamedTuple):
    """``action`` is due at ``at_ms``. A command stamped after ``overdue_ms`` lets it happen first."""

    at_ms: int
    action: Action
    overdue_ms: int


def wake(table: Table, world: World) -> Wake | None:
    """The next thing that happens by itself, or None."""
    if table.is_closed:
        return None
    match = table.match
    if match is None:
        return _before_the_seal(table, world.presence)
    if match.finished is not None:
        return _after_the_end(table, match, match.finished.at)
    if match.turn is None:
        deadline = seal_deadline(match, world.outages)
        return Wake(deadline + LATENESS_MS, "seal", deadline)
    return _in_play(table, match, match.turn, world)


def _at(action: Action, at_ms: int) -> Wake:
    return Wake(at_ms, action, at_ms)


def _before_the_seal(table: Table, presence: Presence) -> Wake | None:
    wakes = []
    if presence.empty_since_ms is not None:
        wakes.append(_at("close", max(presence.empty_since_ms, table.opened_at) + EMPTY_FOR_MS))
    if not is_connected(presence, table.creator) and heir(table, presence) is not None:
        wakes.append(_at("hand_over", gone_since(presence, table.creator, table.opened_at) + CREATOR_GONE_MS))
    return min(wakes, default=None)


def _after_the_end(table: Table, match: Match, ended_at: int) -> Wake:
    if not table.is_moved:
        if table.next_code is not None:
            return _at("open_next", table.last_at)
        if everybody_asked(match):
            return _at("agree", table.last_at)
    return _at("expire", ended_at + READABLE_FOR_MS)


def _in_play(table: Table, match: Match, turn: Turn, world: World) -> Wake | None:
    if owed(match, world.outages, table.last_at):
        return _at("give_back", table.last_at)
    seat = match.seats[turn.seat]
    if not seat.is_human:
        pause = 0 if match.play_out_at is not None else _pause(match, world.pace)
        return _at("bot", table.last_at + pause)
    if match.play_out_at is not None:
        return _at("play_out", table.last_at)
    if turn.deadline is not None:
        lateness = 0 if turn.seat in match.resigned else LATENESS_MS
        return Wake(turn.deadline + lateness, "deadline", turn.deadline)
    assert seat.player is not None
    if is_connected(world.presence, seat.player):
        return None
    return _at("deadline", gone_since(world.presence, seat.player, turn.start) + PLAYED_AFTER_MS)


def _pause(match: Match, pace: Pace) -> int:
    """A bot's thinking time: not always the same, and the same for everyone who computes it."""
    return pace.least_ms + (pace.most_ms - pace.least_ms) * match.head[0] // 255


def gone_since(presence: Presence, player: PlayerId, otherwise_ms: int) -> int:
    """Since when a player who is not connected has been gone; ``otherwise_ms`` for one who never came."""
    known = presence.players.get(player)
    return otherwise_ms if known is None else known.since_ms


def due(table: Table, world: World, at_ms: int) -> Action | None:
    """What should have happened by ``at_ms``, the wake's time, or None."""
    coming = wake(table, world)
    return coming.action if coming is not None and coming.at_ms <= at_ms else None


def overdue(table: Table, world: World, stamp_ms: int) -> Action | None:
    """What has to happen before a command that arrived at ``stamp_ms`` is decided, or None."""
    coming = wake(table, world)
    if coming is None or coming.action in ("bot", "open_next"):
        return None
    is_over = coming.overdue_ms < stamp_ms if coming.at_ms != coming.overdue_ms else coming.at_ms <= stamp_ms
    return coming.action if is_over else None


def elapse(table: Table, action: Action, moment: Moment) -> tuple[Event, ...]:
    """The events of an action that is due or overdue. A bot's move and opening the next table are the shell's to make."""
    at = max(moment.at_ms, table.last_at)
    match action:
        case "give_back":
            assert table.match is not None
            return owed(table.match, moment.world.outages, at)
        case "deadline":
            assert moment.keys is not None
            return automatic(table, moment.keys, at)
        case "play_out":
            assert moment.keys is not None
            return play_out(table, moment.keys, at)
        case "seal":
            assert moment.keys is not None
            return time_out(table, moment.world, moment.keys, at)
        case "hand_over":
            return pass_creator(table, moment.world.presence, at)
        case "close":
            return (Closed(at=at, reason="empty"),)
        case "expire":
            return (Closed(at=at, reason="expired"),)
        case "agree":
            assert moment.fresh is not None
            return (RematchAgreed(at=at, code=moment.fresh.code),)
        case "bot" | "open_next":
            return ()
        case _:
            assert_never(action)
