"""The fold: a table's state after one more entry of its log. It decides nothing and refuses nothing."""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from server.fairness.transcript import first_head, next_head
from server.match.clockwork import deadline_of, everybody_is_gone, resigned_deadline
from server.match.ending import ROLL_OFF, next_seat, scheduled_turns
from server.match.events import (
    Back,
    BotAdded,
    Cause,
    ClockGiven,
    Closed,
    CommitmentTaken,
    Committed,
    ContributionTaken,
    CreatorPassed,
    Entry,
    Event,
    Finished,
    Left,
    Moved,
    Opened,
    RematchAgreed,
    RematchAsked,
    Rolled,
    Sat,
    Scored,
    SealAborted,
    Sealed,
    SettingsChanged,
    Stood,
    TableOpened,
    WalkedOff,
    canonical,
)
from server.match.state import NO_CAUSE, Match, Seat, Table, Turn, cause_mark
from server.rules import EMPTY_SHEET, Write, resolve, write

REJOIN_AFTER_MS = 60_000
"""How long a seat that broke a seal cannot sit at that table."""


def evolve(table: Table | None, event: Event, cause: Cause | None = None) -> Table:
    """The state after ``event``; ``table`` is None before the first entry, which is always ``table_opened``."""
    if table is None:
        assert isinstance(event, TableOpened)
        return _opened_table(event)
    kind = type(event)
    step = _PLAY.get(kind)
    if step is not None:
        match = step(table, event, _chained(table, event, cause))
        return replace(table, length=table.length + 1, last_at=event.at, match=match)
    after = _sealed(table, event, cause) if isinstance(event, Sealed) else _LOBBY[kind](table, event)
    return replace(after, length=table.length + 1, last_at=event.at)


def fold(entries: Iterable[Entry], table: Table | None = None) -> Table | None:
    """The state after all of ``entries``, from ``table`` on."""
    for entry in entries:
        table = evolve(table, entry.event, entry.cause)
    return table


def _chained(table: Table, event: Any, cause: Cause | None) -> Match:
    """The match with the event counted, hashed into the chain of heads, and its cause remembered."""
    match = _match(table)
    head = next_head(match.head, canonical(event))
    return replace(match, n=match.n + 1, head=head, causes=match.causes + _mark(cause))


def _mark(cause: Cause | None) -> bytes:
    return NO_CAUSE if cause is None else cause_mark(cause.player, cause.id)


# --- before the seal ---


def _opened_table(event: TableOpened) -> Table:
    settings = event.settings
    return Table(
        length=1,
        version=1,
        opened_at=event.at,
        last_at=event.at,
        creator=event.creator,
        settings=settings,
        rules=resolve(settings.sheet, settings.preset, settings.options),
        seats=with_bots((None,) * settings.seats, event.bots, event.at),
    )


def with_bots(seats: tuple[Seat | None, ...], bots: tuple[str, ...], at: int) -> tuple[Seat | None, ...]:
    """The seats with ``bots`` in the last free ones."""
    placed = list(seats)
    free = [i for i, seat in enumerate(placed) if seat is None]
    for i, level in zip(free[len(free) - len(bots) :], bots, strict=True):
        placed[i] = Seat(sat_at=at, level=level)
    return tuple(placed)


def without_bots(seats: tuple[Seat | None, ...]) -> tuple[Seat | None, ...]:
    """The seats with the people alone."""
    return tuple(seat if seat is not None and seat.is_human else None for seat in seats)


def resized(seats: tuple[Seat | None, ...], count: int) -> tuple[Seat | None, ...]:
    """The first ``count`` seats, free ones added where there were fewer."""
    return (seats + (None,) * count)[:count]


def _settings_changed(table: Table, event: SettingsChanged) -> Table:
    settings = event.settings
    seats = resized(table.seats, settings.seats)
    if event.bots is not UNSET:
        seats = with_bots(without_bots(seats), event.bots, event.at)
    others = any(seat is not None and seat.is_human and seat.player != table.creator for seat in table.seats)
    return replace(
        table,
        version=table.version + 1,
        settings=settings,
        rules=resolve(settings.sheet, settings.preset, settings.options),
        seats=seats,
        settings_felt_at=event.at if others else table.settings_felt_at,
    )


def _seated(table: Table, index: int, seat: Seat | None) -> Table:
    seats = (*table.seats[:index], seat, *table.seats[index + 1 :])
    return replace(table, version=table.version + 1, seats=seats)


def _sat(table: Table, event: Sat) -> Table:
    return _seated(table, event.seat, Seat(sat_at=event.at, player=event.player))


def _bot_added(table: Table, event: BotAdded) -> Table:
    return _seated(table, event.seat, Seat(sat_at=event.at, level=event.level))


def _stood(table: Table, event: Stood) -> Table:
    return _seated(table, event.seat, None)


def _creator_passed(table: Table, event: CreatorPassed) -> Table:
    return replace(table, version=table.version + 1, creator=event.player)


def _seal_aborted(table: Table, event: SealAborted) -> Table:
    cleared = {table.seats[i].player for i in event.seats}  # type: ignore[union-attr]
    barred = {player: until for player, until in table.barred.items() if until > event.at}
    barred |= {player: event.at + REJOIN_AFTER_MS for player in cleared if player is not None}
    seats = tuple(None if i in event.seats else seat for i, seat in enumerate(table.seats))
    return replace(table, version=table.version + 1, seats=seats, barred=barred, match=None)


# --- the seal ---


def _sealed(table: Table, event: Sealed, cause: Cause | None) -> Table:
    id_bytes = bytes.fromhex(event.match)
    match = Match(
        sealed=event,
        id_bytes=id_bytes,
        seats={i: seat for i, seat in enumerate(table.seats) if seat is not None},
        n=0,
        head=first_head(id_bytes, canonical(event)),
        causes=_mark(cause),
        commitments={},
        contributions={},
    )
    return replace(table, attempts=event.attempt, match=match)


def _commitment_taken(table: Table, event: CommitmentTaken) -> Table:
    match = _match(table)
    return replace(table, match=replace(match, commitments={**match.commitments, event.seat: event.commitment}))


def _contribution_taken(table: Table, event: ContributionTaken) -> Table:
    match = _match(table)
    return replace(table, match=replace(match, contributions={**match.contributions, event.seat: event.contribution}))


def _committed(_table: Table, event: Committed, match: Match) -> Match:
    commitments = {int(seat): value for seat, value in event.commitments.items()}
    return replace(match, commitments=commitments, committed_at=event.at)


def _opened(table: Table, event: Opened, match: Match) -> Match:
    match = replace(
        match,
        contributions={int(seat): value for seat, value in event.contributions.items()},
        entropy=bytes.fromhex(event.entropy),
        order=event.order,
        sheets=dict.fromkeys(match.seats, EMPTY_SHEET),
        last_play_n=match.n,
    )
    return replace(match, turn=_turn_after(table, match, 0, event.at))


# --- play ---


def _turn_after(table: Table, match: Match, played: int, start: int) -> Turn | None:
    """The turn that follows ``played`` turns and begins at ``start``; None when that was the last."""
    seat = next_seat(table, match, played)
    if seat is None:
        return None
    return Turn(number=played + 1, seat=seat, start=start, deadline=deadline_of(match, seat, start))


def _rolled(_table: Table, event: Rolled, match: Match) -> Match:
    turn = replace(_turn(match), roll=event.roll, dice=event.dice, held=event.held)
    return replace(match, turn=turn, last_play_n=match.n)


def _scored(table: Table, event: Scored, match: Match) -> Match:
    turn, seat = _turn(match), event.seat
    sheets, roll_offs = match.sheets, match.roll_offs
    if event.box == ROLL_OFF:
        roll_offs = {**roll_offs, seat: (*roll_offs.get(seat, ()), event.points)}
    else:
        sheets = {**sheets, seat: write(sheets[seat], table.rules, event.box, Write(event.points, event.bonus))}
    idle = match.idle.get(seat, 0)
    if not turn.given_to:
        idle = idle + 1 if event.auto else 0
    match = replace(
        match,
        sheets=sheets,
        roll_offs=roll_offs,
        idle={**match.idle, seat: idle},
        is_by_hand=match.is_by_hand or (match.seats[seat].is_human and not event.auto),
        last_play_n=match.n,
    )
    if event.auto:  # a write by hand leaves somebody who plays
        match = _played_out(match, event.at)
    return replace(match, turn=_turn_after(table, match, turn.number, event.at))


def _played_out(match: Match, at: int) -> Match:
    """The match with the play-out begun at ``at``, if that event left nobody to play."""
    if match.play_out_at is None and everybody_is_gone(match):
        return replace(match, play_out_at=at)
    return match


def _back(_table: Table, event: Back, match: Match) -> Match:
    was_played_out = match.play_out_at is not None
    match = replace(match, idle={**match.idle, event.seat: 0}, play_out_at=None)
    turn = _turn(match)
    if turn.seat != event.seat and not was_played_out:
        return match  # whoever is on turn keeps the deadline they have
    deadline = deadline_of(match, turn.seat, turn.start)
    if turn.given_to and deadline is not None and turn.deadline is not None:
        deadline = max(deadline, turn.deadline)  # what an outage gave back is never taken away
    return replace(match, turn=replace(turn, deadline=deadline))


def _left(table: Table, event: Left, match: Match) -> Match:
    match = _played_out(replace(match, resigned=(*match.resigned, event.seat)), event.at)
    turn = _turn(match)
    if match.play_out_at is not None:
        turn = replace(turn, deadline=match.play_out_at)
    elif turn.seat == event.seat:
        turn = replace(turn, deadline=resigned_deadline(turn, event.at))
    if turn.number > scheduled_turns(table, match):
        return replace(match, turn=_left_roll_off(table, event, match, turn))
    return replace(match, turn=turn)


def _left_roll_off(table: Table, event: Left, match: Match, turn: Turn) -> Turn | None:
    """A seat that resigns drops out of the roll-off; its turn, if it was its own, is over without a write."""
    if turn.seat == event.seat:
        return _turn_after(table, match, turn.number, event.at)
    return None if next_seat(table, match, turn.number) is None else turn


def _clock_given(_table: Table, event: ClockGiven, match: Match) -> Match:
    return replace(match, turn=replace(_turn(match), deadline=event.deadline, given_to=event.to_ms))


def _finished(_table: Table, event: Finished, match: Match) -> Match:
    return replace(match, finished=event, turn=None)


# --- after the end ---


def _rematch_asked(table: Table, event: RematchAsked) -> Table:
    match = _match(table)
    asked, gone = match.rematch | {event.player}, match.walked_off - {event.player}
    return replace(table, match=replace(match, rematch=asked, walked_off=gone))


def _walked_off(table: Table, event: WalkedOff) -> Table:
    match = _match(table)
    asked, gone = match.rematch - {event.player}, match.walked_off | {event.player}
    return replace(table, match=replace(match, rematch=asked, walked_off=gone))


def _rematch_agreed(table: Table, event: RematchAgreed) -> Table:
    return replace(table, next_code=event.code)


def _moved(table: Table, _event: Moved) -> Table:
    return replace(table, is_moved=True)


def _closed(table: Table, _event: Closed) -> Table:
    return replace(table, is_closed=True)


def _match(table: Table) -> Match:
    assert table.match is not None
    return table.match


def _turn(match: Match) -> Turn:
    assert match.turn is not None
    return match.turn


_PLAY: dict[type, Callable[[Table, Any, Match], Match]] = {
    Committed: _committed,
    Opened: _opened,
    Rolled: _rolled,
    Scored: _scored,
    Back: _back,
    Left: _left,
    ClockGiven: _clock_given,
    Finished: _finished,
}
MATCH_EVENTS = frozenset({Sealed, *_PLAY})
"""The events that are hashed, numbered and shown."""
_LOBBY: dict[type, Callable[[Table, Any], Table]] = {
    Sat: _sat,
    Stood: _stood,
    BotAdded: _bot_added,
    SettingsChanged: _settings_changed,
    CreatorPassed: _creator_passed,
    CommitmentTaken: _commitment_taken,
    ContributionTaken: _contribution_taken,
    SealAborted: _seal_aborted,
    RematchAsked: _rematch_asked,
    WalkedOff: _walked_off,
    RematchAgreed: _rematch_agreed,
    Moved: _moved,
    Closed: _closed,
}
