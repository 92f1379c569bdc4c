"""Sheets of several columns: order, joker and bonus column by column, factors."""

from server.rules import EMPTY_SHEET, SheetState, Write, bonus_total, legal, resolve, total, write
from tests.unit.rules.kit import dice, offers


def test_an_ordered_column_offers_its_next_box_alone():
    writes = offers("yahtzee3", "12345", boxes={"down:ones": 3, "up:chance": 20, "up:yahtzee": 0})
    assert [key for key in writes if not key.startswith("free:")] == ["down:twos", "up:large_straight"]
    assert sum(key.startswith("free:") for key in writes) == 13


def test_a_filled_column_offers_nothing():
    rules = resolve("yahtzee3")
    boxes = {key: 0 for key in rules.box_keys if key.startswith("down:")}
    writes = legal(rules, SheetState(boxes), dice("12345"), 3)
    assert not [key for key in writes if key.startswith("down:")]


def test_order_beats_the_forced_joker():
    boxes = {"up:chance": 20, "up:yahtzee": 50}
    writes = offers("yahtzee3", "55555", boxes=boxes)
    assert writes["up:large_straight"] == Write(0, 100)
    assert writes["down:ones"] == Write(0, 0)


def test_in_an_ordered_column_a_joker_pays_in_full_once_its_upper_box_is_filled():
    rules = resolve("yahtzee3")
    boxes = {key: 0 for key in rules.columns[0].keys if key != "down:chance"} | {"down:yahtzee": 50}
    assert legal(rules, SheetState(boxes), dice("55555"), 3)["down:chance"] == Write(25, 100)
    boxes = dict.fromkeys(rules.columns[0].keys[:8], 0) | {"down:yahtzee": 0}
    assert legal(rules, SheetState(boxes), dice("55555"), 3)["down:full_house"] == Write(25, 0)


def test_the_joker_looks_at_the_column_that_is_written():
    writes = offers("triple", "55555", boxes={"x2:yahtzee": 50})
    assert [key for key in writes if key.startswith("x2:")] == ["x2:fives"]
    assert writes["x2:fives"] == Write(25, 100)
    assert writes["x1:yahtzee"] == Write(50, 0)
    assert writes["x3:full_house"] == Write(0, 0)


def test_the_upper_bonus_looks_at_the_column_that_is_written():
    boxes = {"x1:ones": 3, "x1:twos": 6, "x1:threes": 9, "x1:fours": 12, "x1:fives": 15}
    writes = offers("triple", "66612", boxes=boxes)
    assert (writes["x1:sixes"], writes["x2:sixes"]) == (Write(18, 35), Write(18, 0))


def test_a_column_counts_its_factor_bonus_included():
    rules = resolve("triple")
    state = EMPTY_SHEET
    for key, paid in {"x1:chance": Write(20, 0), "x2:yahtzee": Write(50, 0), "x3:fives": Write(25, 100)}.items():
        state = write(state, rules, key, paid)
    assert bonus_total(rules, state) == 300
    assert total(rules, state) == 20 + 2 * 50 + 3 * (25 + 100)


def test_bonuses_are_kept_by_column():
    rules = resolve("triple")
    state = write(EMPTY_SHEET, rules, "x3:fives", Write(25, 100))
    state = write(state, rules, "x3:sixes", Write(30, 135))
    state = write(state, rules, "x1:ones", Write(3, 0))
    assert state.bonus == {"x3": 235}
