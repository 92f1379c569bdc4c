"""The end: the last box, a served win, totals, places (rules.md, the turn and served wins; dice.md, ``finished``)."""

import pytest

from server.match.events import Finished, Rolled, Scored
from server.rules import total
from tests.unit.match.kit import BEN, lucky, playing


def end(totals, **form):
    """A match of people that ends with these totals: the last seat's last box is crossed off by its own hand."""
    game = playing(len(totals), **form)
    game.fill(totals, left=1)
    last = game.table.rules.box_keys[-1]
    for _ in totals:
        game.force_roll("11234")
        scored, *rest = game.score(last)
        assert scored.points == 0
    (finished,) = rest
    return finished


def test_a_tie_at_the_top_is_shared():
    """H020."""
    finished = end((180, 180, 150))
    assert finished.places == {"0": 1, "1": 1, "2": 3}
    assert finished.totals == {"0": 180, "1": 180, "2": 150}
    assert finished.reason == "full"


@pytest.mark.parametrize("totals", [(212, 212), (160, 160, 160, 160)])
def test_all_level_are_all_first(totals):
    """H021, places."""
    assert set(end(totals).places.values()) == {1}


@pytest.mark.parametrize(
    ("totals", "places"),
    [((1, 2), [2, 1]), ((100, 90, 90, 80), [1, 2, 2, 4]), ((50, 60, 60), [3, 1, 1]), ((0, 0, 7), [2, 2, 1])],
)
def test_places_are_one_more_than_the_seats_ahead(totals, places):
    assert list(end(totals).places.values()) == places


def test_the_match_ends_when_every_box_of_every_seat_is_full():
    game = playing(3)
    game.fill((1, 2, 3), left=1)
    kinds = []
    for _ in range(3):
        game.roll()
        kinds.append([type(event) for event in game.score("doble")])
    assert kinds == [[Scored], [Scored], [Scored, Finished]]
    assert (game.table.phase, game.match.turn) == ("finished", None)
    assert len(game.all(Scored)) == 33
    assert game.all(Finished)[0].root == game.chain.root.hex()


@pytest.mark.parametrize(
    ("form", "turns"),
    [
        ({}, 11),
        ({"options": {"doble": "off"}}, 10),
        ({"sheet": "yahtzee"}, 13),
        ({"sheet": "yatzy"}, 15),
        ({"sheet": "yacht"}, 12),
        ({"sheet": "yahtzee3"}, 39),
    ],
)
def test_a_seat_has_as_many_turns_as_its_sheet_has_boxes(form, turns):
    """H016."""
    game = playing(1, 2, **form)
    while game.table.phase == "playing":
        game.wait(60_000)
    assert [scored.seat for scored in game.all(Scored)].count(2) == turns
    assert game.match.sealed.turns == 3 * turns


def test_totals_in_every_place_are_the_same_total():
    """H089: points and bonuses of the events, the state and the end agree after each write."""
    game = playing(3, sheet="triple")
    sums = {0: 0, 1: 0, 2: 0}
    while game.table.phase == "playing":
        game.wait(1)
        game.roll()
        (scored, *_) = game.score(game.open_boxes[0])
        sums[scored.seat] += (scored.points + scored.bonus) * int(scored.box[1])
        assert sums == {seat: total(game.table.rules, sheet) for seat, sheet in game.match.sheets.items()}
    assert game.all(Finished)[0].totals == {str(seat): points for seat, points in sums.items()}


# --- served wins ---


def test_five_alike_on_a_first_roll_end_the_match_where_the_house_says_so():
    game = lucky(3, preset="rio")
    events = game.roll()
    assert [type(event) for event in events] == [Rolled, Finished]
    finished = events[1]
    assert (finished.reason, finished.places, finished.totals) == (
        "served_generala",
        {"0": 1, "1": 2, "2": 2},
        {"0": 0, "1": 0, "2": 0},
    )
    assert game.match.sheets[0].boxes == {}, "nothing is written for that turn"


def test_a_served_win_places_the_others_by_total_whatever_is_open():
    game = lucky(3, preset="rio")
    for seat, points in ((0, 10), (1, 20), (2, 90)):
        game.paper(seat, {"fives": points, "generala": 0})
    finished = game.roll()[1]
    assert finished.places == {"0": 1, "1": 3, "2": 2}


def test_a_served_win_of_the_automatic_play_ends_the_match_as_well():
    """H036, (f)."""
    game = lucky(2, preset="rio")
    rolled, finished = game.wait(45_200)
    assert (rolled.auto, rolled.dice) == (True, (3, 3, 3, 3, 3))
    assert (finished.reason, finished.places) == ("served_generala", {"0": 1, "1": 2})


def test_five_alike_win_nothing_later_in_the_turn_or_where_the_house_does_not_say_so():
    plain = lucky(2)
    assert [type(event) for event in plain.roll()] == [Rolled]
    assert plain.score("generala")[0].points == 50
    rio = playing(2, preset="rio")
    rio.force_roll("33333")
    rio.force_roll("33333", roll=2)
    assert rio.score("generala")[0].points == 50
    assert rio.on_turn == BEN
