"""Matches that do not go straight: time-outs, away, resigned, outages, bonuses, served wins, roll-offs; honest ones pass."""

from tests.outside.course import Course
from tests.outside.findings import Findings
from tests.outside.forged import Forged
from tests.outside.verifier import verify


def codes(forged: Forged) -> list[str]:
    return [failure.code for failure in verify(forged.data())]


def test_a_time_out_at_the_deadline_passes_and_one_before_it_does_not() -> None:
    for lasting_ms, expected in ((45_200, []), (44_000, []), (43_900, ["clock"])):
        forged = Forged()
        forged.time_out(lasting_ms)
        forged.play(21)
        forged.finish()
        assert codes(forged) == expected


def away_then(forged: Forged) -> Forged:
    """The first seat is away from turn 5 on."""
    for _ in range(2):
        forged.time_out()
        forged.play(1)
    return forged


def test_a_seat_whose_last_two_writes_were_automatic_has_three_seconds() -> None:
    for lasting_ms, expected in ((3_200, []), (1_900, ["clock"])):
        forged = away_then(Forged())
        while forged.turn <= 22:
            forged.time_out(lasting_ms)
            forged.play(1)
        forged.finish()
        assert codes(forged) == expected


def test_an_away_seat_comes_back_with_its_whole_clock() -> None:
    forged = away_then(Forged())
    seat = forged.seat
    forged.add("back", 1_000, seat=seat)
    forged.roll(after_ms=0)
    forged.score(after_ms=40_000)
    forged.play(17)
    forged.finish()
    assert codes(forged) == []


def test_an_away_seat_that_moves_must_be_back_first() -> None:
    forged = away_then(Forged())
    forged.play(18)
    forged.finish()
    assert codes(forged) == ["auto"]


def test_when_all_are_away_the_rest_is_played_at_once() -> None:
    forged = Forged()
    for _ in range(4):
        forged.time_out()
    for _ in range(18):
        forged.time_out(0)
    forged.finish("void")
    assert codes(forged) == []


def test_a_turn_played_at_once_while_someone_still_plays_is_found() -> None:
    forged = away_then(Forged())
    for _ in range(9):
        forged.time_out(0)
        forged.play(1)
    forged.finish()
    assert codes(forged) == ["clock"]


def test_a_seat_that_resigned_is_played_for_and_placed_last() -> None:
    forged = Forged(3)
    forged.play(1)
    forged.roll()
    gone = forged.seat
    forged.add("left", 500, seat=gone, reason="resigned")
    forged.score(auto=True)
    while forged.turn <= 33:
        if forged.seat == gone:
            forged.time_out(1_000)
        else:
            forged.play(1)
    forged.finish(places={seat: 3 if seat == gone else 1 for seat in range(3)})
    assert codes(forged) == []


def test_the_match_ends_when_one_is_left_and_the_later_to_resign_is_ahead() -> None:
    forged = Forged(3)
    forged.play(2)
    forged.add("left", 100, seat=0, reason="resigned")
    forged.add("left", 100, seat=2, reason="resigned")
    forged.finish("resigned", places={1: 1, 2: 2, 0: 3})
    assert codes(forged) == []
    forged.events.pop()
    forged.finish("resigned", places={1: 1, 2: 3, 0: 2})
    assert codes(forged) == ["places"]
    forged.events.pop()
    forged.play(1)
    forged.finish("resigned", places={1: 1, 2: 2, 0: 3})
    assert "shape" in codes(forged)


def test_time_given_back_after_an_outage_is_what_the_outage_took() -> None:
    for wrong_ms, expected in ((0, []), (1, ["clock"])):
        forged = Forged()
        forged.play(1)
        began = forged.start
        forged.roll()
        down = {"from": began + 5_000, "to": began + 25_000}
        place = {"turn": 2, "seat": forged.seat, "deadline": began + 65_000 + wrong_ms, "reason": "outage"}
        forged.add("clock", 24_500, **place, **down)
        forged.score(after_ms=39_000)
        forged.play(20)
        forged.finish()
        assert codes(forged) == expected


def test_after_an_outage_at_least_ten_seconds_are_left() -> None:
    forged = Forged()
    began = forged.start
    down = {"from": began + 44_000, "to": began + 46_000}
    forged.add("clock", 46_000, turn=1, seat=forged.seat, deadline=began + 56_000, reason="outage", **down)
    forged.time_out(56_000)
    forged.play(21)
    forged.finish()
    assert codes(forged) == []


def test_a_turn_with_an_outage_does_not_make_a_seat_away() -> None:
    forged = Forged()
    forged.time_out()
    forged.play(1)
    began = forged.start
    down = {"from": began, "to": began + 1_000}
    forged.add("clock", 1_000, turn=3, seat=forged.seat, deadline=began + 46_000, reason="outage", **down)
    forged.time_out(46_000)
    forged.play(19)
    forged.finish()
    assert codes(forged) == []


def test_without_a_clock_a_turn_may_take_days_and_a_nudge_is_no_fault() -> None:
    forged = Forged(clock=0)
    forged.roll(after_ms=86_400_000 * 3)
    forged.score()
    forged.time_out(300_000)
    forged.play(20)
    forged.finish()
    assert codes(forged) == []


def test_a_bot_takes_its_time_and_moves_by_its_own_hand() -> None:
    forged = Forged(1, 1)
    while forged.turn <= 22:
        forged.roll(after_ms=90_000 if forged.seat == 1 else 1_000)
        forged.score()
    forged.finish()
    assert codes(forged) == []
    spoilt = next(event for event in forged.events if event.get("seat") == 1)
    spoilt["auto"] = True
    assert "auto" in codes(forged)


def course_codes(forged: Forged) -> list[str]:
    """What the course alone finds: for dice that were set by hand."""
    found = Findings()
    course = Course(forged.events[0], forged.order, found)
    for index, event in enumerate(forged.events[3:], 3):
        found.index = index
        course.take(event)
    return [failure.code for failure in found.list()]


def show(forged: Forged, *faces: int) -> None:
    """Roll, and let the dice show these faces."""
    forged.roll()
    forged.events[-1]["dice"] = list(faces)


def test_the_upper_bonus_comes_once_with_the_write_that_reaches_it() -> None:
    forged = Forged(2, sheet="yahtzee")
    for turn in range(26):
        forged.roll()
        forged.score(points=13 if turn < 12 else 0, bonus=35 if forged.boxes[turn // 2] == "fives" else 0)
    forged.finish()
    assert course_codes(forged) == []
    forged.events[-2]["bonus"] = 35
    assert course_codes(forged) == ["bonus", "total", "places"]


def test_every_five_alike_after_a_yahtzee_of_fifty_adds_a_hundred() -> None:
    forged = Forged(2, sheet="yahtzee")
    for box, points, bonus in (("yahtzee", 50, 0), ("fours", 20, 100), ("chance", 20, 100)):
        show(forged, 4, 4, 4, 4, 4)
        forged.score(box, points, bonus=bonus)
        show(forged, 4, 4, 4, 4, 4)
        forged.score("yahtzee" if bonus == 0 else box, 0)
    assert course_codes(forged) == []


def test_five_alike_on_a_first_roll_wins_at_once_where_the_table_plays_so() -> None:
    forged = Forged(served_generala="wins")
    forged.play(3, points=20)
    show(forged, 6, 6, 6, 6, 6)
    forged.finish("served_generala", places={forged.seat: 1, 1 - forged.seat: 2})
    assert course_codes(forged) == []
    forged.events.pop()
    forged.score("generala", 50)
    assert course_codes(forged) == ["shape"]


def roll_off(*sums: tuple[int, int]) -> Forged:
    """Two seats level after all boxes, and rounds of a roll-off: what the first and the second in turn order threw."""
    forged = Forged(2, tie="roll_off")
    forged.play(22)
    for pair in sums:
        for seat, total in zip(forged.order, pair, strict=True):
            forged.roll(seat=seat)
            forged.events[-1]["dice"] = [1, 1, 1, 1, total - 4]
            forged.score("roll_off", total, seat=seat)
    return forged


def test_those_level_at_the_top_roll_off_round_by_round() -> None:
    forged = roll_off((6, 6), (7, 8))
    forged.finish(places={forged.order[0]: 2, forged.order[1]: 1})
    assert course_codes(forged) == []


def test_a_roll_off_that_stays_level_for_ten_rounds_is_shared() -> None:
    forged = roll_off(*[(6, 6)] * 10)
    forged.finish(places={0: 1, 1: 1})
    assert course_codes(forged) == []


def test_a_roll_off_that_is_not_played_to_its_end_is_found() -> None:
    forged = roll_off((6, 6))
    forged.finish()
    assert course_codes(forged) == ["shape"]


def test_a_roll_off_writes_the_sum_of_its_dice() -> None:
    forged = roll_off((6, 7))
    forged.events[-1]["points"] = 9
    assert course_codes(forged) == ["score"]


def test_one_of_three_drops_out_of_a_roll_off_and_the_others_go_on() -> None:
    forged = Forged(3, tie="roll_off")
    forged.play(33)
    first_seat, second, third = forged.order
    forged.roll(seat=first_seat)
    forged.events[-1]["dice"] = [1, 1, 1, 1, 2]
    forged.score("roll_off", 6, seat=first_seat)
    forged.add("left", 10, seat=second, reason="resigned")
    forged.roll(seat=third)
    forged.events[-1]["dice"] = [1, 1, 1, 1, 3]
    forged.score("roll_off", 7, seat=third)
    forged.finish(places={third: 1, first_seat: 2, second: 3})
    assert course_codes(forged) == []
