"""The scorers' vocabulary: whether a hand fits a box, and what the box pays for it.

Only the hand decides here. What the rest of the paper changes (order, needs, bonuses, jokers) is for ``server.rules.scoring``.
"""

from itertools import combinations_with_replacement
from typing import assert_never

from server.rules.model import AllSum, Box, FaceSum, Full, Hand, NAlikeAllSum, NAlikeFixed, NAlikeSum, Pairs, Run, Scorer

FACES = (1, 2, 3, 4, 5, 6)
DICE = 5
HANDS: tuple[Hand, ...] = tuple(combinations_with_replacement(FACES, DICE))
"""All 252 hands, in lexical order."""


def fits(scorer: Scorer, hand: Hand) -> bool:
    """Whether the hand shows the scorer's pattern."""
    match scorer:
        case FaceSum() | AllSum():
            return True
        case NAlikeSum(n) | NAlikeAllSum(n) | NAlikeFixed(n):
            return bool(_faces(hand, n))
        case Full():
            return sorted(map(hand.count, set(hand))) == [2, 3]
        case Run(runs):
            return any(set(run) <= set(hand) for run in runs)
        case Pairs(n):
            return len(_faces(hand, 2)) >= n
        case _:
            assert_never(scorer)


def amount(scorer: Scorer, hand: Hand) -> int:
    """What the scorer pays for a hand that fits, or that counts as if it did (a joker)."""
    match scorer:
        case FaceSum(face):
            return face * hand.count(face)
        case NAlikeSum(n):
            return n * _faces(hand, n)[-1]
        case Pairs(n):
            return 2 * sum(_faces(hand, 2)[-n:])
        case NAlikeFixed(points=points) | Run(points=points) | Full(points=int(points)):
            return points
        case AllSum() | NAlikeAllSum() | Full():
            return sum(hand)
        case _:
            assert_never(scorer)


def box_points(box: Box, hand: Hand, is_served: bool) -> int:
    """What the box pays for the hand, with what it needs taken as given; 0 if the hand does not fit."""
    if not fits(box.scorer, hand):
        return 0
    return box.served if is_served and box.served is not None else amount(box.scorer, hand)


def _faces(hand: Hand, n: int) -> list[int]:
    """The faces that at least ``n`` dice show, ascending."""
    return [face for face in FACES if hand.count(face) >= n]
