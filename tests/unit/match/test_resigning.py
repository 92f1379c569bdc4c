"""Seats that resign: who goes on, how, and where they are placed (protocol.md, Away; rules.md, the turn)."""

import pytest

from server.match.commands import Leave
from server.match.events import Finished, Left, Opened, Rolled, Sat, Scored, SealAborted
from tests.unit.match.kit import ANA, BEN, CARLA, DANI, PEOPLE, T0, lucky, playing, sealing, seated

CLOCK_MS = 45_000
SECOND_MS = 1_000


def turns_of(events):
    """Who wrote, in order."""
    return [event.seat for event in events if isinstance(event, Scored)]


def test_the_seat_on_turn_that_leaves_is_written_within_a_second_and_the_next_has_the_whole_clock():
    """H044."""
    game = playing(3)
    game.force_roll("12346")
    game.force_roll("22255")
    game.now += 20_000
    assert game.leave(ANA) == (Left(at=T0 + 20_000, seat=0, reason="resigned"),)
    assert game.deadline == T0 + 21_000
    (scored,) = game.wait(SECOND_MS)
    assert (scored.box, scored.points, scored.auto, scored.at) == ("full", 30, True, T0 + 21_000)
    assert (game.on_turn, game.deadline) == (BEN, T0 + 21_000 + CLOCK_MS)


def test_a_seat_that_resigned_plays_on_a_second_a_turn_until_the_end_behind_those_who_stayed():
    """H044."""
    game = playing(3)
    game.fill((90, 0, 0), left=2)
    game.leave(ANA)
    starts = []
    while game.table.phase == "playing":
        if game.turn.seat == 0:
            start = game.turn.start
            happened = game.wait(SECOND_MS)
            assert [(type(event), event.at) for event in happened] == [(Rolled, start + 1_000), (Scored, start + 1_000)]
            starts.append(start)
        else:
            game.roll()
            game.score(game.open_boxes[0])
    assert len(starts) == 2
    assert game.all(Finished)[0].places["0"] == 3
    assert game.all(Finished)[0].totals["0"] >= 90


def test_a_turn_that_would_have_ended_sooner_keeps_its_deadline():
    game = playing(3)
    game.now += CLOCK_MS - 300
    game.leave(ANA)
    assert game.deadline == T0 + CLOCK_MS


@pytest.mark.parametrize("gone", [ANA, BEN, DANI])
def test_whoever_leaves_the_one_on_turn_stays_and_the_order_goes_on(gone):
    """H045: turn order Ana, Ben, Carla, Dani; Carla is on turn."""
    game = playing(4)
    game.force_score("ones")
    game.force_score("ones")
    game.leave(gone)
    assert (game.on_turn, game.deadline) == (CARLA, T0 + CLOCK_MS)
    begin = len(game.events)
    for _ in range(8):
        if game.on_turn == gone:
            game.wait(SECOND_MS)
        else:
            game.force_score(game.open_boxes[0])
    assert turns_of(game.events[begin:]) == [2, 3, 0, 1, 2, 3, 0, 1]


def test_one_who_resigned_never_moves_again_on_turn_or_off():
    """H045: Ben's roll after resigning is refused."""
    game = playing(4)
    game.leave(BEN)
    for _ in range(2):
        assert game.code(BEN, game.rolling()) == "not_your_turn"
        assert game.code(BEN, game.writing("ones")) == "not_your_turn"
        assert game.code(BEN, Leave()) == "not_your_turn"
        game.force_score("ones")


def test_a_match_ends_at_once_when_one_seat_is_left():
    game = playing(2)
    game.force_score("ones", 4)
    events = game.leave(ANA)
    assert [type(event) for event in events] == [Left, Finished]
    assert (events[1].reason, events[1].totals, events[1].places) == ("resigned", {"0": 4, "1": 0}, {"0": 2, "1": 1})
    assert events[1].root == game.chain.root.hex()
    assert game.match.turn is None


def test_of_several_that_resigned_the_later_is_ahead():
    game = playing(4)
    game.fill((40, 30, 20, 10), left=1)
    for player in (BEN, DANI, ANA):
        game.leave(player)
    assert game.all(Finished)[0].places == {"0": 2, "1": 4, "2": 1, "3": 3}


def test_bots_that_stay_play_on_after_the_last_person_resigned():
    game = playing(2, 2)
    game.leave(ANA)
    game.leave(BEN)
    assert game.table.phase == "playing"
    game.until(game.now)
    finished = game.all(Finished)[0]
    assert finished.places["1"] == 3
    assert finished.places["0"] == 4
    assert finished.reason == "void"


def test_two_people_who_resign_leave_one_winner():
    """H123: rated, two people; the first to resign loses."""
    game = playing(2)
    for _ in range(3):
        game.roll()
        game.score(game.open_boxes[0])
    game.leave(BEN)
    assert game.all(Finished)[0].places == {"0": 1, "1": 2}
    assert game.code(ANA, game.rolling()) == "wrong_phase"


def test_leaving_before_the_opening_is_no_match_and_after_it_a_last_place():
    """H081."""
    waiting = seated(3)
    waiting.leave(ANA)
    assert waiting.table.match is None
    committing = sealing(3)
    committing.leave(ANA)
    assert isinstance(committing.events[-1], SealAborted)
    revealing = sealing(3)
    for seat, player in enumerate(PEOPLE[:3]):
        revealing.do(player, revealing.commitment(seat))
    revealing.leave(ANA)
    assert isinstance(revealing.events[-1], SealAborted)
    opened = playing(3)
    opened.leave(ANA)
    assert [type(event) for event in opened.events[-2:]] == [Opened, Left]
    opened.wait(30 * CLOCK_MS)
    assert opened.all(Finished)[0].places["0"] == 3


def test_five_alike_in_a_resigned_seats_turn_are_written_and_end_nothing():
    game = lucky(3, preset="rio")
    game.leave(ANA)
    rolled, scored = game.wait(SECOND_MS)
    assert rolled.dice == (3, 3, 3, 3, 3)
    assert (scored.box, scored.points) == ("generala", 50)
    assert game.table.phase == "playing"


def test_a_seat_is_not_given_back_by_resigning():
    game = playing(3)
    game.leave(ANA)
    assert game.table.seat_of(ANA) == 0
    assert len(game.all(Sat)) == 3
