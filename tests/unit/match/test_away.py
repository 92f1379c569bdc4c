"""Away seats, coming back, and the play-out of a match that nobody plays any more (protocol.md, Away)."""

import pytest

from server.match.commands import ComeBack
from server.match.events import Back, Finished, Left, Rolled, Scored
from server.match.world import Pace
from tests.unit.match.kit import ANA, BEN, CARLA, T0, ZED, Game, playing

CLOCK_MS = 45_000
AWAY_MS = 3_000
LATENESS_MS = 200
PLAY_OUT_EVENTS = 40


def rounds(game: Game, count: int, *idle: int):
    """So many rounds in which the ``idle`` seats are written automatically and the others by hand, a second a turn."""
    for _ in range(count * len(game.match.seats)):
        game.now += 1_000
        seat = game.turn.seat
        game.force_score(game.open_boxes[0], auto=seat in idle)


def test_two_turns_that_ran_out_make_a_seat_away_and_coming_back_gives_it_the_whole_clock():
    """H037."""
    game = playing(2)
    game.drop(ANA)
    lengths = []
    for _ in range(3):
        start = game.turn.start
        while game.turn.seat == 0:
            game.wait(100)
        lengths.append(game.turn.start - start)
        game.force_score(game.open_boxes[0])
    assert lengths == [CLOCK_MS + LATENESS_MS, CLOCK_MS + LATENESS_MS, AWAY_MS + LATENESS_MS]
    assert game.match.is_away(0)
    start = game.turn.start
    game.now += 1_000
    game.connect(ANA)
    assert game.do(ANA, ComeBack()) == (Back(at=start + 1_000, seat=0),)
    assert (game.deadline, game.match.is_away(0)) == (start + CLOCK_MS, False)


def test_one_turn_that_ran_out_makes_nobody_away():
    game = playing(2)
    rounds(game, 1, 0)
    assert not game.match.is_away(0)
    assert game.deadline == game.turn.start + CLOCK_MS


def test_a_turn_by_hand_in_between_starts_the_count_again():
    game = playing(2)
    rounds(game, 1, 0)
    rounds(game, 1)
    rounds(game, 1, 0)
    assert not game.match.is_away(0)
    rounds(game, 1, 0)
    assert game.match.is_away(0)


@pytest.mark.parametrize("move", ["roll", "score"])
def test_a_roll_or_write_of_ones_own_is_a_return_in_the_same_append(move):
    game = playing(2)
    rounds(game, 2, 0)
    if move == "score":
        game.force_roll("12345")
    start = game.turn.start
    game.now += 500
    events = game.roll() if move == "roll" else game.score("escalera")
    assert [type(event) for event in events] == [Back, Rolled if move == "roll" else Scored]
    assert not game.match.is_away(0)
    if move == "roll":
        assert game.deadline == start + CLOCK_MS


def test_a_return_off_turn_moves_nobodys_deadline():
    game = playing(3)
    rounds(game, 2, 2)
    game.now += 10_000
    before = game.turn
    assert game.do(CARLA, ComeBack()) == (Back(at=game.now, seat=2),)
    assert game.turn == before


def test_a_return_leaves_the_second_of_a_seat_that_resigned_in_its_turn():
    game = playing(3)
    rounds(game, 2, 2)
    game.now += 20_000
    game.leave(ANA)
    deadline = game.now + 1_000
    assert (game.turn.seat, game.deadline) == (0, deadline)
    game.now += 500
    game.do(CARLA, ComeBack())
    assert game.deadline == deadline


def test_after_a_return_two_more_turns_have_to_run_out():
    game = playing(2)
    rounds(game, 2, 0)
    game.do(ANA, ComeBack())
    rounds(game, 1, 0)
    assert not game.match.is_away(0)
    rounds(game, 1, 0)
    assert game.match.is_away(0)


def test_only_an_away_seat_comes_back():
    game = playing(3)
    assert game.code(ANA, ComeBack()) == "wrong_phase"
    assert [game.code(ZED, ComeBack()), game.code(None, ComeBack())] == ["not_seated", "not_seated"]
    rounds(game, 2, 0)
    game.leave(ANA)
    assert game.code(ANA, ComeBack()) == "not_your_turn"
    assert not game.match.is_away(0), "a seat that resigned is not away"


def test_what_an_outage_gave_back_is_not_lost_by_coming_back():
    game = playing(2)
    rounds(game, 2, 0)
    start = game.turn.start
    game.outage(start + 1_000, start + 60_000)
    game.until(game.now)
    assert game.deadline == start + 70_000
    game.do(ANA, ComeBack())
    assert game.deadline == start + 70_000
    game.now = start + 69_000
    assert [type(event) for event in game.roll()] == [Rolled]


def test_coming_back_after_a_short_outage_gives_the_whole_clock():
    game = playing(2)
    rounds(game, 2, 0)
    start = game.turn.start
    game.outage(start + 1_000, start + 5_000)
    game.until(game.now)
    assert game.deadline == start + 15_000
    game.do(ANA, ComeBack())
    assert game.deadline == start + CLOCK_MS


# --- play-out ---


def test_a_person_who_is_gone_among_bots_is_away_after_two_turns_and_the_rest_is_played_out():
    """H123, disconnected."""
    game = playing(1, 3)
    game.pace = Pace(1_000, 1_000)
    game.drop(ANA)
    game.wait(2 * (CLOCK_MS + LATENESS_MS) + 6_000)
    began = game.match.play_out_at
    assert began is not None
    assert game.match.finished is not None
    assert game.match.finished.at == began, "at once: bots take no time either"
    assert game.match.finished.reason == "void"


def test_deadlines_in_a_play_out_are_the_time_it_began():
    game = playing(2, 1)
    rounds(game, 2, 0, 1)
    assert game.match.play_out_at == game.now - 1_000, "the write that made the second person away, before the bot's"
    assert game.deadline == game.match.play_out_at
    game.until(game.now)
    assert game.table.phase == "finished"


def test_a_play_out_is_appended_in_pieces_of_forty_events_at_most_until_the_end():
    game = playing(3)
    rounds(game, 2, 0, 1, 2)
    pieces = []
    while game.next_action() == "play_out":
        pieces.append(game.fire("play_out"))
    assert [len(piece) for piece in pieces] == [38, 17]
    assert max(map(len, pieces)) <= PLAY_OUT_EVENTS
    assert all(event.at == game.now for piece in pieces for event in piece)
    assert isinstance(pieces[-1][-1], Finished)
    assert all(event.auto for piece in pieces for event in piece if isinstance(event, Rolled | Scored))


def test_a_match_in_which_nobody_wrote_by_hand_is_void_after_a_play_out():
    """H080, first."""
    game = playing(2)
    game.wait(20 * CLOCK_MS)
    assert game.all(Finished)[0].reason == "void"


def test_one_write_by_hand_makes_a_played_out_match_count():
    """H081, last: the rest is rated by place."""
    game = playing(2)
    game.roll()
    game.score("ones")
    game.wait(20 * CLOCK_MS)
    assert game.all(Finished)[0].reason == "full"
    assert min(game.all(Finished)[0].places.values()) == 1


def test_a_bots_write_is_not_a_persons():
    game = playing(1, 1)
    game.wait(20 * CLOCK_MS)
    assert any(not event.auto for event in game.all(Scored))
    assert game.all(Finished)[0].reason == "void"


def test_a_person_can_come_back_in_the_middle_of_a_play_out():
    game = playing(2, 1)
    rounds(game, 2, 0, 1)
    game.fire("play_out")
    assert game.next_action() == "bot"
    game.do(BEN, ComeBack())
    assert game.match.play_out_at is None
    assert game.deadline == game.turn.start + CLOCK_MS
    game.pace = Pace(2_000, 2_000)
    assert game.next_action() == "bot"
    assert game.wait(1_999) == []
    game.wait(10_000)
    assert game.on_turn in (ANA, BEN)
    assert game.table.phase == "playing"


def test_a_command_cannot_come_between_a_play_out_and_its_end():
    game = playing(2)
    rounds(game, 2, 0, 1)
    assert game.code(ANA, ComeBack()) == "wrong_phase"
    assert game.table.phase == "finished"


def test_a_person_on_turn_who_resigns_leaves_the_rest_to_be_played_out_at_once():
    """H123: one person and three bots."""
    game = playing(1, 3)
    game.now += 2_000
    assert [type(event) for event in game.leave(ANA)] == [Left]
    assert (game.match.play_out_at, game.deadline) == (game.now, game.now)
    game.until(game.now)
    finished = game.all(Finished)[0]
    assert (finished.reason, finished.at, finished.places["0"]) == ("void", T0 + 2_000, 4)


def test_resigned_and_away_together_leave_nobody_to_play():
    game = playing(3)
    rounds(game, 2, 0, 1)
    assert game.match.play_out_at is None
    game.leave(CARLA)
    assert game.match.play_out_at == game.now
    game.until(game.now)
    assert game.all(Finished)[0].reason == "full"
    assert game.all(Finished)[0].places["2"] == 3
