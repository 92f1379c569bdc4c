"""What a table looks like to people (protocol.md, ``welcome`` and ``event``)."""

import json

import msgspec
import pytest

from server.match.commands import Rematch, Sit
from server.match.events import Code
from server.match.view import away_seats, table_view, totals_view, turn_view, wire_head
from tests.unit.match.kit import ANA, BEN, CARLA, MATCH, T0, Game, lucky, playing, sealing, seated

CODE = Code("AAAAAA")
NAMES = {ANA: "Ana", BEN: "Ben"}


def shown(game, held=None):
    view = table_view(game.table, CODE, game.world.presence, NAMES, held)
    return json.loads(msgspec.json.encode(view))


def test_a_waiting_table_shows_settings_and_all_seats_free_ones_too():
    game = seated(1, 1, seats=3, clock=60)
    game.drop(ANA)
    assert shown(game) == {
        "code": CODE,
        "version": 3,
        "creator": ANA,
        "sheet": "generala",
        "options": game.table.rules.options,
        "preset": "standard",
        "clock": 60,
        "rated": False,
        "visibility": "public",
        "seats": [
            seat(0, "human", player=ANA, name="Ana"),
            seat(1, "bot", level="medium", connected=True),
            seat(2, "free"),
        ],
        "phase": "waiting",
        "scores": {},
        "bonus": {},
        "totals": {},
    }


def seat(number, kind, **known):
    plain = {"seat": number, "kind": kind, "player": None, "name": None, "connected": False, "away": False, "left": False}
    return plain | known


def test_a_rated_table_says_so_before_anyone_sits_and_no_more_with_a_bot():
    assert shown(Game())["rated"] is True
    assert shown(seated(1, 1))["rated"] is False


def test_a_player_without_a_known_name_is_shown_by_id():
    game = seated(3)
    assert shown(game)["seats"][2] == seat(2, "human", player=CARLA, connected=True)


def test_a_sealing_table_shows_what_is_needed_to_finish_the_seal():
    game = sealing(2)
    view = shown(game)
    assert (view["phase"], view["match"], view["attempt"], len(view["anchor"])) == ("sealing", MATCH, 1, 64)
    assert "commitments" not in view
    game.do(ANA, game.commitment(0))
    assert "commitments" not in shown(game)
    game.do(BEN, game.commitment(1))
    view = shown(game)
    assert view["commitments"] == {"0": game.commitment(0).commitment, "1": game.commitment(1).commitment}
    assert not {"entropy", "order", "turn", "places"} & view.keys()


def test_a_playing_table_shows_the_turn_and_the_opening():
    game = playing(2)
    view = shown(game)
    assert (view["phase"], view["order"], view["entropy"]) == ("playing", [0, 1], game.match.entropy.hex())
    assert view["turn"] == {"turn": 1, "seat": 0, "roll": 0, "dice": [], "held": [], "deadline": T0 + 45_000}
    assert (view["scores"], view["bonus"], view["totals"]) == ({"0": {}, "1": {}}, {"0": 0, "1": 0}, {"0": 0, "1": 0})


def test_after_a_roll_every_legal_box_is_priced_without_bonus_or_factor():
    game = playing(2, sheet="triple")
    game.paper(0, {"x3:yahtzee": 50})
    game.force_roll("44444")
    turn = turn_view(game.table)
    assert turn is not None
    assert isinstance(turn.boxes, dict)
    assert (turn.boxes["x3:fours"], turn.boxes["x1:fours"]) == (20, 20)
    assert "x3:full_house" not in turn.boxes


def test_dice_held_just_now_are_shown_in_place_of_those_rolled_with():
    game = playing(2)
    game.roll()
    game.roll((0, 3))
    assert shown(game)["turn"]["held"] == [0, 3]
    assert shown(game, (1,))["turn"]["held"] == [1]
    assert shown(game, ())["turn"]["held"] == []


def test_a_turn_without_a_clock_has_a_null_deadline():
    assert shown(playing(2, clock=0))["turn"]["deadline"] is None


def test_away_and_left_seats_are_marked():
    game = playing(3)
    for _ in range(2):
        for auto in (True, False, False):
            game.force_score(game.open_boxes[0], auto=auto)
    game.leave(CARLA)
    marks = [(seat["away"], seat["left"]) for seat in shown(game)["seats"]]
    assert marks == [(True, False), (False, False), (False, True)]
    assert away_seats(game.table) == {0}
    assert away_seats(Game().table) == frozenset()


def test_totals_and_bonuses_are_by_seat_with_the_columns_factor():
    game = playing(2, sheet="triple")
    game.force_score("x3:yahtzee", 50, bonus=100)
    view = shown(game)
    assert (view["bonus"]["0"], view["totals"]["0"], view["scores"]["0"]) == (300, 450, {"x3:yahtzee": 50})
    assert totals_view(game.table) == {"0": 450, "1": 0}
    assert totals_view(Game().table) == {}


def test_a_finished_table_shows_places_and_who_wants_a_rematch():
    game = lucky(2, preset="rio")
    game.roll()
    view = shown(game)
    assert (view["phase"], view["places"], view["rematch"]) == ("finished", {"0": 1, "1": 2}, [])
    assert "turn" not in view
    assert turn_view(game.table) is None
    game.do(BEN, Rematch())
    assert shown(game)["rematch"] == [1]


def test_n_and_head_are_null_before_the_seal_and_the_head_is_shortened():
    game = seated(2)
    assert wire_head(game.table) == (None, None)
    assert turn_view(game.table) is None
    game.seal()
    assert wire_head(game.table) == (2, game.match.head.hex()[:16])


def test_the_options_are_written_out_in_full():
    assert shown(playing(2, preset="diez"))["options"] == {
        "ace_high_straight": False,
        "doble": "off",
        "doble_needs_generala": True,
        "points": {
            "doble": 100,
            "escalera": 20,
            "full": 30,
            "generala": 50,
            "poker": 40,
            "served_escalera": 25,
            "served_full": 35,
            "served_poker": 45,
        },
        "served_generala": "wins",
        "tie": "share",
    }


@pytest.mark.parametrize("rolls", [0, 1, 3])
def test_no_key_and_no_root_is_in_reach_of_a_view_while_a_match_runs(rolls):
    """H050: neither of this turn nor of a later one."""
    game = playing(2)
    for _ in range(rolls):
        game.roll()
    text = json.dumps(shown(game)) + repr(game.table)
    for turn in range(1, game.chain.turns + 1):
        assert game.chain.key(turn).hex() not in text
        assert repr(game.chain.key(turn)) not in text


def test_a_view_stays_the_same_whoever_sits_down_later():
    game = Game(seats=3)
    before = shown(game)
    game.do(BEN, Sit())
    after = shown(game)
    assert (before["seats"][0]["kind"], after["seats"][0]["kind"]) == ("free", "human")
    assert (before["version"], after["version"]) == (1, 2)
