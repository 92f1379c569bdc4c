"""The heuristic: one turn looked ahead exactly, the paper after it at a few fixed numbers.

A write is worth what it pays now (the rules say it), column factor applied, plus what ``server.strategy.worth`` makes of the
paper after it. Averages, and what will replace this: docs/adr/0003.
"""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from server.rules import Rules, SheetState
from server.strategy.hands import Floats
from server.strategy.lookahead import Turn, look_ahead
from server.strategy.payments import Paid, payments
from server.strategy.worth import still_to_come

_KEPT_TURNS = 128
"""Solved turns kept for the next decision on the same paper: 50 KB each on one column, 160 KB on three."""


def heuristic_turn(rules: Rules, state: SheetState) -> Turn:
    """The next turn on this paper, in points still to come. Raises ``ValueError`` if the paper is full."""
    return _turn(rules, tuple(sorted(state.boxes.items())), tuple(sorted(state.bonus.items())))


@lru_cache(maxsize=_KEPT_TURNS)
def _turn(rules: Rules, filled: tuple[tuple[str, int], ...], bonus: tuple[tuple[str, int], ...]) -> Turn:
    state = SheetState(dict(filled), dict(bonus))
    boxes, *paid = payments(rules, state)
    if not boxes:
        raise ValueError("a full paper has no next turn")
    paper = {column.id: still_to_come(rules, column, state.boxes) for column in rules.columns}
    served, later = (_worth_of_writes(rules, state, boxes, paper, table) for table in paid)
    turn = look_ahead(boxes, served, later)
    return turn.raised(_later_choice(turn.expected - sum(paper.values()), rules.rounds - len(filled)))


def _worth_of_writes(rules: Rules, state: SheetState, boxes: tuple[str, ...], paper: Mapping[str, float], paid: Paid) -> Floats:
    """Hand by box: points still to come if that is written; ``paper`` is what each column is worth now."""
    factors = np.array([rules.column_of[key].factor for key in boxes])
    worth: Floats = factors * (paid.points + paid.bonus) + sum(paper.values())
    for place, key in enumerate(boxes):
        worth[:, place] += _after(rules, state.boxes, key, paid.points[:, place]) - paper[rules.column_of[key].id]
    return worth


def _later_choice(gain: float, open_now: int) -> float:
    """What later turns will gain by having a choice of boxes, given what this one gains by it.

    A box's number is what it earns without any choice, so this is missing from every value, by the same amount. Measured, the
    gain shrinks in proportion to the boxes still open; the last box leaves no choice.
    """
    return gain * (open_now - 1) / 2 if open_now > 2 else 0.0


def _after(rules: Rules, filled: Mapping[str, int], key: str, points: Floats) -> Floats:
    """By hand: what the column is worth for later turns once ``key`` holds those points; 0 where that is not legal."""
    column = rules.column_of[key]
    values, place = np.unique(points, return_inverse=True)
    worth = [still_to_come(rules, column, {**filled, key: int(value)}) if np.isfinite(value) else 0.0 for value in values]
    by_hand: Floats = np.array(worth)[place]
    return by_hand
