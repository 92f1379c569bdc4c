"""Rolls, holds and writes of a turn (rules.md, "The turn"; protocol.md, ``expect`` and the error codes)."""

import msgspec
import pytest

from server.errors import Refused
from server.fairness.draw import faces
from server.match.commands import BotMove, Command, Leave
from server.match.events import Finished, Rolled, Scored
from server.match.play import bot_move, check_held, choices
from tests.unit.match.kit import ANA, BEN, CARLA, T0, ZED, playing


def drawn(game, number):
    match = game.match
    return faces(game.chain.key(game.turn.number), match.id_bytes, match.entropy, game.turn.number, number)


# --- rolling ---


def test_the_first_roll_throws_all_five():
    game = playing(2)
    wanted = drawn(game, 1)
    (rolled,) = game.roll()
    assert rolled == Rolled(at=T0, turn=1, seat=0, roll=1, held=(), dice=wanted, auto=False)
    assert (game.turn.roll, game.turn.dice) == (1, wanted)


def test_held_positions_keep_their_faces_and_what_is_held_never_changes_the_rest():
    game = playing(2)
    first, second, third = drawn(game, 1), drawn(game, 2), drawn(game, 3)
    game.roll()
    (rolled,) = game.roll((1, 4))
    assert rolled.dice == (second[0], first[1], second[2], second[3], first[4])
    assert rolled.held == (1, 4)
    (rolled,) = game.roll((0,))
    assert rolled.dice == (second[0], *third[1:]), "a die that was kept may be released"


def test_there_is_never_a_fourth_roll():
    game = playing(2)
    for _ in range(3):
        game.roll()
    assert game.code(ANA, game.rolling()) == "no_rolls_left"
    assert game.code(ANA, game.rolling((0, 0))) == "no_rolls_left"
    assert game.turn.roll == 3


@pytest.mark.parametrize("held", [(0, 1, 2, 3, 4), (0, 0, 1), (5,), (-1,), (1, 0), (0, 1, 2, 3, 4, 4)])
def test_a_mask_that_is_none_or_holds_all_five_is_refused(held):
    """H018."""
    game = playing(2)
    game.force_roll("22255")
    assert game.code(ANA, game.rolling(held)) == "bad_held"
    assert game.turn.roll == 1
    (scored,) = game.score("full")
    assert scored.points == 35


def test_the_first_roll_holds_nothing():
    """H018."""
    game = playing(2)
    assert game.code(ANA, game.rolling((0,))) == "bad_held"


@pytest.mark.parametrize("frame", ['{"held":["1"],"expect":2}', '{"held":[0.0],"expect":2}', '{"held":[],"expect":"2"}', "{}"])
def test_a_roll_of_other_types_cannot_even_be_said(frame):
    """H018 and H103: wrong types and missing fields."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(frame.replace("{", '{"type":"roll",', 1).replace(",}", "}"), type=Command)


@pytest.mark.parametrize("extra", ['"time":1785000046000', '"time":-1', '"time":"NaN"', '"seat":0', '"player":"ana"'])
def test_a_command_carries_no_time_and_no_seat_of_the_senders_choosing(extra):
    """H029 and H103: who acts and when is never read from the message."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode('{"type":"roll","held":[],"expect":2,' + extra + "}", type=Command)


def test_dice_that_are_shown_held_are_checked_like_a_roll_but_all_five_may_be():
    game = playing(2)
    game.force_roll("22255")
    check_held(game.turn, (0, 1, 2, 3, 4))
    with pytest.raises(Refused):
        check_held(game.turn, (3, 2))


# --- writing ---


def test_a_write_ends_the_turn_and_shows_its_key():
    game = playing(2)
    game.force_roll("44443")
    game.now += 20_000
    key = game.chain.key(1).hex()
    (scored,) = game.score("fours")
    assert scored == Scored(at=T0 + 20_000, turn=1, seat=0, box="fours", points=16, bonus=0, auto=False, key=key)
    assert (game.turn.number, game.turn.seat, game.turn.roll) == (2, 1, 0)
    assert (game.turn.start, game.turn.deadline) == (T0 + 20_000, T0 + 65_000)


def test_a_write_needs_a_roll():
    """H017."""
    game = playing(2)
    assert game.code(ANA, game.writing("ones")) == "roll_first"


@pytest.mark.parametrize("box", ["", "ONES ", "sixes\n", "chance", "yahtzee", "down:ones", "constructor", "doble"])
def test_a_box_that_the_sheet_does_not_have_is_unknown(box):
    """H017."""
    game = playing(2, options={"doble": "off"})
    game.force_roll("12345")
    assert game.code(ANA, game.writing(box)) == "unknown_box"


def test_a_written_box_is_filled_for_good():
    """H017, H064."""
    game = playing(2)
    game.fill((7, 7), left=10)
    game.force_roll("11111")
    assert game.code(ANA, game.writing("ones")) == "box_filled"
    assert game.match.sheets[0].boxes == {"ones": 7}


def test_a_box_that_the_joker_rule_forbids_is_illegal():
    """H012."""
    game = playing(2, sheet="yahtzee")
    game.paper(0, {"yahtzee": 50})
    game.force_roll("44444")
    assert list(choices(game.table, game.match)) == ["fours"]
    assert game.code(ANA, game.writing("full_house")) == "box_illegal"
    (scored,) = game.score("fours")
    assert (scored.points, scored.bonus) == (20, 100)


def test_an_ordered_column_takes_its_next_box_only():
    game = playing(2, sheet="yahtzee3")
    game.force_roll("12345")
    assert game.code(ANA, game.writing("down:chance")) == "box_illegal"
    (scored,) = game.score("up:chance")
    assert scored.points == 15


def test_a_box_that_does_not_fit_is_crossed_off():
    game = playing(2)
    game.force_roll("11234")
    (scored,) = game.score("generala")
    assert scored.points == 0
    assert game.match.sheets[0].boxes == {"generala": 0}


@pytest.mark.parametrize(("roll_number", "points"), [(1, 35), (2, 30), (3, 30)])
def test_a_hand_is_served_on_the_first_roll_alone(roll_number, points):
    """H006."""
    game = playing(2)
    game.force_roll("22255", roll=roll_number)
    assert game.score("full")[0].points == points


def test_the_pseudo_box_of_a_roll_off_cannot_be_written_outside_one():
    game = playing(2, options={"tie": "roll_off"})
    game.force_roll("22255")
    assert game.code(ANA, game.writing("roll_off")) == "box_illegal"


# --- whose turn, and what was seen ---


def test_only_the_seat_on_turn_rolls_and_writes():
    game = playing(3)
    game.force_roll("22255")
    for player, code in ((BEN, "not_your_turn"), (CARLA, "not_your_turn"), (ZED, "not_seated"), (None, "not_seated")):
        assert game.code(player, game.rolling()) == code
        assert game.code(player, game.writing("full")) == code


@pytest.mark.parametrize("off", [-1, 1, 2**53, -(2**53)])
def test_a_command_bound_to_another_index_is_stale(off):
    """H103."""
    game = playing(2)
    game.roll()
    assert game.code(ANA, game.rolling((), expect=game.match.n + off)) == "stale"
    assert game.code(ANA, game.writing("ones", expect=game.match.n + off)) == "stale"


def test_a_double_click_rolls_once():
    """H058."""
    game = playing(2)
    twice = game.rolling()
    game.do(ANA, twice)
    assert game.code(ANA, twice) == "stale"
    assert game.turn.roll == 1


def test_a_write_that_is_sent_three_times_counts_once():
    """H026."""
    game = playing(2)
    game.force_roll("22255")
    again = game.writing("full")
    game.do(ANA, again)
    game.now += 10
    assert [game.code(ANA, again), game.code(ANA, again)] == ["stale", "stale"]
    assert (game.turn.seat, game.turn.roll, game.deadline) == (1, 0, T0 + 45_000)


def test_a_tab_that_lags_behind_is_stale_and_the_one_that_does_not_counts():
    """H047."""
    game = playing(2)
    seen_by_second_tab = game.match.n
    game.roll()
    assert game.code(ANA, game.writing("ones", expect=seen_by_second_tab)) == "stale"
    assert game.code(ANA, game.writing("ones")) is None


def test_a_rivals_leaving_costs_nobody_a_turn():
    game = playing(3)
    seen = game.match.n
    game.do(CARLA, Leave())
    assert game.match.n == seen + 1
    assert game.code(ANA, game.rolling((), expect=seen)) is None


def test_a_decision_is_refused_when_the_turn_began_after_it():
    game = playing(2)
    seen = game.match.n
    game.force_roll("22255")
    game.force_score("full", 30)
    assert game.code(BEN, game.rolling((), expect=seen)) == "stale"


# --- bots ---


def test_a_bots_moves_are_its_own_and_never_automatic():
    game = playing(1, 1, order=(1, 0))
    happened = game.wait(0)
    assert [(type(event), event.seat, event.auto) for event in happened] == [(Rolled, 1, False), (Scored, 1, False)]


@pytest.mark.parametrize(("seat", "behind"), [(0, 0), (1, 1), (1, -1)])
def test_a_bots_move_does_nothing_when_the_table_has_moved_on(seat, behind):
    game = playing(1, 1, order=(1, 0))
    move = BotMove(seat=seat, expect=game.match.last_play_n - behind)
    assert bot_move(game.table, move, game.chain, game.now) == ()


def test_a_bots_move_does_nothing_outside_a_match():
    game = playing(2)
    move = BotMove(seat=0, expect=2)
    keys = game.chain
    game.leave(ANA)
    assert isinstance(game.events[-1], Finished)
    assert bot_move(game.table, move, keys, game.now) == ()


def test_a_bots_move_is_held_to_the_rules():
    game = playing(1, 1, order=(1, 0))
    game.force_roll("22255")
    expect = game.match.last_play_n
    for move, code in (
        (BotMove(seat=1, expect=expect, held=(0, 1, 2, 3, 4)), "bad_held"),
        (BotMove(seat=1, expect=expect, box="chance"), "unknown_box"),
    ):
        with pytest.raises(Refused) as caught:
            bot_move(game.table, move, game.chain, game.now)
        assert caught.value.code == code
    (rolled,) = bot_move(game.table, BotMove(seat=1, expect=expect, held=(0, 1)), game.chain, game.now)
    assert rolled.dice[:2] == (2, 2)


def test_a_bots_move_is_never_logged_before_what_was_logged():
    """H033: a worker whose clock is behind takes the time of the last entry."""
    game = playing(1, 1, order=(1, 0))
    move = BotMove(seat=1, expect=game.match.last_play_n)
    (rolled,) = bot_move(game.table, move, game.chain, T0 - 3_000)
    assert rolled.at == T0
