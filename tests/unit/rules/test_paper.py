"""Writing on a paper, and adding it up."""

from server.rules import EMPTY_SHEET, SheetState, Write, bonus_total, is_full, legal, resolve, total, wins_at_once, write
from tests.unit.rules.kit import dice


def test_a_write_leaves_the_paper_before_it_as_it_was():
    rules = resolve("yahtzee")
    before = SheetState({"yahtzee": 50}, {"": 100})
    after = write(before, rules, "fours", Write(20, 100))
    assert before == SheetState({"yahtzee": 50}, {"": 100})
    assert after == SheetState({"yahtzee": 50, "fours": 20}, {"": 200})


def test_a_write_without_bonus_leaves_no_trace_in_the_bonuses():
    assert write(EMPTY_SHEET, resolve("yahtzee"), "chance", Write(20, 0)).bonus == {}


def test_a_total_is_all_points_and_bonuses():
    rules = resolve("yahtzee3")
    state = SheetState({"down:ones": 3, "free:yahtzee": 50, "up:chance": 20}, {"free": 100, "up": 35})
    assert (total(rules, state), bonus_total(rules, state)) == (208, 135)


def test_an_empty_paper_is_worth_nothing_and_is_not_full():
    rules = resolve("generala")
    assert total(rules, EMPTY_SHEET) == bonus_total(rules, EMPTY_SHEET) == 0
    assert not is_full(rules, EMPTY_SHEET)


def test_a_zero_fills_a_box():
    rules = resolve("generala")
    state = SheetState(dict.fromkeys(rules.box_keys, 0))
    assert is_full(rules, state)
    assert legal(rules, state, dice("12345"), 1) == {}


def test_what_legal_returns_is_the_callers_own():
    rules = resolve("generala")
    legal(rules, EMPTY_SHEET, dice("12345"), 1).clear()
    assert len(legal(rules, EMPTY_SHEET, dice("12345"), 1)) == 11


def test_a_served_generala_wins_at_once_only_where_that_is_agreed():
    wins = resolve("generala", "rio")
    assert wins_at_once(wins, dice("33333"), 1)
    assert not wins_at_once(wins, dice("33333"), 2)
    assert not wins_at_once(wins, dice("33334"), 1)
    assert not wins_at_once(resolve("generala"), dice("33333"), 1)
    assert not wins_at_once(resolve("yahtzee"), dice("33333"), 1)


def test_a_served_generala_of_a_resigned_seat_is_written_like_any_other():
    writes = legal(resolve("generala", "rio"), EMPTY_SHEET, dice("33333"), 1)
    assert (writes["generala"].points, writes["poker"].points) == (50, 45)
