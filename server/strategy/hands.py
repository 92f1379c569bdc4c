"""Five dice as numbers: every hand, every keep, and the chances that lead from one to the other.

A *hand* is five faces in ascending order; there are 252, numbered as the rules list them. A *keep* is what stays on the table
when at least one die is thrown again: up to four faces in ascending order, 210 in all (keeping all five is not a roll). Which
box a hand fits, and for how much, is not known here.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from server.rules.model import Hand
from server.rules.scorers import DICE, FACES, HANDS

MASKS = 2**DICE - 1
"""Position masks that leave at least one die to throw: 0 … MASKS - 1; bit i set means position i is kept."""

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

HAND_NUMBER: dict[Hand, int] = {hand: number for number, hand in enumerate(HANDS)}
KEEPS: tuple[Hand, ...] = tuple(keep for size in range(DICE) for keep in combinations_with_replacement(FACES, size))
KEEP_NUMBER: dict[Hand, int] = {keep: number for number, keep in enumerate(KEEPS)}
EMPTY_KEEP = KEEP_NUMBER[()]


def hand_number(dice: Sequence[int]) -> int:
    """The number of the hand that five dice show, in whatever order they lie. Raises ``KeyError`` for anything else."""
    return HAND_NUMBER[tuple(sorted(dice))]


def held_positions(mask: int) -> tuple[int, ...]:
    """The positions that a mask keeps, ascending."""
    return tuple(position for position in range(DICE) if mask >> position & 1)


@cache
def throw_chances(dice: int) -> dict[Hand, float]:
    """The chance of each ascending outcome of throwing so many dice; the chances add up to 1."""
    ways = factorial(dice)
    return {
        throw: ways / prod(factorial(throw.count(face)) for face in FACES) / len(FACES) ** dice
        for throw in combinations_with_replacement(FACES, dice)
    }


@cache
def transition() -> Floats:
    """Keep by hand (210 x 252): the chance that throwing the other dice makes that hand of that keep. Do not write to it."""
    chances = np.zeros((len(KEEPS), len(HANDS)))
    for row, keep in enumerate(KEEPS):
        for throw, chance in throw_chances(DICE - len(keep)).items():
            chances[row, hand_number(keep + throw)] += chance
    chances.setflags(write=False)
    return chances


@cache
def keeps_of_hands() -> Ints:
    """Hand by mask (252 x 31): the number of the keep that the mask leaves of the ascending hand. Do not write to it."""
    keeps = [[KEEP_NUMBER[tuple(hand[place] for place in held_positions(mask))] for mask in range(MASKS)] for hand in HANDS]
    table = np.array(keeps, dtype=np.intp)
    table.setflags(write=False)
    return table


def first_roll() -> Floats:
    """The chance of each hand (252) when all five dice are thrown."""
    chances: Floats = transition()[EMPTY_KEEP]
    return chances
