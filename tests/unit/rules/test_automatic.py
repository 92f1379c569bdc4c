"""What is written for a seat that does not write itself: H036."""

import pytest

from server.rules import SheetState, best_write, legal, resolve
from tests.unit.rules.kit import dice


def best(sheet, thrown, *, roll=3, options=None, boxes=None, only=None):
    rules = resolve(sheet, None, options)
    filled = boxes or {}
    if only:
        filled = dict.fromkeys((key for key in rules.box_keys if key not in only), 0)
    state = SheetState(filled)
    box = best_write(rules, state, dice(thrown), roll)
    return box, *legal(rules, state, dice(thrown), roll)[box]


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({"sheet": "generala", "thrown": "22556", "roll": 1}, ("fives", 10, 0)),
        ({"sheet": "generala", "thrown": "22255", "roll": 1}, ("full", 35, 0)),
        ({"sheet": "generala", "thrown": "12336", "roll": 2, "only": ["threes", "sixes"]}, ("threes", 6, 0)),
        ({"sheet": "generala", "thrown": "11246", "only": ["escalera", "full", "generala"]}, ("escalera", 0, 0)),
        ({"sheet": "yahtzee", "thrown": "44444", "boxes": {"yahtzee": 50}}, ("fours", 20, 100)),
    ],
)
def test_the_automatic_write_is_the_one_that_the_rules_name(given, answer):  # H036 a to e
    assert best(**given) == answer


def test_a_hopeless_hand_crosses_off_ones_before_generala():
    assert best("generala", "22334", only=["ones", "generala"]) == ("ones", 0, 0)


def test_the_bonus_of_the_write_counts():
    boxes = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15}
    assert best("yahtzee", "66641", boxes=boxes) == ("sixes", 18, 35)


def test_points_count_times_the_factor_of_their_column():
    assert best("triple", "12346")[0] == "x3:small_straight"


def test_level_points_fall_to_the_smaller_greatest_value_times_the_factor():
    assert best("triple", "22345", only=["x1:sixes", "x3:ones", "x2:sixes"])[0] == "x3:ones"
    assert best("triple", "22225", only=["x1:sixes", "x3:threes"])[0] == "x1:sixes"


def test_level_in_everything_the_first_on_the_sheet_is_written():
    assert best("yahtzee3", "22345", only=["up:ones", "free:ones"])[0] == "up:ones"


def test_house_rules_change_the_greatest_value():
    cheap = {"points": {"generala": 10}}
    assert best("generala", "11246", only=["generala", "escalera"], options=cheap)[0] == "generala"


def test_a_full_paper_has_no_best_write():
    with pytest.raises(ValueError, match="empty"):
        best("generala", "11246", only=["none"])
