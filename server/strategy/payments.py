"""What every hand would be paid in every box: the answers of ``legal`` as tables. Nothing is scored here."""

from typing import NamedTuple

import numpy as np

from server.rules import Rules, SheetState, Write, legal
from server.rules.scorers import HANDS
from server.strategy.hands import Floats

_SERVED_ROLL = 1
_LATER_ROLL = 2
"""Any roll after the first: what a hand pays is the same on all of them."""
_ILLEGAL = (-np.inf, 0)


class Paid(NamedTuple):
    """Hand by box (252 x boxes): ``points`` into the box, minus infinity where it is not legal, and ``bonus`` beside it."""

    points: Floats
    bonus: Floats


class Payments(NamedTuple):
    """What hands pay on a turn's first roll and on a later one, column factors not applied.

    ``boxes``: those that some hand may write now, in sheet order; of an ordered column that is the next one alone.
    """

    boxes: tuple[str, ...]
    served: Paid
    later: Paid


def payments(rules: Rules, state: SheetState) -> Payments:
    """What all hands pay on this paper; without boxes if it is full."""
    served, later = ([legal(rules, state, hand, rolls) for hand in HANDS] for rolls in (_SERVED_ROLL, _LATER_ROLL))
    found = set().union(*served, *later)
    boxes = tuple(key for key in rules.box_keys if key in found)
    return Payments(boxes, _table(boxes, served), _table(boxes, later))


def _table(boxes: tuple[str, ...], answers: list[dict[str, Write]]) -> Paid:
    flat: list[float] = []
    for writes in answers:
        for key in boxes:
            flat += writes.get(key, _ILLEGAL)
    # One flat list: numpy takes several times as long over nested ones.
    table = np.array(flat, dtype=np.float64).reshape(len(HANDS), len(boxes), 2)
    return Paid(table[..., 0], table[..., 1])
