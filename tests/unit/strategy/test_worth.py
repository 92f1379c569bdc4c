"""What open boxes are worth for later turns."""

import pytest

from server.rules import resolve
from server.strategy.worth import still_to_come, worths


def paper_worth(rules, filled):
    return sum(still_to_come(rules, column, filled) for column in rules.columns)


def test_a_box_is_worth_what_a_turn_played_for_it_alone_earns():
    numbers = worths(resolve("generala"))
    # Published: 0.4213 dice of a face in three rolls, and five alike in 4.6029 % of turns.
    assert numbers["sixes"].made == pytest.approx(30 * 91 / 216)
    assert numbers["generala"].made == pytest.approx(50 * 0.04602864, abs=1e-5)


def test_a_box_that_needs_another_is_worth_nothing_once_that_is_crossed_off():
    rules = resolve("generala")
    others = {key: 0 for key in rules.box_keys if key not in {"generala", "doble"}}
    assert paper_worth(rules, {**others, "generala": 0}) == 0
    assert paper_worth(rules, {**others, "generala": 50}) == pytest.approx(4.602864, abs=1e-6)


def test_a_box_that_needs_another_is_worth_half_while_that_is_open():
    doble = worths(resolve("generala"))["doble"]
    assert doble.undecided == pytest.approx(doble.made / 2)


def test_a_box_that_nothing_else_changes_has_one_number():
    for worth in worths(resolve("yacht")).values():
        assert worth.made == worth.crossed_off == worth.undecided


def test_a_made_yahtzee_makes_every_other_box_worth_more():
    numbers = worths(resolve("yahtzee"))
    assert all(worth.made > worth.crossed_off for key, worth in numbers.items() if key != "yahtzee")


def test_a_column_that_counts_three_times_is_worth_three_times_as_much():
    numbers = worths(resolve("triple"))
    assert numbers["x3:chance"].made == pytest.approx(3 * numbers["x1:chance"].made)
    assert paper_worth(resolve("triple"), {}) == pytest.approx(6 * paper_worth(resolve("yahtzee"), {}))


def test_an_upper_bonus_is_worth_more_the_nearer_it_is_and_nothing_once_it_is_there_or_lost():
    rules = resolve("yahtzee")
    without = resolve("yacht")
    far = paper_worth(rules, {"sixes": 6}) - paper_worth(rules, {"sixes": 0})
    near = paper_worth(rules, {"sixes": 24}) - paper_worth(rules, {"sixes": 18})
    assert 0 < far < near < 35
    upper = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15}
    lower = dict.fromkeys(rules.columns[0].lower, 0)
    alone = worths(rules)["sixes"].crossed_off
    assert alone < paper_worth(rules, {**lower, **upper}) < alone + 35
    assert paper_worth(rules, {**lower, **upper, "fives": 35}) == pytest.approx(alone, abs=1e-6)
    assert paper_worth(rules, {**lower, **dict.fromkeys(upper, 0)}) == pytest.approx(alone, abs=1e-6)
    assert paper_worth(without, {"sixes": 24}) == paper_worth(without, {"sixes": 0})


def test_a_full_paper_is_worth_nothing_more():
    rules = resolve("yahtzee3")
    assert paper_worth(rules, dict.fromkeys(rules.box_keys, 0)) == 0
