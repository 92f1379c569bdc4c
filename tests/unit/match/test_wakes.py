"""The one mechanism for what happens by itself: what is next, when, and what is overdue (server/match/wake.py)."""

import pytest

from server.errors import Refused
from server.match.commands import ComeBack, Rematch
from server.match.events import Rolled, SealAborted
from server.match.play import turn_of
from server.match.wake import elapse, overdue, wake
from server.match.world import Pace
from tests.unit.match.kit import ANA, BEN, T0, ZED, playing, sealing, seated

LATENESS_MS = 200


def test_a_table_with_somebody_there_and_nothing_to_do_has_no_wake():
    assert wake(seated(2).table, seated(2).world) is None


def test_a_seal_has_the_wake_of_its_running_step():
    game = sealing(2)
    assert wake(game.table, game.world) == (T0 + 10_200, "seal", T0 + 10_000)
    game.now += 4_000
    for seat, player in ((0, ANA), (1, BEN)):
        game.do(player, game.commitment(seat))
    assert wake(game.table, game.world) == (T0 + 14_200, "seal", T0 + 14_000)


def test_a_wake_that_fires_too_early_or_too_late_does_no_harm():
    game = sealing(2)
    assert elapse(game.table, "seal", game.moment()) == ()
    game.now += 10_000
    assert elapse(game.table, "seal", game.moment()) == ()
    game.now += 3_600_000
    assert [type(event) for event in elapse(game.table, "seal", game.moment())] == [SealAborted]
    started = playing(2)
    started.now += 3_600_000
    assert elapse(started.table, "seal", started.moment()) == ()


@pytest.mark.parametrize("action", ["bot", "open_next"])
def test_what_the_shell_has_to_do_has_no_events_of_its_own(action):
    game = playing(1, 1)
    assert elapse(game.table, action, game.moment()) == ()


def test_a_hand_over_that_nobody_can_take_has_no_events():
    game = seated(1)
    assert elapse(game.table, "hand_over", game.moment()) == ()


def test_a_bot_thinks_as_long_as_the_pace_says_and_everybody_computes_the_same():
    game = playing(1, 1, order=(1, 0))
    pauses = set()
    for most in (1_000, 3_000):
        game.pace = Pace(1_000, most)
        coming = wake(game.table, game.world)
        assert coming is not None
        assert coming.action == "bot"
        pauses.add(coming.at_ms - game.table.last_at)
        assert coming == wake(game.table, game.world)
    assert pauses == {1_000, 1_000 + 2_000 * game.match.head[0] // 255}


def test_a_bot_thinks_again_for_every_step():
    game = playing(1, 1, order=(1, 0))
    game.pace = Pace(500, 500)
    happened = game.wait(1_000)
    assert [event.at - T0 for event in happened] == [500, 1_000]


def test_a_bot_has_no_deadline_of_the_clock():
    game = playing(1, 1, order=(1, 0))
    game.now = game.deadline + 5_000
    assert overdue(game.table, game.world, game.now) is None
    assert game.next_action() == "bot"


def test_neither_a_bots_move_nor_the_next_table_keeps_a_command_waiting():
    game = playing(2)
    game.leave(ANA)
    for player in (ANA, BEN):
        game.do(player, Rematch())
    game.fire("agree")
    assert game.next_action() == "open_next"
    assert overdue(game.table, game.world, game.now + 1) is None


@pytest.mark.parametrize(("off_ms", "action"), [(0, None), (1, "deadline"), (LATENESS_MS, "deadline")])
def test_a_command_stamped_after_a_deadline_waits_for_the_automatic_play(off_ms, action):
    game = playing(2)
    assert overdue(game.table, game.world, game.deadline + off_ms) == action


@pytest.mark.parametrize(("off_ms", "action"), [(-1, None), (0, "deadline")])
def test_a_resigned_seats_second_has_no_grace(off_ms, action):
    game = playing(3)
    game.leave(ANA)
    coming = wake(game.table, game.world)
    assert coming == (game.deadline, "deadline", game.deadline)
    assert overdue(game.table, game.world, game.deadline + off_ms) == action


def test_automatic_play_is_logged_no_earlier_than_the_last_entry():
    """H033."""
    game = playing(2)
    game.now += 44_999
    game.roll()
    game.now = game.deadline
    events = elapse(game.table, "deadline", game.moment()._replace(at_ms=T0))
    assert {event.at for event in events} == {T0 + 44_999}


def test_the_turn_is_told_to_its_owner_alone():
    game = playing(2)
    match, turn = turn_of(game.table, ANA)
    assert (match, turn) == (game.match, game.turn)
    for player, code in ((BEN, "not_your_turn"), (ZED, "not_seated")):
        with pytest.raises(Refused) as caught:
            turn_of(game.table, player)
        assert caught.value.code == code


def test_a_played_out_persons_turn_is_due_at_once():
    game = playing(2)
    for _ in range(4):
        game.force_score(game.open_boxes[0], auto=True)
    assert wake(game.table, game.world) == (game.now, "play_out", game.now)
    game.now -= 1
    assert overdue(game.table, game.world, game.now) is None
    assert game.do(ANA, ComeBack()), "a return that was sent before the play-out began still counts"
    assert not game.all(Rolled)
