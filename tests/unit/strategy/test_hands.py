"""The tables of hands, keeps and chances, against counting every throw."""

from collections import Counter
from itertools import product

import pytest

from server.rules.scorers import FACES, HANDS
from server.strategy.hands import KEEP_NUMBER, KEEPS, MASKS, first_roll, hand_number, held_positions, keeps_of_hands, transition


def test_there_are_252_hands_and_210_keeps_that_leave_a_die_to_throw():
    assert (len(HANDS), len(KEEPS), MASKS) == (252, 210, 31)
    assert max(map(len, KEEPS)) == 4


@pytest.mark.parametrize("keep", [(), (6,), (2, 2), (1, 3, 6), (5, 5, 5, 5)])
def test_a_keep_becomes_each_hand_as_often_as_counting_all_throws_says(keep):
    thrown = 5 - len(keep)
    counted = Counter(tuple(sorted(keep + throw)) for throw in product(FACES, repeat=thrown))
    expected = [counted[hand] / 6**thrown for hand in HANDS]
    assert transition()[KEEP_NUMBER[keep]] == pytest.approx(expected)


def test_the_chances_of_every_keep_add_up_to_one():
    assert transition().sum(axis=1) == pytest.approx([1.0] * len(KEEPS))


def test_the_first_roll_throws_all_five_dice():
    assert first_roll()[hand_number((1, 1, 1, 1, 1))] == pytest.approx(1 / 7776)
    assert first_roll()[hand_number((3, 1, 5, 2, 4))] == pytest.approx(120 / 7776)


def test_a_mask_keeps_the_faces_at_its_positions():
    assert held_positions(0b10110) == (1, 2, 4)
    assert KEEPS[keeps_of_hands()[hand_number((1, 2, 3, 4, 6)), 0b10110]] == (2, 3, 6)


def test_the_order_of_dice_does_not_matter_to_the_hand():
    assert hand_number((6, 1, 6, 2, 6)) == hand_number((1, 2, 6, 6, 6))
