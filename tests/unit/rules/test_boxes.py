"""What each box of each sheet pays: the acceptance cases H001 to H015 as far as they are about points."""

from itertools import permutations

import pytest

from server.rules import EMPTY_SHEET, SheetState, Write, legal, resolve, total, write
from tests.unit.rules.kit import dice, offers, pays


def fill(rules, hands):
    """Write box after box with the given hands, not served."""
    state = EMPTY_SHEET
    for box, thrown in hands.items():
        state = write(state, rules, box, legal(rules, state, dice(thrown), 3)[box])
    return state


def test_yahtzee_kinds_add_all_five_dice_and_yatzy_kinds_only_those_alike():  # H001
    assert pays("yahtzee", "three_kind", "33345") == 18
    assert pays("yahtzee", "four_kind", "44446") == 22
    assert pays("yahtzee", "four_kind", "22255") == 0
    assert pays("yatzy", "three_kind", "33345") == 9
    assert pays("yatzy", "four_kind", "44446") == 16


@pytest.mark.parametrize("thrown", ["12334", "34456", "22345", "43645", "12346", "23456"])
def test_four_in_a_row_is_a_small_straight_whatever_the_fifth_die(thrown):  # H002, H003
    assert pays("yahtzee", "small_straight", thrown) == 30


@pytest.mark.parametrize("thrown", ["34466", "12245"])
def test_a_gap_is_no_small_straight(thrown):  # H003
    assert pays("yahtzee", "small_straight", thrown) == 0


def test_a_straight_means_what_its_own_sheet_says():  # H004
    assert pays("yahtzee", "small_straight", "23345") == 30
    assert pays("yatzy", "small_straight", "23345") == 0
    assert pays("yatzy", "small_straight", "12345") == 15
    assert pays("yatzy", "large_straight", "12345") == 0
    assert pays("yacht", "little_straight", "12345") == 30
    assert pays("yacht", "big_straight", "12345") == 0
    assert pays("yatzy", "large_straight", "23456") == 20


def test_the_ace_high_escalera_counts_only_where_it_is_agreed():  # H005
    assert pays("generala", "escalera", "13456", roll=2) == 0
    assert pays("generala", "escalera", "13456", roll=2, options={"ace_high_straight": True}) == 20


@pytest.mark.parametrize(
    ("box", "thrown", "served", "later"),
    [
        ("escalera", "12345", 25, 20),
        ("full", "22255", 35, 30),
        ("poker", "66663", 45, 40),
        ("generala", "44444", 50, 50),
        ("fours", "44444", 20, 20),
    ],
)
def test_a_served_hand_pays_more_only_in_escalera_full_and_poker(box, thrown, served, later):  # H006
    assert pays("generala", box, thrown, roll=1) == served
    assert pays("generala", box, thrown, roll=2) == later


@pytest.mark.parametrize(
    ("boxes", "thrown", "roll", "options", "points"),
    [
        ({}, "55555", 3, {}, 0),
        ({"generala": 0}, "55555", 3, {}, 0),
        ({"generala": 50}, "55555", 3, {}, 100),
        ({"generala": 50}, "55554", 3, {}, 0),
        ({"generala": 50}, "55555", 1, {}, 100),
        ({}, "55555", 3, {"doble_needs_generala": False}, 100),
        ({"generala": 60}, "55555", 3, {"served_generala": "points60"}, 100),
    ],
)
def test_doble_pays_once_generala_holds_points(boxes, thrown, roll, options, points):  # H007
    assert pays("generala", "doble", thrown, roll=roll, options=options, boxes=boxes) == points


def test_four_alike_and_one_is_no_full_house():  # H008
    assert pays("yahtzee", "full_house", "44442") == 0
    assert pays("generala", "full", "44442") == 0
    assert pays("generala", "poker", "44442") == 40


def test_five_alike_counts_where_each_sheet_says():  # H009
    generala = offers("generala", "33333")
    assert [generala[box].points for box in ("poker", "full", "generala")] == [40, 0, 50]
    yahtzee = offers("yahtzee", "33333")
    assert [yahtzee[box].points for box in ("four_kind", "full_house", "yahtzee")] == [15, 0, 50]
    yacht = offers("yacht", "33333")
    assert [yacht[box].points for box in ("four_kind", "full_house", "yacht")] == [12, 0, 50]


def test_five_alike_may_go_low_while_yahtzee_is_open_and_the_first_yahtzee_earns_no_extra():  # H010
    rules = resolve("yahtzee")
    low = legal(rules, EMPTY_SHEET, dice("33333"), 3)["threes"]
    assert low == Write(15, 0)
    state = write(EMPTY_SHEET, rules, "threes", low)
    assert legal(rules, state, dice("66666"), 3)["yahtzee"] == Write(50, 0)


@pytest.mark.parametrize("thrown", ["22555", "22255"])
def test_a_full_house_is_one_in_every_order_of_its_dice(thrown):  # H011
    for order in set(permutations(thrown)):
        assert pays("yahtzee", "full_house", order) == 25
        assert pays("generala", "full", order) == 30


def test_another_yahtzee_must_take_its_own_upper_box_first():  # H012
    assert offers("yahtzee", "44444", boxes={"yahtzee": 50}) == {"fours": Write(20, 100)}


def test_a_joker_pays_every_lower_box_in_full():  # H013
    writes = offers("yahtzee", "55555", boxes={"yahtzee": 50, "fives": 15})
    assert writes == {
        "three_kind": Write(25, 100),
        "four_kind": Write(25, 100),
        "full_house": Write(25, 100),
        "small_straight": Write(30, 100),
        "large_straight": Write(40, 100),
        "chance": Write(25, 100),
    }


def test_a_zero_in_yahtzee_leaves_the_joker_and_takes_the_extra_points():  # H014
    assert offers("yahtzee", "66666", boxes={"yahtzee": 0, "sixes": 12})["large_straight"] == Write(40, 0)
    assert offers("yahtzee", "66666", boxes={"yahtzee": 0}) == {"sixes": Write(30, 0)}


def test_a_joker_with_no_lower_box_left_crosses_off_an_upper_one():
    lower = dict.fromkeys(["three_kind", "four_kind", "full_house", "small_straight", "large_straight", "chance"], 0)
    writes = offers("yahtzee", "55555", boxes={**lower, "yahtzee": 50, "fives": 15, "ones": 3})
    assert writes == dict.fromkeys(["twos", "threes", "fours", "sixes"], Write(0, 100))


def test_a_free_joker_leaves_every_open_box_and_pays_in_full_once_its_upper_box_is_filled():
    free = {"joker": "free"}
    early = offers("yahtzee", "55555", options=free, boxes={"yahtzee": 50})
    assert len(early) == 12
    assert (early["fives"], early["full_house"]) == (Write(25, 100), Write(0, 100))
    late = offers("yahtzee", "55555", options=free, boxes={"yahtzee": 50, "fives": 20})
    assert len(late) == 11
    assert (late["ones"], late["full_house"]) == (Write(0, 100), Write(25, 100))


def test_without_joker_an_extra_yahtzee_pays_even_where_it_crosses_off():
    writes = offers("yahtzee", "55555", options={"joker": "off"}, boxes={"yahtzee": 50, "fives": 15})
    assert writes["large_straight"] == Write(0, 100)


UPPER_63 = {"ones": "11156", "twos": "22256", "threes": "33356", "fours": "44456", "fives": "55564", "sixes": "66645"}
UPPER_62 = {**UPPER_63, "ones": "11456"}


@pytest.mark.parametrize(("sheet", "with_bonus"), [("yahtzee", 98), ("yatzy", 113)])
def test_the_upper_bonus_is_earned_at_63_and_not_at_62(sheet, with_bonus):  # H015
    rules = resolve(sheet)
    assert total(rules, fill(rules, UPPER_63)) == with_bonus
    assert total(rules, fill(rules, UPPER_62)) == 62


def test_extra_yahtzees_do_not_count_towards_the_upper_bonus():  # H015
    rules = resolve("yahtzee")
    state = SheetState(
        {"twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18, "yahtzee": 50, "full_house": 25}, {"": 100}
    )
    assert legal(rules, state, dice("11456"), 3)["ones"] == Write(2, 0)


def test_five_alike_can_be_just_what_the_upper_bonus_wants():
    assert offers("yatzy", "66666", boxes={"fives": 25, "twos": 8})["sixes"] == Write(30, 50)


def test_the_upper_bonus_is_earned_once():  # H015
    rules = resolve("yahtzee")
    state = fill(rules, {**UPPER_63, "sixes": "66666"} | {"chance": "12345"})
    assert state.bonus == {"": 35}
    reached = {"twos": "22256", "threes": "33356", "fours": "44456", "fives": "55564", "sixes": "66666"}
    state = fill(rules, reached)
    assert total(rules, state) == 72 + 35
    assert legal(rules, state, dice("11111"), 3)["ones"] == Write(5, 0)


def test_a_write_can_earn_the_extra_yahtzee_and_the_upper_bonus_together():
    boxes = {"yahtzee": 50, "threes": 9, "fours": 12, "fives": 15, "sixes": 18}
    assert offers("yahtzee", "22222", boxes=boxes) == {"twos": Write(10, 135)}


def test_yatzy_pairs_take_the_highest_and_two_pairs_want_two_faces():
    assert pays("yatzy", "one_pair", "33446") == 8
    assert pays("yatzy", "two_pairs", "33446") == 14
    assert pays("yatzy", "two_pairs", "33334") == 0
    assert pays("yatzy", "full_house", "33322") == 13
    assert pays("yatzy", "full_house", "33333") == 0
    assert pays("yatzy", "yatzy", "33333") == 50


def test_yacht_full_house_adds_all_dice_and_choice_takes_anything():
    assert pays("yacht", "full_house", "11666") == 20
    assert pays("yacht", "choice", "11234") == 11
