"""One turn, looked ahead exactly: what every hand, every keep and the turn itself are worth when played for the best.

The caller says what each write is worth to it; this module knows the dice only. A turn is solved backwards: after the third
roll a hand is worth its best write; a keep is worth the average over the hands it can become; after an earlier roll a hand is
worth the better of its best write and its best keep. A write on the first roll may be worth something else (served), so there
are two tables of writes.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from server.match.ending import ROLL_OFF
from server.rules.scorers import HANDS
from server.strategy.hands import Floats, first_roll, keeps_of_hands, transition


@dataclass(frozen=True, eq=False)
class Turn:
    """A turn that may write any of ``boxes``.

    ``served`` and ``later``: hand by box (252 x boxes), what a write is worth on the first roll and on a later one, minus
    infinity where it is not legal. ``after_one`` and ``after_two``: what each keep (210) is worth when one roll, two rolls are
    used. ``expected``: what the turn is worth before its first roll.
    """

    boxes: tuple[str, ...]
    served: Floats
    later: Floats
    after_one: Floats
    after_two: Floats
    expected: float

    def writes(self, hand: int, rolls_used: int) -> Floats:
        """What writing each of ``boxes`` with that hand is worth now."""
        table = self.served if rolls_used == 1 else self.later
        row: Floats = table[hand]
        return row

    def keeps(self, rolls_used: int) -> Floats:
        """What each keep is worth with so many rolls used: 1 or 2, there is no roll after the third."""
        return self.after_one if rolls_used == 1 else self.after_two

    def raised(self, points: float) -> "Turn":
        """The same turn with everything in it worth so much more."""
        return Turn(
            self.boxes,
            self.served + points,
            self.later + points,
            self.after_one + points,
            self.after_two + points,
            self.expected + points,
        )


def look_ahead(boxes: tuple[str, ...], served: Floats, later: Floats) -> Turn:
    """Solve the turn whose writes are worth that much; every hand needs one legal write."""
    keeps = keeps_of_hands()
    best_later = later.max(axis=1)
    after_two = transition() @ best_later
    second = np.maximum(best_later, after_two[keeps].max(axis=1))
    after_one = transition() @ second
    first = np.maximum(served.max(axis=1), after_one[keeps].max(axis=1))
    return Turn(boxes, served, later, after_one, after_two, float(first_roll() @ first))


@cache
def roll_off_turn() -> Turn:
    """The turn of a roll-off, where only the sum of the dice counts."""
    sums = np.array([[float(sum(hand))] for hand in HANDS])
    return look_ahead((ROLL_OFF,), sums, sums)
