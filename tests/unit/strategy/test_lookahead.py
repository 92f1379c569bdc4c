"""The turn solved backwards, against enumeration and against figures known from elsewhere."""

from itertools import product

import numpy as np
import pytest

from server.rules.scorers import FACES, HANDS
from server.strategy.hands import KEEP_NUMBER, KEEPS, MASKS, Floats, hand_number, held_positions, keeps_of_hands
from server.strategy.lookahead import look_ahead, roll_off_turn


def column(values: list[float]) -> Floats:
    return np.array(values, dtype=np.float64)[:, None]


def best_by_enumeration(hand: tuple[int, ...], worth: dict[tuple[int, ...], float]) -> float:
    """The most that one more roll makes of a hand, every position mask and every throw counted one by one."""
    best = worth[hand]
    for held in map(held_positions, range(MASKS)):
        kept = tuple(hand[position] for position in held)
        throws = list(product(FACES, repeat=5 - len(kept)))
        best = max(best, sum(worth[tuple(sorted(kept + throw))] for throw in throws) / len(throws))
    return best


@pytest.mark.parametrize("hand", [(1, 2, 3, 4, 6), (2, 2, 5, 5, 6), (4, 4, 4, 4, 4)])
def test_one_more_roll_is_worth_what_enumerating_every_hold_and_throw_says(hand):
    values = np.random.default_rng(3).integers(0, 50, (len(HANDS), 2)).astype(np.float64)
    turn = look_ahead(("left", "right"), values, values)
    worth = dict(zip(HANDS, values.max(axis=1).tolist(), strict=True))
    number = hand_number(hand)
    best = max(turn.writes(number, 2).max(), turn.keeps(2)[keeps_of_hands()[number]].max())
    assert best == pytest.approx(best_by_enumeration(hand, worth))


def test_two_more_rolls_are_worth_what_enumerating_them_from_four_kept_dice_says():
    values = np.random.default_rng(4).integers(0, 50, len(HANDS)).astype(np.float64).tolist()
    turn = look_ahead(("box",), column(values), column(values))
    worth = dict(zip(HANDS, values, strict=True))
    then = [best_by_enumeration(tuple(sorted((2, 3, 3, 6, face))), worth) for face in FACES]
    assert turn.keeps(1)[KEEP_NUMBER[2, 3, 3, 6]] == pytest.approx(sum(then) / 6)


def test_five_alike_come_in_4_6_percent_of_turns_and_from_four_alike_in_a_sixth_and_eleven_thirty_sixths():
    five_alike = column([float(len(set(hand)) == 1) for hand in HANDS])
    turn = look_ahead(("generala",), five_alike, five_alike)
    four = KEEPS.index((6, 6, 6, 6))
    assert turn.expected == pytest.approx(0.04602864, abs=1e-8)
    assert (turn.keeps(2)[four], turn.keeps(1)[four]) == pytest.approx((1 / 6, 11 / 36))


def test_a_turn_of_a_roll_off_is_worth_five_dice_thrown_up_to_three_times():
    # One die: keep 4 and more of the second throw (4.25), 5 and more of the first.
    assert roll_off_turn().expected == pytest.approx(5 * 14 / 3)


def test_what_only_a_served_hand_is_worth_counts_on_the_first_roll_alone():
    nothing = column([0.0] * len(HANDS))
    served = column([100.0 if hand == (1, 2, 3, 4, 5) else 0.0 for hand in HANDS])
    turn = look_ahead(("escalera",), served, nothing)
    number = hand_number((1, 2, 3, 4, 5))
    assert turn.expected == pytest.approx(100 * 120 / 7776)
    assert (turn.writes(number, 1)[0], turn.writes(number, 2)[0], turn.writes(number, 3)[0]) == (100, 0, 0)


def test_a_raised_turn_has_everything_in_it_worth_that_much_more():
    turn = roll_off_turn()
    raised = turn.raised(7.0)
    for rolls_used in (1, 2, 3):
        assert raised.writes(5, rolls_used) == pytest.approx(turn.writes(5, rolls_used) + 7)
    for rolls_used in (1, 2):
        assert raised.keeps(rolls_used) == pytest.approx(turn.keeps(rolls_used) + 7)
    assert raised.expected == pytest.approx(turn.expected + 7)
