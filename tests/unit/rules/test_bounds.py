"""What can be written at all, and how much a paper can hold."""

import pytest

from server.rules import ceiling, greatest, possible_values, resolve


@pytest.mark.parametrize(
    ("sheet", "preset", "options", "most"),
    [
        ("generala", None, {}, 360),
        ("generala", "diez", {}, 260),
        ("generala", None, {"served_generala": "points100"}, 410),
        ("generala", None, {"points": {"generala": 0}}, 210),
        ("yahtzee", None, {}, 1575),
        ("yahtzee", None, {"extra_yahtzee": 0}, 375),
        ("yahtzee", "europe", {}, 375),
        ("yahtzee", None, {"joker": "off"}, 1575 - 25 - 30 - 40),
        ("yatzy", None, {}, 374),
        ("yacht", None, {}, 105 + 28 + 24 + 30 + 30 + 30 + 50),
        ("triple", None, {}, 1575 * 6),
        ("yahtzee3", None, {"extra_yahtzee": 0}, 375 * 3),
        # Down: one more Yahtzee after the box. Up: ten more, the lower ones without joker for want of an upper box. Free: all.
        ("yahtzee3", None, {}, (375 + 100) + (375 + 10 * 100 + 100 - 25 - 30 - 40) + 1575),
    ],
)
def test_the_greatest_total_is_what_perfect_dice_give(sheet, preset, options, most):
    assert ceiling(resolve(sheet, preset, options)) == most


@pytest.mark.parametrize(
    ("sheet", "options", "box", "values"),
    [
        ("generala", {}, "fours", (0, 4, 8, 12, 16, 20)),
        ("generala", {}, "escalera", (0, 20, 25)),
        ("generala", {}, "generala", (0, 50)),
        ("generala", {"served_generala": "plus5"}, "generala", (0, 50, 55)),
        ("generala", {"served_generala": "wins"}, "generala", (0, 50)),
        ("generala", {"points": {"served_poker": 10}}, "poker", (0, 10, 40)),
        ("generala", {}, "doble", (0, 100)),
        ("yahtzee", {}, "full_house", (0, 25)),
        ("yahtzee", {}, "chance", (0, *range(5, 31))),
        ("yatzy", {}, "one_pair", (0, 2, 4, 6, 8, 10, 12)),
        ("triple", {}, "x3:twos", (0, 2, 4, 6, 8, 10)),
        ("yahtzee3", {}, "up:small_straight", (0, 30)),
    ],
)
def test_a_box_takes_these_values_alone(sheet, options, box, values):
    rules = resolve(sheet, None, options)
    assert possible_values(rules, box) == values
    assert greatest(rules, box) == values[-1]


@pytest.mark.parametrize(
    ("sheet", "preset", "rounds"),
    [
        ("generala", "standard", 11),
        ("generala", "diez", 10),
        ("yahtzee", "standard", 13),
        ("yahtzee", "kniffel", 13),
        ("yatzy", "standard", 15),
        ("yacht", "standard", 12),
        ("yahtzee3", "standard", 39),
        ("triple", "standard", 39),
    ],
)
def test_a_seat_plays_a_turn_for_every_box(sheet, preset, rounds):  # H016
    rules = resolve(sheet, preset)
    assert rules.rounds == len(rules.box_keys) == rounds
