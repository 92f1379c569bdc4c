"""Seats, bots, settings, closing and starting: what can be done before the seal (protocol.md, Client → server)."""

import pytest

from server.errors import Refused
from server.match.commands import (
    AddBot,
    ChangeSettings,
    Close,
    Leave,
    Sit,
    Stand,
    Start,
    Unseat,
)
from server.match.events import BotAdded, Closed, Sat, Sealed, SettingsChanged, Stood
from tests.unit.match.kit import ANA, BEN, CARLA, DANI, T0, ZED, Game, sealing, seated


def test_a_new_table_waits_with_free_seats_and_its_bots_on_the_last_ones():
    game = Game(seats=4, bots=["easy", "medium"])
    assert game.table.phase == "waiting"
    assert [seat and seat.level for seat in game.table.seats] == [None, None, "easy", "medium"]
    assert (game.table.length, game.table.version, game.table.opened_at) == (1, 1, T0)


def test_sitting_takes_the_first_free_seat_or_the_one_that_is_named():
    game = Game(seats=3)
    assert game.do(ANA, Sit(seat=1)) == (Sat(at=T0, seat=1, player=ANA),)
    assert game.do(BEN, Sit()) == (Sat(at=T0, seat=0, player=BEN),)
    assert game.do(CARLA, Sit()) == (Sat(at=T0, seat=2, player=CARLA),)


def test_a_seat_is_taken_once_and_the_rest_may_watch():
    """H066, first and second case."""
    game = seated(3, seats=4)
    assert game.do(DANI, Sit()) == (Sat(at=T0, seat=3, player=DANI),)
    assert [game.code(ZED, Sit()), game.code(ZED, Sit(seat=3))] == ["seat_taken", "seat_taken"]


def test_one_who_sits_may_move_to_a_free_seat():
    game = seated(2, seats=3)
    assert game.do(ANA, Sit(seat=2)) == (Stood(at=T0, seat=0), Sat(at=T0, seat=2, player=ANA))
    assert game.table.seat_of(ANA) == 2
    assert game.code(ANA, Sit(seat=1)) == "seat_taken"


@pytest.mark.parametrize("seat", [None, 0])
def test_sitting_where_one_sits_changes_nothing(seat):
    assert seated(2).do(ANA, Sit(seat=seat)) == ()


@pytest.mark.parametrize("seat", [-1, 2, 99])
def test_a_seat_that_is_not_there_is_a_bad_message(seat):
    game = seated(1)
    assert game.code(BEN, Sit(seat=seat)) == "bad_message"
    assert game.code(ANA, Unseat(seat=seat)) == "bad_message"


def test_start_and_sit_together_give_the_new_seat_or_refuse_it_never_half():
    """H066, third case."""
    first = seated(2, seats=3)
    first.do(CARLA, Sit())
    (sealed,) = first.do(ANA, Start())
    assert [seat.player for seat in sealed.seats] == [ANA, BEN, CARLA]
    second = seated(2, seats=3)
    (sealed,) = second.do(ANA, Start())
    assert [seat.player for seat in sealed.seats] == [ANA, BEN]
    assert second.code(CARLA, Sit()) == "wrong_phase"
    bound = seated(2, seats=3)
    seen = bound.table.version
    bound.do(CARLA, Sit())
    assert bound.code(ANA, Start(version=seen)) == "stale"
    assert bound.do(ANA, Start(version=bound.table.version))


def test_standing_and_leaving_give_the_seat_back():
    game = seated(2)
    assert game.do(BEN, Stand()) == (Stood(at=T0, seat=1),)
    assert game.do(ANA, Leave()) == (Stood(at=T0, seat=0),)
    assert game.table.seats == (None, None)
    assert [game.code(BEN, Stand()), game.code(BEN, Leave())] == ["not_seated", "not_seated"]


def test_the_creator_adds_bots_to_the_first_free_seat():
    game = seated(1, seats=3)
    assert game.do(ANA, AddBot(level="easy")) == (BotAdded(at=T0, seat=1, level="easy"),)
    game.do(ANA, AddBot(level="medium"))
    assert game.code(ANA, AddBot(level="medium")) == "seat_taken"


def test_a_level_that_is_not_offered_is_a_bad_message_that_names_the_field():
    game = seated(1)
    with pytest.raises(Refused, match="easy, medium") as caught:
        game.do(ANA, AddBot(level="grandmaster"))
    assert (caught.value.code, caught.value.field) == ("bad_message", "level")


def test_the_creator_clears_any_seat_and_a_free_one_stays_free():
    game = seated(2, 1, seats=4)
    assert game.do(ANA, Unseat(seat=1)) == (Stood(at=T0, seat=1),)
    assert game.do(ANA, Unseat(seat=2)) == (Stood(at=T0, seat=2),)
    assert game.do(ANA, Unseat(seat=3)) == ()
    assert game.do(BEN, Sit(seat=1)), "one who was cleared may sit again"


def test_the_creator_closes_the_table():
    game = seated(2)
    assert game.do(ANA, Close()) == (Closed(at=T0, reason="creator"),)
    assert game.table.is_closed


def test_a_start_needs_two_occupied_seats_one_of_them_a_persons():
    game = Game(seats=3)
    assert game.code(ANA, Start()) == "wrong_phase"
    game.do(ANA, Sit())
    assert game.code(ANA, Start()) == "wrong_phase"
    game.do(ANA, AddBot(level="easy"))
    game.do(ANA, Stand())
    game.do(ANA, AddBot(level="easy"))
    assert game.code(ANA, Start()) == "wrong_phase"
    game.do(BEN, Sit())
    assert isinstance(game.do(ANA, Start())[0], Sealed)


def test_the_creator_may_start_without_sitting():
    game = Game(seats=2)
    game.do(BEN, Sit())
    game.do(CARLA, Sit())
    assert isinstance(game.do(ANA, Start())[0], Sealed)


@pytest.mark.parametrize(("late_ms", "code"), [(0, "wrong_phase"), (4_999, "wrong_phase"), (5_000, None)])
def test_a_start_waits_five_seconds_after_settings_that_others_sat_through(late_ms, code):
    game = seated(2)
    game.do(ANA, ChangeSettings(clock=30))
    game.now += late_ms
    assert game.code(ANA, Start()) == code


def test_nobody_waits_for_settings_that_no_other_person_sat_through():
    game = seated(1, 1)
    game.do(ANA, ChangeSettings(clock=30))
    assert game.code(ANA, Start()) is None


def test_settings_that_others_felt_are_still_felt_after_a_change_that_nobody_felt():
    game = seated(2)
    game.do(ANA, ChangeSettings(clock=30))
    game.do(BEN, Stand())
    game.do(ANA, ChangeSettings(clock=45))
    game.do(BEN, Sit())
    assert game.code(ANA, Start()) == "wrong_phase"


def test_changing_settings_keeps_what_is_not_named():
    game = seated(2, clock=60)
    (changed,) = game.do(ANA, ChangeSettings(preset="rio"))
    assert isinstance(changed, SettingsChanged)
    assert (changed.settings.clock, changed.settings.preset, changed.settings.seats) == (60, "rio", 2)
    assert game.table.rules.options["served_generala"] == "wins"
    assert game.table.version == 4


def test_changing_the_bots_replaces_them_on_the_last_free_seats():
    game = Game(seats=4, bots=["easy"])
    game.do(ANA, Sit(seat=2))
    game.do(ANA, ChangeSettings(bots=["medium", "medium"]))
    assert [seat and (seat.player or seat.level) for seat in game.table.seats] == [None, "medium", ANA, "medium"]
    game.do(ANA, ChangeSettings(bots=[]))
    assert [seat and (seat.player or seat.level) for seat in game.table.seats] == [None, None, ANA, None]


def test_changing_the_number_of_seats_keeps_those_who_sit():
    game = seated(2)
    game.do(ANA, ChangeSettings(seats=5))
    assert [seat is not None for seat in game.table.seats] == [True, True, False, False, False]
    game.do(ANA, ChangeSettings(seats=2))
    assert game.table.seat_of(BEN) == 1


@pytest.mark.parametrize(
    ("form", "field"),
    [({"seats": 1}, "seats"), ({"clock": 44}, "clock"), ({"seats": 3}, "seats"), ({"bots": ["easy", "easy"]}, "bots")],
)
def test_bad_settings_change_nothing_and_name_the_field(form, field):
    game = Game(seats=4)
    game.do(BEN, Sit(seat=0))
    game.do(CARLA, Sit(seat=1))
    game.do(DANI, Sit(seat=3))
    before = game.table
    with pytest.raises(Refused) as caught:
        game.do(ANA, ChangeSettings(**form))
    assert (caught.value.code, caught.value.field) == ("bad_message", field)
    assert game.table == before


def test_fewer_seats_than_a_bot_needs_are_refused_unless_the_bots_change_too():
    game = Game(seats=3, bots=["easy"])
    assert game.code(ANA, ChangeSettings(seats=2)) == "bad_message"
    game.do(ANA, ChangeSettings(seats=2, bots=["easy"]))
    assert [seat and seat.level for seat in game.table.seats] == [None, "easy"]


def test_a_command_on_a_stamp_before_the_last_entry_is_logged_at_that_entrys_time():
    """H033: `at` never goes backwards."""
    game = seated(1)
    game.now -= 3_000
    assert game.do(BEN, Sit())[0].at == T0


def test_a_connection_without_a_session_is_told_what_it_lacks():
    game = sealing(2)
    for command in (Start(), Close(), AddBot(level="easy"), Unseat(seat=0), ChangeSettings(clock=30)):
        assert game.code(None, command) == "not_creator"
    for command in (Sit(), Stand(), Leave()):
        assert game.code(None, command) == "not_seated"
