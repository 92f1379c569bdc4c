"""Deadlines: how long a seat may take, and what an outage gives back (protocol.md, "Clock" and "Away").

A turn's deadline follows from the log alone, so that a verifier comes to the same one.
"""

from msgspec.structs import replace

from server.match.events import ClockGiven
from server.match.state import Match, Turn
from server.match.world import Outage

SECOND_MS = 1_000
AWAY_TURN_MS = 3 * SECOND_MS
RESIGNED_TURN_MS = SECOND_MS
LEAST_AFTER_OUTAGE_MS = 10 * SECOND_MS
SEAL_STEP_MS = 10 * SECOND_MS
LATENESS_MS = 200
"""A command that came in time may still be decided this long after its deadline; then the automatic play has its turn."""


def deadline_of(match: Match, seat: int, start: int) -> int | None:
    """When a turn of ``seat`` that starts at ``start`` runs out; None without a clock."""
    if match.play_out_at is not None:
        return match.play_out_at
    if seat in match.resigned:
        return start + RESIGNED_TURN_MS
    clock_ms = match.sealed.clock * SECOND_MS
    if match.is_away(seat):
        return start + min(AWAY_TURN_MS, clock_ms or AWAY_TURN_MS)
    return start + clock_ms if clock_ms else None


def everybody_is_gone(match: Match) -> bool:
    """Whether every human seat is away or has resigned: the rest is played out at once."""
    return all(seat in match.resigned or match.is_away(seat) for seat in match.humans)


def resigned_deadline(turn: Turn, at: int) -> int:
    """The deadline of a running turn whose seat resigns at ``at``."""
    soon = at + RESIGNED_TURN_MS
    return soon if turn.deadline is None else min(turn.deadline, soon)


def owed(match: Match, outages: tuple[Outage, ...], at: int) -> tuple[ClockGiven, ...]:
    """The ``clock`` events that the turn under way still has to be given, oldest outage first."""
    turn = match.turn
    if turn is None or turn.deadline is None or match.play_out_at is not None:
        return ()
    if not match.seats[turn.seat].is_human or turn.seat in match.resigned:
        return ()
    given: list[ClockGiven] = []
    for outage in outages:
        if outage.to_ms > max(turn.start, turn.given_to):
            lost = Outage(max(outage.from_ms, turn.given_to), outage.to_ms)  # no moment is given back twice
            turn = replace(turn, deadline=_moved(turn, lost), given_to=lost.to_ms)
            given.append(_clock_given(turn, lost, at))
    return tuple(given)


def _moved(turn: Turn, outage: Outage) -> int:
    assert turn.deadline is not None
    lost = outage.to_ms - max(outage.from_ms, turn.start)
    return max(turn.deadline + lost, outage.to_ms + LEAST_AFTER_OUTAGE_MS)


def _clock_given(turn: Turn, outage: Outage, at: int) -> ClockGiven:
    assert turn.deadline is not None
    return ClockGiven(
        at=at,
        turn=turn.number,
        seat=turn.seat,
        from_ms=outage.from_ms,
        to_ms=outage.to_ms,
        deadline=turn.deadline,
        reason="outage",
    )


def seal_deadline(match: Match, outages: tuple[Outage, ...]) -> int:
    """When the step of the seal under way runs out; an outage starts its ten seconds again."""
    begun = match.sealed.at if match.committed_at is None else match.committed_at
    return max([begun, *(outage.to_ms for outage in outages)]) + SEAL_STEP_MS
