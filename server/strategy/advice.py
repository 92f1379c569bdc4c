"""From a solved turn to advice: the best things to do with five dice, best first, each with its reason.

A reason is a key of a closed vocabulary, ``Why``; the sentences stand in the texts of each language. The same question always
gets the same answer: values are rounded before they are compared, and level ones stand in a fixed order (writes before rolls,
writes in sheet order, rolls by the positions kept).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args

from server.match.ending import ROLL_OFF
from server.match.state import ROLLS
from server.rules import legal, total
from server.rules.model import Hand
from server.rules.scorers import DICE
from server.strategy.hands import KEEP_NUMBER, MASKS, hand_number, held_positions
from server.strategy.heuristic import heuristic_turn
from server.strategy.lookahead import Turn, roll_off_turn
from server.tables.ports import Advice, Question

Why = Literal["scores", "crosses_off", "fresh_dice", "keeps_alike", "keeps_pairs", "keeps_run", "keeps_high", "keeps_some"]
"""Why a piece of advice is given.

``scores``: the write pays. ``crosses_off``: it pays nothing. ``fresh_dice``: all five are thrown. ``keeps_alike``: two or more
dice of one face stay, nothing else. ``keeps_pairs``: two pairs stay. ``keeps_run``: three or more different faces stay, all
within five in a row. ``keeps_high``: no thrown die is higher than one that stays. ``keeps_some``: any other dice stay. In a
roll-off only ``scores``, ``fresh_dice``, ``keeps_high`` and ``keeps_some`` are said.
"""
WHYS: tuple[Why, ...] = get_args(Why)
_Reason = Callable[[Hand, Hand], Why]
"""Why these faces stay (ascending, not empty) and those are thrown (ascending, not empty)."""

MOST_ADVICE = 3
WORST_LOSS = 25.0
"""Points: what gives away more than this is no alternative, and is not named."""
_DIGITS = 6
_RUN_FROM, _RUN_WITHIN = 3, 5


def advice(question: Question) -> list[Advice]:
    """The best things to do, best first, one to three; ``value`` is the final total expected then.

    Raises ``ValueError`` for a full paper, and where dice and rolls used do not belong together.
    """
    turn = heuristic_turn(question.rules, question.sheet)
    so_far = total(question.rules, question.sheet)
    dice, rolls_used = question.dice, question.rolls_used
    if not _has_rolled(dice, rolls_used):
        return _first_roll(so_far + turn.expected)
    paid = {key: sum(write) for key, write in legal(question.rules, question.sheet, dice, rolls_used).items()}
    return _best(_writes(turn, dice, rolls_used, paid, so_far) + _rolls(turn, dice, rolls_used, so_far, _pattern))


def roll_off_advice(dice: Sequence[int], rolls_used: int) -> list[Advice]:
    """The same for a turn of a roll-off; ``value`` is the expected sum of the five dice. Raises ``ValueError`` likewise."""
    turn = roll_off_turn()
    if not _has_rolled(dice, rolls_used):
        return _first_roll(turn.expected)
    return _best(_writes(turn, dice, rolls_used, {ROLL_OFF: sum(dice)}, 0) + _rolls(turn, dice, rolls_used, 0, _height))


def _has_rolled(dice: Sequence[int], rolls_used: int) -> bool:
    """Whether the turn has dice; ``ValueError`` where the two do not belong together."""
    if len(dice) != (DICE if rolls_used else 0) or not 0 <= rolls_used <= ROLLS:
        raise ValueError(f"no turn shows {len(dice)} dice after {rolls_used} rolls")
    return bool(dice)


def _first_roll(value: float) -> list[Advice]:
    return [Advice(action="roll", value=round(value, _DIGITS), why="fresh_dice")]


def _writes(turn: Turn, dice: Sequence[int], rolls_used: int, paid: Mapping[str, int], so_far: int) -> list[Advice]:
    """Every legal write (the keys of ``paid``), in sheet order."""
    worth = dict(zip(turn.boxes, turn.writes(hand_number(dice), rolls_used).tolist(), strict=True))
    return [
        Advice(action="score", box=key, value=round(so_far + worth[key], _DIGITS), why="scores" if points else "crosses_off")
        for key, points in paid.items()
    ]


def _rolls(turn: Turn, dice: Sequence[int], rolls_used: int, so_far: int, reason: _Reason) -> list[Advice]:
    """Every different keep of these dice, at the first positions that show it; none after the last roll."""
    if rolls_used == ROLLS:
        return []
    worth = turn.keeps(rolls_used)
    found: dict[Hand, Advice] = {}
    for held in map(held_positions, range(MASKS)):
        keep = tuple(sorted(dice[position] for position in held))
        if keep not in found:
            thrown = tuple(sorted(die for position, die in enumerate(dice) if position not in held))
            why = reason(keep, thrown) if keep else "fresh_dice"
            value = round(so_far + float(worth[KEEP_NUMBER[keep]]), _DIGITS)
            found[keep] = Advice(action="roll", held=held, value=value, why=why)
    return list(found.values())


def _best(found: list[Advice]) -> list[Advice]:
    """The best of them, best first; level ones stay in the order they came in."""
    best = sorted(found, key=lambda one: -one.value)[:MOST_ADVICE]
    return [one for one in best if one.value >= best[0].value - WORST_LOSS]


def _pattern(keep: Hand, thrown: Hand) -> Why:
    counts = [keep.count(face) for face in set(keep)]
    if counts == [2, 2]:
        return "keeps_pairs"
    if len(counts) == 1 and len(keep) > 1:
        return "keeps_alike"
    if len(counts) == len(keep) >= _RUN_FROM and keep[-1] - keep[0] < _RUN_WITHIN:
        return "keeps_run"
    return _height(keep, thrown)


def _height(keep: Hand, thrown: Hand) -> Why:
    return "keeps_high" if keep[0] >= thrown[-1] else "keeps_some"
