"""Advice: legal, deterministic, exact where one box is left, and good enough over whole games."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.rules import EMPTY_SHEET, SheetState, is_full, legal, resolve, total, write
from server.strategy.advice import MOST_ADVICE, WHYS, WORST_LOSS, advice, roll_off_advice
from server.strategy.worth import worths
from server.tables.ports import Question
from tests.unit.strategy.papers import papers

GENERALA = resolve("generala")
YAHTZEE = resolve("yahtzee")
five_dice = st.tuples(*[st.integers(1, 6)] * 5)


def ask(dice, rolls_used, boxes=None, rules=GENERALA):
    return advice(Question(rules=rules, sheet=SheetState(boxes or {}), dice=tuple(dice), rolls_used=rolls_used))


def assert_playable(found, dice, rolls_used, legal_boxes):
    assert 1 <= len(found) <= MOST_ADVICE
    for one in found:
        assert one.why in WHYS
        if one.action == "score":
            assert one.box in legal_boxes
            assert one.held == ()
        else:
            assert one.box is None
            assert rolls_used < 3
            assert list(one.held) == sorted(set(one.held))
            assert set(one.held) < set(range(5))
            assert dice or not one.held
    values = [one.value for one in found]
    assert values == sorted(values, reverse=True)
    assert values[0] - values[-1] <= WORST_LOSS


@settings(deadline=None, max_examples=40)
@given(papers(), five_dice, st.integers(0, 3))
def test_every_piece_of_advice_can_be_played(paper, dice, rolls_used):
    rules, state = paper
    dice = dice if rolls_used else ()
    found = advice(Question(rules=rules, sheet=state, dice=dice, rolls_used=rolls_used))
    assert_playable(found, dice, rolls_used, legal(rules, state, dice, rolls_used) if dice else ())


@given(five_dice, st.integers(0, 3))
def test_every_piece_of_advice_for_a_roll_off_can_be_played(dice, rolls_used):
    dice = dice if rolls_used else ()
    assert_playable(roll_off_advice(dice, rolls_used), dice, rolls_used, ("roll_off",))


@given(five_dice, st.integers(1, 2))
def test_a_roll_off_keeps_exactly_the_dice_that_are_above_what_a_new_throw_expects(dice, rolls_used):
    found = roll_off_advice(dice, rolls_used)[0]
    least = 5 if rolls_used == 1 else 4
    high = tuple(position for position, die in enumerate(dice) if die >= least)
    assert (found.action, found.held, found.box) == (("score", (), "roll_off") if len(high) == 5 else ("roll", high, None))


def test_three_sixes_on_the_first_roll_of_an_empty_sheet_are_kept_and_the_rest_thrown_again():
    for dice in [(6, 6, 6, 2, 1), (1, 6, 2, 6, 6)]:
        best = ask(dice, 1)[0]
        assert (best.action, best.why) == ("roll", "keeps_alike")
        assert [dice[position] for position in best.held] == [6, 6, 6]


def test_before_the_first_roll_there_is_one_thing_to_do():
    (only,) = ask((), 0, {"ones": 3})
    assert (only.action, only.held, only.why) == ("roll", (), "fresh_dice")


def test_a_forced_joker_leaves_its_one_legal_box_as_the_only_advice():
    # Yahtzee holds 50 and twos are open: 10 points and 100.
    (only,) = ask((2, 2, 2, 2, 2), 1, {"yahtzee": 50}, YAHTZEE)
    assert (only.action, only.box, only.why) == ("score", "twos", "scores")


def test_five_alike_after_a_crossed_off_generala_pay_nothing_in_doble_or_escalera():
    filled = {key: 0 for key in GENERALA.box_keys if key not in {"doble", "escalera"}}
    for rolls_used in (1, 2):
        found = ask((6, 6, 6, 6, 6), rolls_used, filled)
        assert all(one.why == "crosses_off" for one in found if one.action == "score")
    doble, escalera = ask((6, 6, 6, 6, 6), 3, filled)
    # Doble is dead, so all there is to come is what a turn for escalera brings.
    assert (doble.box, doble.why, doble.value) == ("doble", "crosses_off", pytest.approx(worths(GENERALA)["escalera"].made))
    assert (escalera.box, escalera.why, escalera.value) == ("escalera", "crosses_off", 0)


LAST_BOXES = [
    # The box left, what generala holds, dice, rolls used, points still to come under exact play, the holds that are best.
    ("doble", 50, (2, 2, 5, 5, 6), 3, 0.0, []),
    ("fives", 50, (1, 3, 4, 4, 6), 1, 7.638889, [()]),
    ("poker", 50, (2, 2, 4, 6, 6), 1, 9.135802, [(2, 2), (6, 6)]),
    ("escalera", 0, (2, 3, 4, 5, 5), 2, 6.666667, [(2, 3, 4, 5)]),
    ("doble", 50, (1, 1, 3, 4, 5), 1, 2.906379, [(1, 1)]),
]


@pytest.mark.parametrize("case", LAST_BOXES)
def test_with_one_box_left_the_advice_is_exact(case):
    last, generala, dice, rolls_used, expected, holds = case
    filled = {key: generala if key == "generala" else 0 for key in GENERALA.box_keys if key != last}
    best = ask(dice, rolls_used, filled)[0]
    assert best.value - generala == pytest.approx(expected, abs=1e-6)
    if holds:
        assert tuple(dice[position] for position in best.held) in holds
    else:
        assert best.box == last


def test_the_value_counts_what_is_and_will_be_written_with_its_column_factor():
    rules = resolve("triple")
    filled = {key: 0 for key in rules.box_keys if key != "x3:chance"}
    (best, *_) = ask((1, 2, 3, 4, 5), 3, filled | {"x3:sixes": 24, "x2:fives": 10}, rules)
    assert best.value == 3 * 15 + 3 * 24 + 2 * 10


def test_of_dice_alike_the_first_positions_are_kept():
    assert [one.held for one in roll_off_advice((1, 6, 1, 6, 1), 1)] == [(1, 3), (0, 1, 3), (0, 1, 2, 3)]


def test_a_served_hand_is_written_and_the_same_hand_later_is_worth_less():
    served, later = ask((3, 3, 3, 5, 5), 1)[0], ask((3, 3, 3, 5, 5), 2)[0]
    assert (served.box, later.box) == ("full", "full")
    assert served.value - later.value == pytest.approx(5)


def test_generala_is_crossed_off_after_doble_which_needs_it():
    boxes = {key: 0 for key in GENERALA.box_keys if key not in {"generala", "doble", "poker"}}
    assert ask((1, 2, 3, 4, 6), 3, boxes)[0].box == "doble"


@pytest.mark.parametrize(
    ("dice", "rolls_used", "boxes", "why"),
    [
        ((2, 5, 5, 2, 1), 2, ("full",), "keeps_pairs"),
        ((4, 2, 3, 5, 5), 2, ("escalera",), "keeps_run"),
        ((6, 2, 3, 2, 1), 2, ("sixes",), "keeps_high"),
        ((6, 2, 3, 4, 2), 2, ("fours",), "keeps_some"),
        ((6, 4, 3, 4, 2), 2, ("fours",), "keeps_alike"),
        ((6, 4, 3, 4, 2), 2, ("ones",), "fresh_dice"),
        ((6, 4, 3, 4, 2), 3, ("ones",), "crosses_off"),
        ((6, 4, 3, 4, 1), 3, ("ones",), "scores"),
    ],
)
def test_the_reason_says_what_stays_or_whether_the_box_pays(dice, rolls_used, boxes, why):
    filled = {key: 0 for key in GENERALA.box_keys if key not in boxes}
    assert ask(dice, rolls_used, filled)[0].why == why


def test_a_hopeless_hand_crosses_off_a_box_that_was_worth_little():
    best = ask((1, 2, 2, 4, 6), 3, {"ones": 2, "twos": 4, "fours": 12, "sixes": 18})[0]
    assert (best.box, best.why) == ("doble", "crosses_off")


@settings(deadline=None, max_examples=20)
@given(papers(), five_dice, st.integers(1, 3), st.randoms(use_true_random=False))
def test_the_same_question_gets_the_same_answer_whatever_was_written_first(paper, dice, rolls_used, rng):
    rules, state = paper
    order = list(state.boxes)
    rng.shuffle(order)
    shuffled = SheetState({key: state.boxes[key] for key in order}, state.bonus)
    assert advice(Question(rules, state, dice, rolls_used)) == advice(Question(rules, shuffled, dice, rolls_used))


@pytest.mark.parametrize(("dice", "rolls_used"), [((), 1), ((1, 2, 3, 4), 1), ((1, 2, 3, 4, 5), 0), ((1, 2, 3, 4, 5), 4)])
def test_dice_and_rolls_that_do_not_belong_together_are_refused(dice, rolls_used):
    with pytest.raises(ValueError, match="no turn shows"):
        ask(dice, rolls_used)
    with pytest.raises(ValueError, match="no turn shows"):
        roll_off_advice(dice, rolls_used)


def test_a_full_paper_gets_no_advice():
    with pytest.raises(ValueError, match="full paper"):
        ask((1, 2, 3, 4, 5), 1, dict.fromkeys(GENERALA.box_keys, 0))


def played_alone(rules, dice):
    """The total of one game, every decision the best advice."""
    state = EMPTY_SHEET
    while not is_full(rules, state):
        hand, rolls_used, best = (), 0, ask_for(rules, state, (), 0)
        while best.action == "roll":
            hand = tuple(hand[p] if p in best.held else dice.randint(1, 6) for p in range(5))
            rolls_used += 1
            best = ask_for(rules, state, hand, rolls_used)
        state = write(state, rules, best.box, legal(rules, state, hand, rolls_used)[best.box])
    return total(rules, state)


def ask_for(rules, state, dice, rolls_used):
    """The best advice for Generala; only whether generala was made matters there, so papers alike are asked about as one."""
    alike = SheetState({key: points if key == "generala" else 0 for key, points in sorted(state.boxes.items())})
    return advice(Question(rules, alike, dice, rolls_used))[0]


def test_a_hundred_games_alone_average_over_150():
    dice = random.Random(11)
    totals = [played_alone(GENERALA, dice) for _ in range(100)]
    assert sum(totals) / len(totals) >= 150
