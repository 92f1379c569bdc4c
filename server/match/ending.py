"""How a match ends: totals, places, and the roll-off of those level at the top (rules.md)."""

from collections.abc import Sequence

from server.match.events import FinishReason
from server.match.state import Match, Table
from server.rules import total

ROLL_OFF = "roll_off"
ROLL_OFF_ROUNDS = 10


def totals(table: Table, match: Match) -> dict[int, int]:
    """Every seat's total now. A roll-off never counts in it."""
    return {seat: total(table.rules, sheet) for seat, sheet in match.sheets.items()}


def scheduled_turns(table: Table, match: Match) -> int:
    """The turns before any roll-off: seats times boxes."""
    return len(match.seats) * table.rules.rounds


def next_seat(table: Table, match: Match, played: int) -> int | None:
    """Whose turn follows after ``played`` turns; None when the match is over."""
    if played < scheduled_turns(table, match):
        return match.order[played % len(match.order)]
    return roll_off_seat(table, match) if table.rules.has_roll_off else None


def roll_off_seat(table: Table, match: Match) -> int | None:
    """Who rolls next in the roll-off; None when nobody is level any more, or after the last round."""
    sums = totals(table, match)
    level = _best(match.staying, sums)
    for done in range(ROLL_OFF_ROUNDS):
        if len(level) < 2:
            return None
        for seat in match.order:
            if seat in level and len(_rolled(match, seat)) == done:
                return seat
        level = _best(level, {seat: _rolled(match, seat)[done] for seat in level})
    return None


def _best(seats: Sequence[int], points: dict[int, int]) -> tuple[int, ...]:
    top = max((points[seat] for seat in seats), default=0)
    return tuple(seat for seat in seats if points[seat] == top)


def _rolled(match: Match, seat: int) -> tuple[int, ...]:
    return match.roll_offs.get(seat, ())


def places(table: Table, match: Match, winner: int | None = None) -> dict[int, int]:
    """1 + the number of seats ahead, for every seat.

    Ahead: the served ``winner``; then those that stayed, by total and then by the roll-off round that separated them; then
    those that resigned, the later ahead.
    """
    sums = totals(table, match)

    def rank(seat: int) -> tuple[bool, int, int, tuple[int, ...]]:
        if seat in match.resigned:
            return (False, match.resigned.index(seat) - len(match.seats), 0, ())
        return (seat == winner, 0, sums[seat], _rolled(match, seat))

    ranks = {seat: rank(seat) for seat in match.seats}
    return {seat: 1 + sum(other > own for other in ranks.values()) for seat, own in ranks.items()}


def reason_of_end(match: Match) -> FinishReason:
    """``void`` when a play-out ended a match in which no person ever wrote a box by hand."""
    return "void" if match.play_out_at is not None and not match.is_by_hand else "full"
