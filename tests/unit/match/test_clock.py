"""One clock a turn, and what an outage gives back (protocol.md, Clock)."""

import pytest
from msgspec.structs import replace

from server.match.clockwork import deadline_of
from server.match.commands import ComeBack, Leave, Nudge, Roll
from server.match.events import Back, ClockGiven, Rolled, Scored
from server.match.wake import overdue, wake
from server.match.world import PlayerPresence
from tests.unit.match.kit import ANA, BEN, CARLA, PEOPLE, T0, ZED, Game, playing, seated

CLOCK_MS = 45_000
LATENESS_MS = 200
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS


def shapes(events):
    return [(type(event), event.seat, event.auto) for event in events]


# --- the deadline ---


@pytest.mark.parametrize("clock", [15, 30, 45, 60, 90, 120])
def test_a_turn_lasts_as_long_as_the_clock_from_the_end_of_the_one_before(clock):
    game = playing(2, clock=clock)
    assert game.deadline == T0 + clock * 1_000
    game.now += 7_000
    game.roll()
    assert game.deadline == T0 + clock * 1_000, "rolls share the clock"
    game.now += 1_000
    game.score("ones")
    assert (game.turn.start, game.deadline) == (T0 + 8_000, T0 + 8_000 + clock * 1_000)


@pytest.mark.parametrize(("off_ms", "counts"), [(-5, True), (0, True), (5, False)])
def test_a_roll_counts_up_to_the_deadline_and_the_automatic_play_after_it(off_ms, counts):
    """H025, roll."""
    game = playing(2)
    command = game.rolling()
    game.now = game.deadline + off_ms
    assert game.code(ANA, command) == (None if counts else "stale")
    moves = shapes(event for event in game.events if isinstance(event, Rolled | Scored))
    assert moves == ([(Rolled, 0, False)] if counts else [(Rolled, 0, True), (Scored, 0, True)])
    game.wait(LATENESS_MS + 5)
    assert [event.turn for event in game.all(Scored)] == [1]
    assert game.all(Scored)[0].auto


@pytest.mark.parametrize(("at_ms", "counts"), [(44_000, True), (45_000, True), (45_001, False)])
def test_a_write_counts_up_to_the_deadline_and_the_automatic_play_after_it(at_ms, counts):
    """H025, score, and H027."""
    game = playing(2)
    game.force_roll("22255")
    command = game.writing("twos")
    game.now = T0 + at_ms
    assert game.code(ANA, command) == (None if counts else "stale")
    (scored,) = game.all(Scored)
    assert (scored.box, scored.auto) == (("twos", False) if counts else ("full", True))
    assert scored.at >= game.all(Rolled)[0].at


@pytest.mark.parametrize("other", [BEN, ZED, None])
def test_anybodys_late_command_first_lets_the_automatic_play_happen(other):
    game = playing(2)
    game.now = game.deadline + 1
    game.code(other, Leave() if other is ZED else Roll(held=(), expect=0))
    assert shapes(game.all(Rolled) + game.all(Scored)) == [(Rolled, 0, True), (Scored, 0, True)]
    assert game.all(Scored)[0].at == T0 + CLOCK_MS + 1


def test_the_wake_of_a_deadline_comes_200_ms_after_it():
    game = playing(2)
    coming = wake(game.table, game.world)
    assert coming == (game.deadline + LATENESS_MS, "deadline", game.deadline)
    assert game.until(game.deadline + LATENESS_MS - 1) == []
    assert shapes(game.until(game.deadline + LATENESS_MS)) == [(Rolled, 0, True), (Scored, 0, True)]


def test_nothing_of_any_client_is_needed_for_the_clock_to_run_out():
    """H024: the connection is gone without a word, the clock runs on."""
    game = playing(2)
    game.now += 35_000
    game.drop(ANA)
    happened = game.wait(10_200)
    assert [event.at for event in happened] == [T0 + 45_200] * 2


def test_a_reconnect_within_the_turn_loses_and_wins_nothing():
    """H034, H043."""
    game = playing(2)
    game.now += 20_000
    game.drop(ANA)
    game.now += 3_000
    game.connect(ANA)
    assert (game.deadline, game.match.is_away(0)) == (T0 + CLOCK_MS, False)
    assert [type(event) for event in game.roll()] == [Rolled]


def test_a_command_that_is_decided_late_is_logged_when_it_arrived():
    """H028: the event's time is the arrival at the server."""
    game = playing(2)
    game.force_roll("22255")
    game.now += 20_000
    game.score("full")
    assert game.all(Scored)[0].at == T0 + 20_000
    assert game.deadline == T0 + 20_000 + CLOCK_MS


def test_the_creators_leaving_moves_nobodys_clock():
    """H032."""
    game = playing(3, order=(1, 2, 0))
    game.now += 20_000
    game.leave(ANA)
    game.drop(ANA)
    assert (game.on_turn, game.deadline) == (BEN, T0 + CLOCK_MS)


@pytest.mark.parametrize("step_ms", [-3_000, -3_600_000])
def test_times_in_the_log_never_decrease_whatever_a_workers_clock_does(step_ms):
    """H033."""
    game = playing(2)
    game.now += 5_000
    game.roll()
    game.now += step_ms
    game.score("ones")
    game.roll()
    assert [event.at for event in game.events[-3:]] == [T0 + 5_000] * 3
    assert game.deadline == T0 + 5_000 + CLOCK_MS


# --- outages ---


def given(game):
    assert all(event.reason == "outage" for event in game.all(ClockGiven))
    return [(event.turn, event.seat, event.from_ms, event.to_ms, event.deadline) for event in game.all(ClockGiven)]


def test_an_outage_in_mid_turn_is_given_back_whole():
    """H035, first run: 30 s left, back after 10 s."""
    game = playing(2)
    game.roll()
    dice = game.turn.dice
    game.outage(T0 + 15_000, T0 + 25_000)
    game.until(game.now)
    assert given(game) == [(1, 0, T0 + 15_000, T0 + 25_000, T0 + 55_000)]
    assert (game.turn.roll, game.turn.dice, game.deadline) == (1, dice, T0 + 55_000)


def test_after_an_outage_there_are_ten_seconds_at_least():
    """H035, second run: 3 s left, back after 60 s."""
    game = playing(2)
    game.outage(T0 + 42_000, T0 + 102_000)
    game.until(game.now)
    assert game.deadline == T0 + 112_000


def test_only_the_part_of_an_outage_inside_the_turn_counts():
    game = playing(2)
    time_out(game, ANA)
    start = game.turn.start
    game.outage(start - 20_000, start + 12_000)
    game.until(game.now)
    assert game.deadline == start + CLOCK_MS + 12_000


def test_an_outage_that_ended_before_the_turn_gives_nothing():
    game = seated(2)
    game.outage(T0, T0 + 30_000)
    game.seal()
    assert game.next_action() == "deadline"
    assert game.deadline == T0 + 30_000 + CLOCK_MS


def test_each_outage_of_a_turn_is_given_back_once_oldest_first():
    game = playing(2)
    game.outage(T0 + 10_000, T0 + 20_000)
    game.outage(T0 + 30_000, T0 + 40_000)
    game.until(game.now)
    assert [entry[4] for entry in given(game)] == [T0 + 55_000, T0 + 65_000]
    game.outage(T0 + 50_000, T0 + 55_000)
    game.until(game.now)
    assert game.deadline == T0 + 70_000
    assert len(given(game)) == 3


def test_no_moment_is_given_back_twice():
    game = playing(2)
    game.outage(T0 + 10_000, T0 + 20_000)
    game.outage(T0 + 15_000, T0 + 32_000)
    game.until(game.now)
    assert [entry[2:] for entry in given(game)] == [
        (T0 + 10_000, T0 + 20_000, T0 + 55_000),
        (T0 + 20_000, T0 + 32_000, T0 + 67_000),
    ]


def test_the_time_is_given_back_before_any_wake_or_command_plays_the_turn():
    game = playing(2)
    game.outage(T0 + 44_000, T0 + 50_000)
    game.now = T0 + 50_001
    command = game.rolling()
    assert overdue(game.table, game.world, game.now) == "give_back"
    assert game.code(ANA, command) is None, "a clock event makes no command stale"
    assert shapes(game.all(Rolled)) == [(Rolled, 0, False)]
    assert game.deadline == T0 + 60_000


def test_a_bots_and_a_resigned_seats_turn_get_no_time_back():
    bots_turn = playing(1, 1, order=(1, 0))
    bots_turn.outage(T0 + 1_000, T0 + 9_000)
    assert bots_turn.next_action() == "bot"
    resigned = playing(3)
    resigned.leave(ANA)
    resigned.outage(T0 + 100, T0 + 9_000)
    assert resigned.next_action() == "deadline"
    resigned.until(T0 + 9_000)
    assert given(resigned) == []


def test_a_turn_without_a_deadline_gets_no_time_back():
    game = playing(2, clock=0)
    game.outage(T0 + 1_000, T0 + 9_000)
    assert game.next_action() is None


def test_nobody_becomes_away_through_a_turn_with_an_outage():
    """H035, H080: that turn is skipped when absence is counted."""
    game = playing(2)
    time_out(game, ANA)
    game.force_score("ones")
    game.outage(game.turn.start + 1_000, game.turn.start + 9_000)
    time_out(game, ANA)
    assert not game.match.is_away(0)
    game.force_score("twos")
    time_out(game, ANA)
    assert game.match.is_away(0)


def time_out(game: Game, player):
    """Let the turn of a player run out."""
    assert game.on_turn == player
    number = game.turn.number
    while game.turn.number == number:
        game.wait(1_000)


def test_an_hour_of_outage_in_mid_match_makes_nobody_away_and_the_match_goes_on():
    """H080, fourth."""
    game = playing(2)
    game.outage(T0 + 5_000, T0 + 5_000 + HOUR_MS)
    game.until(game.now)
    assert game.deadline == T0 + CLOCK_MS + HOUR_MS
    assert game.roll()
    assert (game.table.phase, game.match.play_out_at) == ("playing", None)


# --- without a clock ---


def test_a_turn_without_a_clock_has_no_deadline():
    game = playing(2, clock=0)
    assert (game.turn.deadline, game.next_action()) == (None, None)
    game.now += 23 * HOUR_MS
    assert game.roll()


def test_a_command_an_hour_keeps_a_table_without_a_clock_going():
    """H085, first."""
    game = playing(2, clock=0)
    for box in list(game.table.rules.box_keys)[:7]:
        for _ in range(2):
            assert game.wait(HOUR_MS) == []
            game.roll()
            assert game.wait(HOUR_MS) == []
            game.score(box)
    assert game.turn.number == 15


@pytest.mark.parametrize(("gone_ms", "code"), [(5 * MINUTE_MS - 1, "wrong_phase"), (5 * MINUTE_MS, None)])
def test_a_seat_that_has_been_gone_for_five_minutes_can_be_nudged(gone_ms, code):
    game = playing(2, clock=0)
    game.now += 1_000
    game.drop(ANA)
    game.now += gone_ms
    assert game.code(BEN, Nudge()) == code
    assert shapes(game.all(Rolled) + game.all(Scored)) == ([] if code else [(Rolled, 0, True), (Scored, 0, True)])


def test_a_seat_that_never_came_is_gone_since_its_turn_began():
    game = playing(2, clock=0)
    del game.present[ANA]
    game.now += 5 * MINUTE_MS
    assert game.code(BEN, Nudge()) is None


def test_a_seat_that_is_there_is_never_nudged():
    game = playing(2, clock=0)
    game.now += HOUR_MS
    assert game.code(BEN, Nudge()) == "wrong_phase"


def test_nudging_is_for_tables_without_a_clock_for_peoples_turns_and_for_the_seated():
    with_clock = playing(2)
    with_clock.present[ANA] = PlayerPresence(False, T0 - HOUR_MS)
    assert with_clock.code(BEN, Nudge()) == "wrong_phase"
    bots_turn = playing(2, 1, clock=0, order=(2, 0, 1))
    bots_turn.now += HOUR_MS
    assert bots_turn.code(ANA, Nudge()) == "wrong_phase"
    game = playing(3, clock=0)
    game.drop(ANA)
    game.now += HOUR_MS
    assert [game.code(ZED, Nudge()), game.code(None, Nudge())] == ["not_seated", "not_seated"]
    game.leave(CARLA)
    assert game.code(CARLA, Nudge()) == "not_your_turn"


def test_a_seat_that_is_gone_for_a_day_is_played_without_a_nudge():
    game = playing(2, clock=0)
    game.now += 1_000
    game.drop(ANA)
    assert game.until(T0 + 1_000 + 24 * HOUR_MS - 1) == []
    happened = game.until(T0 + 1_000 + 24 * HOUR_MS)
    assert shapes(happened) == [(Rolled, 0, True), (Scored, 0, True)]
    assert overdue(game.table, game.world, game.now) is None


def test_an_away_seat_without_a_clock_has_three_seconds_and_coming_back_takes_them_away():
    game = playing(2, clock=0)
    for _ in range(2):
        game.force_score(next(iter(game.table.rules.box_keys)), auto=True)
        game.force_score("ones")
    assert game.deadline == game.turn.start + 3_000
    game.present[ANA] = PlayerPresence(False, T0 - HOUR_MS)
    assert game.code(BEN, Nudge()) == "wrong_phase"
    assert [type(event) for event in game.do(ANA, ComeBack())] == [Back]
    assert game.turn.deadline is None


@pytest.mark.parametrize("clock", [2, 3, 15])
def test_an_away_seat_never_has_more_time_than_the_clock_gives(clock):
    game = playing(2)
    match = replace(game.match, sealed=replace(game.match.sealed, clock=clock), idle={0: 2})
    assert deadline_of(match, 0, T0) == T0 + min(3, clock) * 1_000


def test_presence_of_others_never_matters_to_the_seat_on_turn():
    game = playing(3, clock=0)
    for player in PEOPLE[1:3]:
        game.present[player] = PlayerPresence(False, T0 - 48 * HOUR_MS)
    assert game.next_action() is None
    assert game.code(CARLA, Nudge()) == "wrong_phase"
