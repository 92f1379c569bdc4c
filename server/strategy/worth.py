"""What the open boxes of a paper are worth for later turns: a number for each, what a turn played for it alone earns.

That leaves out that a turn may choose among boxes; it is the heuristic (docs/adr/0003). Two things on the paper matter. A box
may pay by what another one holds (``doble`` in Generala, anything once ``yahtzee`` is filled): it has a number for either
case, and their mean while the other box is open. And an upper bonus to come counts with the chance to get it, as if every open
number box would collect about as many dice of its face as such boxes do, give or take one.
"""

from collections.abc import Mapping
from functools import lru_cache
from math import erf, log, sqrt
from typing import NamedTuple

from server.rules import Rules, SheetState, greatest
from server.rules.model import KeyedColumn
from server.strategy.lookahead import look_ahead
from server.strategy.payments import payments

_KEPT_RULES = 64
_DICE_ALONE = 2.1
"""How many dice of its face a number box collects when nothing else is open: 5 times 91/216."""
_DICE_BY_CHOICE = 1 / 3
"""How many more where there is a choice, times the logarithm of the open boxes: over 700 games of Yahtzee the boxes still open
collected 2.1 dice with one open, 2.3 with two, 2.5 with three, 2.8 with eight, 2.9 with thirteen."""


class Worth(NamedTuple):
    """A box's number when the box it depends on was crossed off, and when that was made; one number if there is no such box."""

    crossed_off: float
    made: float

    @property
    def undecided(self) -> float:
        """Its number while the box it depends on is open."""
        return (self.crossed_off + self.made) / 2


@lru_cache(maxsize=_KEPT_RULES)
def worths(rules: Rules) -> dict[str, Worth]:
    """The numbers of every box, column factor applied. Takes a second at most, so it is kept per rules. Do not change it."""
    most = {key: greatest(rules, key) for key in rules.box_keys}
    nothing = dict.fromkeys(rules.box_keys, 0)
    return {key: Worth(_alone(rules, nothing, key), _alone(rules, most, key)) for key in rules.box_keys}


def still_to_come(rules: Rules, column: KeyedColumn, filled: Mapping[str, int]) -> float:
    """What a column with these boxes filled is worth for later turns, column factor applied."""
    numbers = worths(rules)
    depends = dict(column.needs)
    to_come = _bonus_to_come(rules, column, filled)
    for key in column.keys:
        if key not in filled:
            points = filled.get(depends.get(key, column.repeat))
            to_come += numbers[key].undecided if points is None else numbers[key].made if points else numbers[key].crossed_off
    return to_come


def _bonus_to_come(rules: Rules, column: KeyedColumn, filled: Mapping[str, int]) -> float:
    bonus = rules.layout.upper_bonus
    if bonus is None:
        return 0.0
    has = sum(filled.get(key, 0) for key in column.upper)
    to_fill = [face for face, key in column.faces.items() if key not in filled]
    if has >= bonus.at or not to_fill:
        return 0.0
    open_now = sum(key not in filled for key in column.keys)
    usual = (_DICE_ALONE + _DICE_BY_CHOICE * log(open_now)) * sum(to_fill)
    spread = sqrt(sum(face * face for face in to_fill))
    # Half a point down: a sum is a whole number, and reaching the mark is enough.
    chance = (1 + erf((has + usual - bonus.at + 0.5) / spread / sqrt(2))) / 2
    return column.factor * bonus.points * chance


def _alone(rules: Rules, filled: Mapping[str, int], key: str) -> float:
    """What a turn earns when only ``key`` is open and the other boxes hold what ``filled`` says."""
    state = SheetState({other: points for other, points in filled.items() if other != key})
    boxes, served, later = payments(rules, state)
    turn = look_ahead(boxes, served.points + served.bonus, later.points + later.bonus)
    return rules.column_of[key].factor * turn.expected
