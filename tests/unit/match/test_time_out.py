"""What is written for a seat whose time ran out (rules.md, "What time-out writes")."""

import pytest

from server.match.events import Finished, Rolled, Scored
from tests.unit.match.kit import ANA, BEN, T0, playing, seated

RAN_OUT_MS = 45_200


def open_only(game, *boxes):
    """Ana's sheet with these boxes open and 0 in all others."""
    game.paper(0, dict.fromkeys((box for box in game.table.rules.box_keys if box not in boxes), 0))


def test_an_empty_sheet_and_no_roll_yet_takes_the_best_of_the_servers_roll():
    """H036, (a)."""
    game = seated(2)
    game.seal(first="22556")
    rolled, scored = game.wait(RAN_OUT_MS)
    assert (type(rolled), sorted(rolled.dice), rolled.roll, rolled.held, rolled.auto) == (Rolled, [2, 2, 5, 5, 6], 1, (), True)
    assert (scored.box, scored.points, scored.bonus, scored.auto) == ("fives", 10, 0, True)
    assert rolled.at == scored.at == T0 + RAN_OUT_MS


@pytest.mark.parametrize(
    ("form", "boxes", "dice", "roll", "written"),
    [
        ({}, ("full", "ones", "twos"), "22255", 1, ("full", 35, 0)),
        ({}, ("threes", "sixes"), "12336", 2, ("threes", 6, 0)),
        ({}, ("escalera", "full", "generala"), "11246", 3, ("escalera", 0, 0)),
        ({}, ("ones", "generala"), "23456", 3, ("ones", 0, 0)),
    ],
)
def test_the_best_box_is_written_level_the_smaller_level_the_first(form, boxes, dice, roll, written):
    """H036, (b) to (d), and H019."""
    game = playing(2, **form)
    open_only(game, *boxes)
    game.force_roll(dice, roll=roll)
    (scored,) = game.wait(RAN_OUT_MS)
    assert (scored.box, scored.points, scored.bonus) == written
    assert scored.auto
    assert not game.all(Rolled)[0].auto, "the player's own rolls are no automatic ones"


def test_the_joker_rule_binds_the_automatic_write():
    """H036, (e)."""
    game = playing(2, sheet="yahtzee")
    game.paper(0, {"yahtzee": 50})
    game.force_roll("44444", roll=3)
    (scored,) = game.wait(RAN_OUT_MS)
    assert (scored.box, scored.points, scored.bonus) == ("fours", 20, 100)


def test_a_box_crossed_off_by_the_clock_counts_at_once():
    """H019."""
    game = playing(3)
    game.fill((30, 10, 20), left=2)
    game.paper(0, {box: 3 for box in game.table.rules.box_keys if box not in ("ones", "generala")})
    game.force_roll("23456", roll=3)
    (scored,) = game.wait(RAN_OUT_MS)
    assert (scored.box, scored.points, scored.auto) == ("ones", 0, True)
    assert game.match.sheets[0].boxes["ones"] == 0
    assert "generala" not in game.match.sheets[0].boxes
    assert game.on_turn == BEN


def test_an_automatic_first_roll_is_served_when_it_is_written():
    game = seated(2)
    game.seal(first="22255")
    _, scored = game.wait(RAN_OUT_MS)
    assert (scored.box, scored.points) == ("full", 35)


def test_the_last_box_of_a_match_that_runs_out_ends_it():
    game = playing(2)
    game.fill((9, 9), left=1)
    game.force_score("doble")
    assert game.on_turn == BEN
    kinds = [type(event) for event in game.wait(RAN_OUT_MS)]
    assert kinds == [Rolled, Scored, Finished]


def test_the_automatic_play_runs_until_the_turn_has_ended_and_extends_no_deadline():
    game = playing(2)
    game.roll()
    game.roll()
    (scored,) = game.wait(RAN_OUT_MS)
    assert isinstance(scored, Scored)
    assert game.on_turn == BEN
    assert game.match.seat_of(ANA) == 0
