"""What a table looks like to people: the shapes that the protocol sends. Only public values, and no key in reach."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from server.fairness.transcript import short
from server.match.ending import totals
from server.match.events import Code, PlayerId, SeatKey
from server.match.lobby import is_connected
from server.match.play import choices
from server.match.settings import is_rated
from server.match.state import Match, Phase, Seat, Table
from server.match.world import Presence
from server.rules import bonus_total


class TurnView(Struct, frozen=True, gc=False):
    """The turn under way. ``boxes``: what each legal box would pay, without bonus or factor; absent before the first roll."""

    turn: int
    seat: int
    roll: int
    dice: tuple[int, ...]
    held: tuple[int, ...]
    deadline: int | None
    boxes: dict[str, int] | UnsetType = UNSET


class SeatView(Struct, frozen=True, gc=False):
    """A seat, free ones too. ``name`` is a person's; a bot has its ``level``."""

    seat: int
    kind: Literal["human", "bot", "free"]
    player: PlayerId | None = None
    name: str | None = None
    level: str | UnsetType = UNSET
    connected: bool = False
    away: bool = False
    left: bool = False


class TableView(Struct, frozen=True, kw_only=True):
    """All that is needed to draw the table, to finish a seal after a reload, and to verify from here on."""

    code: Code
    version: int
    creator: PlayerId
    sheet: str
    options: dict[str, Any]
    preset: str
    clock: int
    rated: bool
    visibility: Literal["public", "private"]
    seats: tuple[SeatView, ...]
    phase: Phase
    match: str | UnsetType = UNSET
    anchor: str | UnsetType = UNSET
    attempt: int | UnsetType = UNSET
    commitments: dict[SeatKey, str] | UnsetType = UNSET
    entropy: str | UnsetType = UNSET
    order: tuple[int, ...] | UnsetType = UNSET
    scores: dict[SeatKey, dict[str, int]]
    bonus: dict[SeatKey, int]
    totals: dict[SeatKey, int]
    places: dict[SeatKey, int] | UnsetType = UNSET
    turn: TurnView | UnsetType = UNSET
    rematch: tuple[int, ...] | UnsetType = UNSET
    """The seats that asked for a rematch, after the end."""


def turn_view(table: Table, held: tuple[int, ...] | None = None) -> TurnView | None:
    """The turn under way; ``held`` are positions held since its last roll and not yet rolled with."""
    match = table.match
    if match is None or match.turn is None:
        return None
    turn = match.turn
    boxes = {box: pays.points for box, pays in choices(table, match).items()}
    return TurnView(
        turn=turn.number,
        seat=turn.seat,
        roll=turn.roll,
        dice=turn.dice,
        held=turn.held if held is None else held,
        deadline=turn.deadline,
        boxes=boxes if turn.roll else UNSET,
    )


def totals_view(table: Table) -> dict[SeatKey, int]:
    """Every seat's total now, by seat number; empty before a match."""
    return {} if table.match is None else {str(seat): points for seat, points in totals(table, table.match).items()}


def away_seats(table: Table) -> frozenset[int]:
    """The seats that are played automatically for now because their owner does not play."""
    match = table.match
    return frozenset() if match is None else frozenset(seat for seat in match.seats if match.is_away(seat))


def table_view(
    table: Table, code: Code, presence: Presence, names: dict[PlayerId, str], held: tuple[int, ...] | None = None
) -> TableView:
    """The whole table as anyone may see it."""
    match = table.match
    turn = turn_view(table, held)
    return TableView(
        code=code,
        version=table.version,
        creator=table.creator,
        sheet=table.settings.sheet,
        options=table.settings.options,
        preset=table.settings.preset,
        clock=table.settings.clock,
        rated=is_rated(table.settings, table.seats) if match is None else match.sealed.rated,
        visibility=table.settings.visibility,
        seats=tuple(_seat_view(i, seat, match, presence, names) for i, seat in enumerate(table.seats)),
        phase=table.phase,
        scores={} if match is None else {str(seat): sheet.boxes for seat, sheet in match.sheets.items()},
        bonus={} if match is None else {str(seat): bonus_total(table.rules, sheet) for seat, sheet in match.sheets.items()},
        totals=totals_view(table),
        turn=UNSET if turn is None else turn,
        **({} if match is None else _match_fields(match)),
    )


def _match_fields(match: Match) -> dict[str, Any]:
    fields: dict[str, Any] = {"match": match.sealed.match, "anchor": match.sealed.anchor, "attempt": match.sealed.attempt}
    if match.committed_at is not None:
        fields["commitments"] = {str(seat): value for seat, value in match.commitments.items()}
    if match.order:
        fields |= {"entropy": match.entropy.hex(), "order": match.order}
    if match.finished is not None:
        fields["places"] = match.finished.places
        fields["rematch"] = tuple(i for i, seat in match.seats.items() if seat.player in match.rematch)
    return fields


def _seat_view(index: int, seat: Seat | None, match: Match | None, presence: Presence, names: dict[PlayerId, str]) -> SeatView:
    if seat is None:
        return SeatView(seat=index, kind="free")
    left = match is not None and index in match.resigned
    if seat.player is None:
        return SeatView(seat=index, kind="bot", level=seat.level or UNSET, connected=True, left=left)
    return SeatView(
        seat=index,
        kind="human",
        player=seat.player,
        name=names.get(seat.player),
        connected=is_connected(presence, seat.player),
        away=match is not None and match.is_away(index),
        left=left,
    )


def wire_head(table: Table) -> tuple[int | None, str | None]:
    """``n`` and ``h`` as the protocol sends them; both None before a seal."""
    return (None, None) if table.match is None else (table.match.n, short(table.match.head))
