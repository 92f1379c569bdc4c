"""Limits at their edges. Every clock here is a number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.gateway.errors import TooMany
from server.gateway.limits import ByAddress, Flow, LimitNumbers, Limits, MessageRate, Quota, Window, Windows

HOUR_MS = 3_600_000
START_MS = 1_700_000_000_000


class Time:
    now_ms = START_MS

    def __call__(self) -> int:
        return self.now_ms


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def limits(time: Time) -> Limits:
    return Limits(time)


# Windows.


def test_a_window_holds_five_in_ten_seconds_and_not_six() -> None:
    window = Window(Quota(5, 10_000))
    assert [window.take(START_MS + at) for at in (0, 1000, 2000, 3000, 4000, 9_999)] == [True] * 5 + [False]
    assert window.wait_ms(START_MS + 9_999) == 1
    assert window.take(START_MS + 10_000)
    assert not window.take(START_MS + 10_000)
    assert window.wait_ms(START_MS + 10_000) == 1000


def test_what_is_refused_is_not_counted() -> None:
    window = Window(Quota(1, 1000))
    assert window.take(0)
    assert not any(window.take(at) for at in range(1, 1000))
    assert window.take(1000)


def test_asking_for_the_time_to_wait_counts_nothing() -> None:
    window = Window(Quota(2, 1000))
    assert [window.wait_ms(0) for _ in range(9)] == [0] * 9
    assert window.take(0)
    assert window.take(0)
    assert window.wait_ms(1) == 999


times = st.lists(st.integers(0, 300), max_size=60).map(sorted)


@given(times, st.integers(1, 6), st.integers(1, 100))
def test_no_stretch_of_time_ever_holds_more_than_the_quota_and_none_is_refused_without_need(
    asked: list[int], count: int, window_ms: int
) -> None:
    window = Window(Quota(count, window_ms))
    taken: list[int] = []
    for now in asked:
        recent = [at for at in taken if now - window_ms < at]
        wait_ms = window.wait_ms(now)
        assert (wait_ms == 0) == (len(recent) < count)
        assert not wait_ms or recent[0] + window_ms == now + wait_ms
        assert window.take(now) == (wait_ms == 0)
        taken += [now] if wait_ms == 0 else []


def test_keys_do_not_share_a_window() -> None:
    windows = Windows(Quota(1, 1000))
    assert [windows.take(key, 0) for key in ("a", "b", "a")] == [0, 0, 1000]
    assert [windows.wait_ms(key, 400) for key in ("a", "b", "c")] == [600, 600, 0]


def test_a_key_whose_window_is_over_is_forgotten() -> None:
    windows = Windows(Quota(2, 1000))
    for at, key in enumerate(["a", "b", "c", "a"]):
        windows.take(key, at)
    assert len(windows) == 3
    windows.take("d", 1002)
    assert len(windows) == 2
    assert windows.take("a", 1002) == 0
    assert windows.take("a", 1002) == 1


def test_of_too_many_keys_the_one_served_longest_ago_is_forgotten() -> None:
    windows = Windows(Quota(1, 1000), most_keys=2)
    windows.take("a", 0)
    windows.take("b", 1)
    windows.take("c", 2)
    assert len(windows) == 2
    assert [windows.wait_ms(key, 3) for key in "abc"] == [0, 998, 999]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 40)), max_size=60))
def test_what_is_forgotten_would_not_have_been_refused(steps: list[tuple[str, int]]) -> None:
    windows = Windows(Quota(2, 50))
    alone: dict[str, Window] = {}
    now = 0
    for key, pause in steps:
        now += pause
        window = alone.setdefault(key, Window(Quota(2, 50)))
        assert windows.take(key, now) == window.wait_ms(now)
        if window.take(now):
            assert len(windows) == sum(not each.is_over(now) for each in alone.values())


# The rate of messages.


def test_forty_messages_at_once_are_fine_and_the_next_is_too_fast() -> None:
    rate = MessageRate(Flow(20, 40), START_MS)
    assert [rate.take(START_MS) for _ in range(41)] == [True] * 40 + [False]
    assert not rate.take(START_MS + 49)
    assert rate.take(START_MS + 50)
    assert not rate.take(START_MS + 50)


def test_twenty_messages_a_second_are_fine_for_ever() -> None:
    rate = MessageRate(Flow(20, 40), START_MS)
    assert all(rate.take(START_MS + 50 * number) for number in range(5000))


def test_who_waits_may_burst_again_but_not_more_than_that() -> None:
    rate = MessageRate(Flow(20, 40), START_MS)
    assert sum(rate.take(START_MS) for _ in range(50)) == 40
    assert sum(rate.take(START_MS + HOUR_MS) for _ in range(50)) == 40


def test_after_200_refusals_it_is_flooding() -> None:
    rate = MessageRate(Flow(20, 40), START_MS)
    for _ in range(240):
        rate.take(START_MS)
    assert not rate.is_flooding
    rate.take(START_MS)
    assert rate.is_flooding


def test_a_pause_that_fills_the_burst_again_is_forgiven() -> None:
    rate = MessageRate(Flow(20, 40), START_MS)
    for _ in range(240):
        rate.take(START_MS)
    for _ in range(240):
        rate.take(START_MS + 2000)
    assert not rate.is_flooding
    for _ in range(41):
        rate.take(START_MS + 3999)
    assert rate.is_flooding


@given(st.lists(st.integers(0, 300), max_size=80))
def test_no_stretch_of_time_lets_more_through_than_a_burst_and_the_rate(pauses: list[int]) -> None:
    rate = MessageRate(Flow(20, 40), 0)
    now, taken = 0, []
    for pause in pauses:
        now += pause
        if rate.take(now):
            taken.append(now)
    for first in range(len(taken)):
        assert len(taken) - first <= 40 + (taken[-1] - taken[first]) * 20 / 1000


def test_without_a_flow_every_message_is_fine() -> None:
    rate = MessageRate(None, START_MS)
    assert all(rate.take(START_MS) for _ in range(10_000))
    assert not rate.is_flooding


# All of them.


@pytest.mark.parametrize(("name", "count", "wait_s"), [("tables", 20, 3600), ("sessions", 60, 3600), ("unknown_codes", 30, 60)])
def test_an_address_may_do_so_much_and_then_is_told_how_long_to_wait(
    limits: Limits, time: Time, name: ByAddress, count: int, wait_s: int
) -> None:
    for _ in range(count):
        limits.check(name, "192.0.2.1")
    with pytest.raises(TooMany) as refused:
        limits.check(name, "192.0.2.1")
    assert refused.value.retry_after_s == limits.wait_s(name, "192.0.2.1") == limits.take(name, "192.0.2.1") == wait_s
    assert str(refused.value)
    limits.check(name, "192.0.2.2")
    time.now_ms += wait_s * 1000 - 1
    assert limits.wait_s(name, "192.0.2.1") == 1
    time.now_ms += 1
    limits.check(name, "192.0.2.1")


def test_a_limit_can_be_looked_at_without_counting(limits: Limits) -> None:
    for _ in range(100):
        limits.check("unknown_codes", "192.0.2.1", take=False)
    for _ in range(30):
        limits.take("unknown_codes", "192.0.2.1")
    with pytest.raises(TooMany):
        limits.check("unknown_codes", "192.0.2.1", take=False)


def test_an_operator_can_set_the_numbers(time: Time) -> None:
    numbers = LimitNumbers.of(
        messages_per_second=1, message_burst=2, tables_per_hour=3, sessions_per_hour=4, unknown_codes_per_minute=5
    )
    limits = Limits(time, numbers)
    rate = limits.messages()
    assert [rate.take(time()) for _ in range(3)] == [True, True, False]
    expected: dict[ByAddress, int] = {"tables": 3, "sessions": 4, "unknown_codes": 5}
    for name, count in expected.items():
        assert [limits.take(name, "a") for _ in range(count)] == [0] * count
        assert limits.take(name, "a") > 0
    assert numbers.phrases == LimitNumbers().phrases


def test_switched_off_neither_addresses_nor_messages_are_limited(time: Time) -> None:
    limits = Limits(time, is_on=False)
    rate = limits.messages()
    for _ in range(1000):
        limits.check("tables", "a")
        limits.check("sessions", "a", take=False)
        assert rate.take(time())
        assert limits.wait_s("tables", "a") == limits.take("unknown_codes", "a") == 0


def test_a_player_may_say_five_phrases_in_ten_seconds() -> None:
    phrases = Windows(LimitNumbers().phrases)
    assert [phrases.take("ana", START_MS) for _ in range(6)] == [0] * 5 + [10_000]
