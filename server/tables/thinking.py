"""Bots and hints: what a seat on turn sees is put to the advisor, off the loop; its best advice becomes a move or a hint."""

import asyncio
from collections.abc import Sequence

import structlog

from server.errors import Refused
from server.match.commands import BotMove
from server.match.ending import ROLL_OFF
from server.match.events import PlayerId
from server.match.play import is_roll_off, turn_of
from server.match.state import Match, Table, Turn
from server.protocol.outgoing import BestAction, Hints
from server.rules import best_write
from server.tables.ports import Advice, Advisor, Question

HINT_LEVEL = "medium"
HINTS = 3
TIME_BUDGET_S = 2.0

log = structlog.get_logger(__name__)


async def bot_thinks(table: Table, advisor: Advisor) -> tuple[BotMove, BotMove]:
    """The move of the bot on turn, and the one that the rules cannot refuse, which it also makes when the advisor fails."""
    match, turn = _bot_on_turn(table)
    otherwise = plain_move(table, match, turn)
    if not turn.roll:
        return otherwise, otherwise
    level = match.seats[turn.seat].level
    assert level is not None
    try:
        advice = (await asyncio.wait_for(ask(table, match, turn, level, advisor), TIME_BUDGET_S))[0]
    except Exception:
        log.exception("advisor_failed", level=level)
        return otherwise, otherwise
    move = BotMove(seat=turn.seat, expect=match.last_play_n, held=advice.held, box=advice.box)
    return move, otherwise


def plain_move(table: Table, match: Match, turn: Turn) -> BotMove:
    """What always goes: the first roll, else the box that a time-out would write."""
    if not turn.roll:
        return BotMove(seat=turn.seat, expect=match.last_play_n)
    box = ROLL_OFF if is_roll_off(table, match) else best_write(table.rules, match.sheets[turn.seat], turn.dice, turn.roll)
    return BotMove(seat=turn.seat, expect=match.last_play_n, box=box)


async def ask(table: Table, match: Match, turn: Turn, level: str, advisor: Advisor) -> Sequence[Advice]:
    """The advisor's word on the turn under way; it sees the seat's own sheet and dice, and no key."""
    if is_roll_off(table, match):
        return await advisor.advise_sum(level, turn.dice, turn.roll)
    return await advisor.advise(level, Question(table.rules, match.sheets[turn.seat], turn.dice, turn.roll))


def may_have_hint(table: Table, player: PlayerId | None) -> tuple[Match, Turn]:
    """The turn a hint is asked for. Refused at any table with a second human, off turn, and to watchers."""
    seat = table.seat_of(player)
    if player is None or seat is None:
        raise Refused("not_seated", "You do not sit at this table.")
    people = table.seats if table.match is None else table.match.seats.values()
    if sum(seated is not None and seated.is_human for seated in people) > 1:
        raise Refused("no_hints", "There are no hints at a table with two people.")
    return turn_of(table, player)


async def hints_for(table: Table, match: Match, turn: Turn, advisor: Advisor) -> Hints:
    """The best things to do. Raises ``Refused`` when that takes too long or fails."""
    try:
        advice = await asyncio.wait_for(ask(table, match, turn, HINT_LEVEL, advisor), TIME_BUDGET_S)
    except Exception as error:
        log.exception("advisor_failed", level=HINT_LEVEL)
        raise Refused("unavailable", "That could not be worked out in time; ask again.") from error
    return Hints(best=[_best_action(one) for one in advice[:HINTS]])


def _best_action(advice: Advice) -> BestAction:
    held = advice.held if advice.action == "roll" else None
    return BestAction(action=advice.action, value=round(advice.value, 2), why=advice.why, held=held, box=advice.box)


def _bot_on_turn(table: Table) -> tuple[Match, Turn]:
    match = table.match
    assert match is not None
    assert match.turn is not None
    return match, match.turn
