"""A creator who is gone, and tables that nobody is at (protocol.md, Away, last line, and Limits)."""

import pytest

from server.match.commands import AddBot, Close, Leave, Sit, Stand, Start
from server.match.events import Closed, CreatorPassed, Sealed
from server.match.lobby import pass_creator
from server.match.wake import due
from tests.unit.match.kit import ANA, BEN, CARLA, DANI, T0, Game, playing, seated

MINUTE_MS = 60_000


def test_the_powers_of_a_creator_who_is_gone_for_a_minute_pass_to_the_person_seated_longest():
    """H067."""
    game = Game(seats=4)
    for player in (CARLA, BEN, DANI):
        game.now += 1_000
        game.connect(player)
        game.do(player, Sit())
    gone = game.now = T0 + 10_000
    game.drop(ANA)
    assert game.until(gone + MINUTE_MS - 1) == []
    assert game.until(gone + MINUTE_MS) == [CreatorPassed(at=gone + MINUTE_MS, player=CARLA)]
    game.connect(ANA)
    assert [game.code(ANA, Start()), game.code(BEN, Start())] == ["not_creator", "not_creator"]
    assert game.do(CARLA, AddBot(level="easy"))
    assert isinstance(game.do(CARLA, Start())[0], Sealed)


@pytest.mark.parametrize("command", [Stand(), Leave()])
def test_a_creator_who_stands_but_watches_keeps_the_powers(command):
    """H067: gone means without a connection."""
    game = seated(3)
    game.do(ANA, command)
    assert game.wait(10 * MINUTE_MS) == []
    assert game.code(ANA, Start()) is None


def test_a_creator_who_returns_within_the_minute_keeps_the_powers():
    game = seated(2)
    game.drop(ANA)
    game.wait(MINUTE_MS - 1)
    game.connect(ANA)
    assert game.wait(MINUTE_MS) == []


def test_powers_pass_only_to_people_who_sit_and_are_there():
    game = seated(2, 1, seats=4)
    game.connect(DANI)
    game.drop(BEN)
    game.drop(ANA)
    assert game.wait(9 * MINUTE_MS) == []
    game.connect(BEN)
    assert [type(event) for event in game.until(game.now)] == [CreatorPassed]
    assert game.table.creator == BEN


def test_of_two_who_sat_down_together_the_lower_seat_gets_the_powers():
    game = seated(3)
    game.drop(ANA)
    game.wait(MINUTE_MS)
    assert game.table.creator == BEN


def test_a_creator_who_never_came_is_gone_since_the_table_opened():
    game = Game(seats=3)
    del game.present[ANA]
    game.connect(BEN)
    game.do(BEN, Sit())
    assert game.until(T0 + MINUTE_MS - 1) == []
    assert [type(event) for event in game.until(T0 + MINUTE_MS)] == [CreatorPassed]


def test_nobody_is_handed_anything_when_nobody_can_take_it():
    game = seated(1)
    assert pass_creator(game.table, game.world.presence, game.now) == ()


def test_passing_the_powers_changes_the_version_that_a_start_is_bound_to():
    game = seated(3)
    seen = game.table.version
    game.drop(ANA)
    game.wait(MINUTE_MS)
    assert game.table.version == seen + 1
    assert game.code(BEN, Start(version=seen)) == "stale"


def test_no_powers_pass_in_a_match_but_they_do_when_the_seal_fails():
    game = playing(3)
    game.drop(ANA)
    game.force_score("ones")
    assert game.next_action() == "deadline"
    failing = seated(3)
    failing.do(ANA, Start())
    failing.drop(ANA)
    failing.now += 5_000
    failing.do(CARLA, Stand())
    assert failing.wait(MINUTE_MS - 5_001) == []
    assert [type(event) for event in failing.wait(1)] == [CreatorPassed]


def test_a_waiting_table_that_nobody_is_at_closes_after_ten_minutes():
    """H085, third."""
    game = seated(2)
    game.drop(BEN)
    game.now += 5_000
    game.drop(ANA)
    assert game.until(T0 + 5_000 + 10 * MINUTE_MS - 1) == []
    assert game.until(T0 + 5_000 + 10 * MINUTE_MS) == [Closed(at=T0 + 605_000, reason="empty")]
    assert game.next_action() is None


def test_a_table_that_nobody_ever_came_to_closes_ten_minutes_after_it_opened():
    game = Game()
    game.empty_since = T0 - 3_600_000
    assert game.until(T0 + 10 * MINUTE_MS - 1) == []
    assert [type(event) for event in game.until(T0 + 10 * MINUTE_MS)] == [Closed]


def test_a_waiting_table_with_one_person_there_stays():
    """H085, second."""
    game = seated(1)
    assert game.wait(120 * MINUTE_MS) == []


def test_a_running_match_that_nobody_is_at_is_not_closed():
    game = playing(2, clock=0)
    game.drop(BEN)
    game.drop(ANA)
    assert not [event for event in game.wait(60 * MINUTE_MS) if isinstance(event, Closed)]


def test_what_is_due_is_named_from_its_time_on():
    game = seated(2)
    game.drop(BEN)
    game.drop(ANA)
    assert due(game.table, game.world, T0 + 10 * MINUTE_MS - 1) is None
    assert due(game.table, game.world, T0 + 10 * MINUTE_MS) == "close"
    game.connect(BEN)
    game.do(ANA, Close())
    assert due(game.table, game.world, T0 + 20 * MINUTE_MS) is None
