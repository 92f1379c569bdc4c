"""Decisions before the seal and after the end: seats, settings, start, rematch. Each returns events or raises ``Refused``."""

from server.errors import Refused
from server.fairness.seal import KeyChain
from server.match.commands import AddBot, ChangeSettings, Sit, Start, Unseat
from server.match.ending import ROLL_OFF_ROUNDS
from server.match.events import (
    FORMAT,
    BotAdded,
    Closed,
    CreatorPassed,
    Event,
    MatchId,
    PlayerId,
    RematchAsked,
    Sat,
    Sealed,
    SealedSeat,
    Stood,
    TableOpened,
    WalkedOff,
)
from server.match.moment import Moment
from server.match.settings import LEAST_SEATS, change_settings, is_rated
from server.match.state import Match, Seat, Table
from server.match.world import Presence

FELT_FOR_MS = 5_000
"""After a change of settings the others have this long to see it before the creator can start."""
CREATOR_GONE_MS = 60_000


def sit(table: Table, player: PlayerId, command: Sit, at: int) -> tuple[Event, ...]:
    """Take a seat, or move to another one; sitting where one sits changes nothing."""
    _only_waiting(table)
    own = table.seat_of(player)
    if own is not None and command.seat in (None, own):
        return ()
    if table.barred.get(player, 0) > at:
        raise Refused("too_fast", f"You can sit here again in {-(-(table.barred[player] - at) // 1000)} s.")
    seat = _free_seat(table) if command.seat is None else _checked_seat(table, command.seat)
    if seat is None or table.seats[seat] is not None:
        raise Refused("seat_taken", "That seat is taken; you can watch, or try another one.")
    stood = () if own is None else (Stood(at=at, seat=own),)
    return (*stood, Sat(at=at, seat=seat, player=player))


def stand(table: Table, player: PlayerId, at: int) -> tuple[Event, ...]:
    """Give the seat back."""
    _only_waiting(table)
    return (Stood(at=at, seat=_own_seat(table, player)),)


def leave(table: Table, player: PlayerId, at: int) -> tuple[Event, ...]:
    """Leave the table outside a match: stand up before it; after it, no rematch waits for this player."""
    if table.match is None:
        return (Stood(at=at, seat=_own_seat(table, player)),)
    if table.match.seat_of(player) is None:
        raise Refused("not_seated", "You do not sit at this table.")
    if player in table.match.walked_off or table.next_code is not None:  # the next table already counts on who asked
        return ()
    return (WalkedOff(at=at, player=player),)


def add_bot(table: Table, player: PlayerId, command: AddBot, moment: Moment, at: int) -> tuple[Event, ...]:
    """Seat a bot on the first free seat."""
    _only_creator(table, player)
    if command.level not in moment.policy.levels:
        raise Refused("bad_message", f"Levels of bots here: {', '.join(moment.policy.levels)}.", "level")
    seat = _free_seat(table)
    if seat is None:
        raise Refused("seat_taken", "Every seat is taken.")
    return (BotAdded(at=at, seat=seat, level=command.level),)


def unseat(table: Table, player: PlayerId, command: Unseat, at: int) -> tuple[Event, ...]:
    """Clear a seat; a free one stays free."""
    _only_creator(table, player)
    seat = _checked_seat(table, command.seat)
    return () if table.seats[seat] is None else (Stood(at=at, seat=seat),)


def settings(table: Table, player: PlayerId, command: ChangeSettings, moment: Moment, at: int) -> tuple[Event, ...]:
    """Change what the command names."""
    _only_creator(table, player)
    try:
        return (change_settings(table, command, moment.policy, at),)
    except Refused as refused:
        raise Refused("bad_message", refused.message, refused.field) from refused


def close(table: Table, player: PlayerId, at: int) -> tuple[Event, ...]:
    """Close the table."""
    _only_creator(table, player)
    return (Closed(at=at, reason="creator"),)


def start(table: Table, player: PlayerId, command: Start, moment: Moment, at: int) -> tuple[Event, ...]:
    """Fix seats, rules and dice: the seal begins (dice.md, 1)."""
    _only_creator(table, player)
    if command.version is not None and command.version != table.version:
        raise Refused("stale", "Seats or settings have changed since you looked; look again.")
    if table.settings_felt_at is not None and at < table.settings_felt_at + FELT_FOR_MS:
        raise Refused("wrong_phase", "The settings have just changed; the others have a few seconds to see it.")
    seated = [(i, seat) for i, seat in enumerate(table.seats) if seat is not None]
    if len(seated) < LEAST_SEATS or not any(seat.is_human for _, seat in seated):
        raise Refused("wrong_phase", "A match needs two to six occupied seats, one of them a person's.")
    assert moment.fresh is not None
    match, root, _ = moment.fresh
    turns = len(seated) * (table.rules.rounds + (ROLL_OFF_ROUNDS if table.rules.has_roll_off else 0))
    return (_sealed(table, match, KeyChain(bytes.fromhex(match), root, turns).anchor, turns, at),)


def _sealed(table: Table, match: MatchId, anchor: bytes, turns: int, at: int) -> Sealed:
    return Sealed(
        at=at,
        format=FORMAT,
        match=match,
        attempt=table.attempts + 1,
        sheet=table.settings.sheet,
        preset=table.settings.preset,
        options=table.settings.options,
        rated=is_rated(table.settings, table.seats),
        clock=table.settings.clock,
        seats=tuple(_sealed_seat(i, seat) for i, seat in enumerate(table.seats) if seat is not None),
        turns=turns,
        anchor=anchor.hex(),
    )


def _sealed_seat(index: int, seat: Seat) -> SealedSeat:
    if seat.player is not None:
        return SealedSeat(seat=index, kind="human", player=seat.player)
    assert seat.level is not None
    return SealedSeat(seat=index, kind="bot", level=seat.level)


def rematch(table: Table, player: PlayerId, at: int) -> tuple[Event, ...]:
    """Ask for another match; asking twice changes nothing."""
    match = table.match
    if match is None or match.finished is None:
        raise Refused("wrong_phase", "A rematch can be asked for after the end.")
    seat = match.seat_of(player)
    if seat is None:
        raise Refused("not_seated", "Only those who played can ask for a rematch.")
    if player in match.rematch:
        return ()
    return (RematchAsked(at=at, player=player),)


def wanted_for_rematch(match: Match) -> frozenset[PlayerId]:
    """The players a rematch waits for: those who neither resigned nor left the table."""
    stayed = (seat.player for i, seat in match.seats.items() if i not in match.resigned)
    return frozenset(player for player in stayed if player is not None) - match.walked_off


def everybody_asked(match: Match) -> bool:
    """Whether a rematch can open: someone asked, and nobody who stayed has not."""
    return bool(match.rematch) and wanted_for_rematch(match) <= match.rematch


def next_table(table: Table, at: int) -> tuple[TableOpened | Sat | BotAdded, ...]:
    """The first entries of a rematch: the same settings, and the bots and everyone who asked on the seats they had."""
    match = table.match
    assert match is not None
    seats = match.seats.items()
    people = tuple(Sat(at=at, seat=i, player=seat.player) for i, seat in seats if seat.player in match.rematch)
    bots = tuple(BotAdded(at=at, seat=i, level=seat.level) for i, seat in seats if seat.level is not None)
    creator = table.creator if table.creator in match.rematch else people[0].player
    return (TableOpened(at=at, creator=creator, settings=table.settings, bots=()), *people, *bots)


def heir(table: Table, presence: Presence) -> PlayerId | None:
    """Who would get a gone creator's powers: of the connected people seated, the one who has sat longest."""
    seated = [
        (seat.sat_at, i, seat.player)
        for i, seat in enumerate(table.seats)
        if seat is not None and seat.player is not None and seat.player != table.creator and is_connected(presence, seat.player)
    ]
    return min(seated)[2] if seated else None


def pass_creator(table: Table, presence: Presence, at: int) -> tuple[Event, ...]:
    """Hand the creator's powers over, if there is someone to take them."""
    player = heir(table, presence)
    return () if player is None else (CreatorPassed(at=at, player=player),)


def is_connected(presence: Presence, player: PlayerId) -> bool:
    """Whether the player has a connection to the table now."""
    known = presence.players.get(player)
    return known is not None and known.is_connected


def _only_waiting(table: Table) -> None:
    if table.phase != "waiting":
        raise Refused("wrong_phase", "That can be done before a match, not now.")


def _only_creator(table: Table, player: PlayerId) -> None:
    if player != table.creator:
        raise Refused("not_creator", "Only the creator of the table can do that.")
    _only_waiting(table)


def _own_seat(table: Table, player: PlayerId) -> int:
    seat = table.seat_of(player)
    if seat is None:
        raise Refused("not_seated", "You do not sit at this table.")
    return seat


def _free_seat(table: Table) -> int | None:
    return next((i for i, seat in enumerate(table.seats) if seat is None), None)


def _checked_seat(table: Table, seat: int) -> int:
    if not 0 <= seat < len(table.seats):
        raise Refused("bad_message", f"Seats here are 0 to {len(table.seats) - 1}.", "seat")
    return seat
