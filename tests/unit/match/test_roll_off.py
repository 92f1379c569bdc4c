"""The roll-off of those level at the top (rules.md, ``tie``)."""

import pytest

from server.match.events import Finished, Left, Rolled, Scored
from server.match.play import choices
from tests.unit.match.kit import ANA, BEN, CARLA, DANI, playing

ROUNDS = 10


def level(totals, **form):
    """A match of people whose boxes are all full, with these totals."""
    game = playing(len(totals), **({"options": {"tie": "roll_off"}} | form))
    game.fill(totals)
    return game


def throw(game, dice):
    """A whole roll-off turn of the seat on turn: what its own write leads to."""
    game.force_roll(dice)
    return game.score("roll_off")


def test_those_level_at_the_top_play_one_more_turn_each_and_the_sum_decides():
    game = level((180, 180, 150))
    assert (game.turn.number, game.on_turn) == (34, ANA)
    game.force_roll("11234")
    game.force_roll("66666")
    game.force_roll("66654")
    assert {box: pays.points for box, pays in choices(game.table, game.match).items()} == {"roll_off": 27}
    (scored,) = game.score("roll_off")
    assert (scored.box, scored.points, scored.bonus) == ("roll_off", 27, 0)
    assert (game.turn.number, game.on_turn) == (35, BEN)
    _, finished = throw(game, "66665")
    assert finished.places == {"0": 2, "1": 1, "2": 3}
    assert finished.totals == {"0": 180, "1": 180, "2": 150}, "a roll-off never counts in totals"
    assert finished.reason == "full"


def test_nobody_rolls_off_when_one_is_ahead_or_the_house_shares():
    assert playing(2).table.rules.has_roll_off is False
    game = playing(2, options={"tie": "roll_off"})
    game.fill((90, 80), left=1)
    game.force_score("doble")
    game.force_roll("11234")
    assert isinstance(game.score("doble")[-1], Finished)
    shared = playing(2)
    shared.fill((90, 90), left=1)
    shared.force_score("doble")
    shared.force_roll("11234")
    assert isinstance(shared.score("doble")[-1], Finished)


def test_a_roll_off_turn_has_three_rolls_a_clock_and_its_own_box_alone():
    game = level((9, 9))
    assert game.deadline == game.turn.start + 45_000
    for _ in range(3):
        game.roll()
    assert game.code(ANA, game.rolling()) == "no_rolls_left"
    assert game.code(ANA, game.writing("ones")) == "box_filled"
    assert game.code(ANA, game.writing("chance")) == "unknown_box"
    assert game.code(ANA, game.writing("roll_off")) is None


def test_only_those_level_in_a_round_play_the_next_one():
    game = level((7, 7, 7, 7))
    played = []
    for dice in ("66661", "66661", "11111", "66661", "55555", "55555", "44444", "12345", "12346"):
        played.append(game.turn.seat)
        last = throw(game, dice)
    assert played == [0, 1, 2, 3, 0, 1, 3, 0, 1]
    assert last[-1].places == {"0": 2, "1": 1, "2": 4, "3": 3}, "places follow the round that separated them"


def test_those_separated_in_the_same_round_by_the_same_sum_share_their_place():
    game = level((7, 7, 7))
    for dice in ("11112", "66666", "11112"):
        last = throw(game, dice)
    assert last[-1].places == {"0": 2, "1": 1, "2": 2}


def test_a_round_goes_in_turn_order():
    game = playing(3, order=(2, 0, 1), options={"tie": "roll_off"})
    game.fill((5, 5, 5))
    seats = []
    for _ in range(6):
        seats.append(game.turn.seat)
        throw(game, "12345")
    assert seats == [2, 0, 1, 2, 0, 1]


def test_after_ten_rounds_they_share_and_every_turn_had_a_key():
    game = level((5, 5))
    for _ in range(2 * ROUNDS):
        last = throw(game, "12345")
    assert [type(event) for event in last] == [Scored, Finished]
    assert last[-1].places == {"0": 1, "1": 1}
    assert last[0].turn == game.match.sealed.turns == 2 * 11 + 2 * ROUNDS
    assert last[0].key == game.chain.root.hex()


@pytest.mark.parametrize("people", [2, 3, 4])
def test_the_keys_are_enough_for_ten_rounds_of_all_seats(people):
    game = playing(people, options={"tie": "roll_off"})
    assert game.match.sealed.turns == people * 11 + people * ROUNDS


# --- resigning in a roll-off ---


def test_one_of_two_who_resigns_ends_a_roll_off_for_the_other():
    game = level((8, 8, 5))
    events = game.leave(BEN)
    assert [type(event) for event in events] == [Left, Finished]
    assert (events[1].reason, events[1].places) == ("full", {"0": 1, "1": 3, "2": 2})


def test_one_who_resigns_on_turn_drops_out_without_a_write_and_the_next_is_on_turn():
    game = level((8, 8, 8, 1))
    throw(game, "12345")
    game.now += 4_000
    game.force_roll("66666")
    number = game.turn.number
    assert [type(event) for event in game.leave(BEN)] == [Left]
    assert (game.on_turn, game.turn.number, game.turn.roll) == (CARLA, number + 1, 0)
    assert (game.turn.start, game.deadline) == (game.now, game.now + 45_000)
    _, finished = throw(game, "66666")
    assert finished.places == {"0": 2, "1": 4, "2": 1, "3": 3}


def test_one_who_resigns_on_turn_against_one_other_ends_it():
    game = level((8, 8, 1))
    game.roll()
    events = game.leave(ANA)
    assert [type(event) for event in events] == [Left, Finished]
    assert (events[1].reason, events[1].places) == ("full", {"0": 3, "1": 1, "2": 2})


def test_one_who_resigns_off_turn_drops_out_and_the_one_on_turn_stays():
    game = level((8, 8, 8))
    throw(game, "12345")
    before = game.turn
    game.leave(CARLA)
    assert game.turn == before
    _, finished = throw(game, "11111")
    assert finished.places == {"0": 1, "1": 2, "2": 3}


def test_one_who_resigned_after_rolling_is_out_of_the_round():
    game = level((8, 8, 8))
    throw(game, "66666")
    game.leave(ANA)
    assert game.on_turn == BEN
    throw(game, "11111")
    _, finished = throw(game, "11112")
    assert finished.places == {"0": 3, "1": 2, "2": 1}


def test_one_who_is_not_in_it_may_resign_without_touching_it():
    game = level((8, 8, 5, 5))
    before = game.turn
    game.leave(CARLA)
    game.leave(DANI)
    assert game.turn == before
    throw(game, "12345")
    _, finished = throw(game, "12346")
    assert finished.places == {"0": 2, "1": 1, "2": 4, "3": 3}


def test_those_who_resigned_before_are_not_level():
    game = playing(4, options={"tie": "roll_off"})
    game.fill((9, 9, 9, 2), left=1)
    game.leave(ANA)
    game.fill((9, 9, 9, 2))
    assert game.on_turn == BEN
    throw(game, "12345")
    _, finished = throw(game, "12346")
    assert finished.places == {"0": 4, "1": 2, "2": 1, "3": 3}


def test_one_who_was_alone_at_the_top_and_resigned_leaves_the_others_to_roll_off():
    game = playing(3, options={"tie": "roll_off"})
    game.fill((99, 9, 9), left=1)
    game.leave(ANA)
    game.fill((99, 9, 9))
    assert game.on_turn == BEN


def test_a_served_five_alike_wins_no_roll_off_at_once():
    game = level((3, 3), options={"tie": "roll_off", "served_generala": "wins"})
    game.force_roll("33333")
    assert list(choices(game.table, game.match)) == ["roll_off"]
    assert game.score("roll_off")[0].points == 15


def test_a_roll_off_turn_that_runs_out_is_rolled_once_and_written():
    game = level((3, 3))
    rolled, scored = game.wait(45_200)
    assert isinstance(rolled, Rolled)
    assert (scored.box, scored.points, scored.auto) == ("roll_off", sum(rolled.dice), True)


def test_bots_roll_off_too():
    game = playing(1, 1, options={"tie": "roll_off"}, order=(1, 0))
    game.fill((4, 4))
    happened = game.wait(0)
    assert [event.box for event in happened if isinstance(event, Scored)] == ["roll_off"]
    assert game.on_turn == ANA


def test_a_roll_off_is_played_out_when_nobody_is_left():
    game = level((3, 3, 3), clock=15)
    game.wait(40 * 15_000)
    assert game.all(Finished)[0].reason == "full"
