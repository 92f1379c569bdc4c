"""The store's clock, on a counter that the test moves."""

import asyncio
import time
from collections.abc import Callable

import pytest

from server.stores.clock import StoreClock, TimeSource

START_MS = 1_800_000_000_000


class World:
    """A wall clock, and a counter, in milliseconds."""

    def __init__(self) -> None:
        self.wall_ms = START_MS
        self.elapsed_ms = 77_000

    def clock(self, not_before_ms: int = 0) -> StoreClock:
        return StoreClock(not_before_ms, TimeSource(lambda: self.wall_ms, lambda: self.elapsed_ms))


class Loop:
    """What ``StoreClock`` asks of the loop: its timers, fired by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waits_s: list[float] = []
        self.fire: Callable[[], None] = lambda: None
        self.is_cancelled = False
        monkeypatch.setattr(asyncio, "get_running_loop", lambda: self)

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> "Loop":
        self.waits_s.append(delay_s)
        self.fire = callback
        return self

    def cancel(self) -> None:
        self.is_cancelled = True


def test_the_clock_starts_at_the_wall_clock_and_counts() -> None:
    world = World()
    clock = world.clock()
    assert clock.now_ms() == START_MS
    world.elapsed_ms += 1_234
    assert clock.now_ms() == START_MS + 1_234


@pytest.mark.parametrize("step_ms", [3_000, -3_000, 3_600_000])
def test_a_step_of_the_wall_clock_changes_nothing(step_ms: int) -> None:
    world = World()
    clock = world.clock()
    world.elapsed_ms += 45_000
    world.wall_ms += 45_000 + step_ms
    assert clock.now_ms() == START_MS + 45_000


def test_the_clock_never_starts_before_what_the_store_has_noted() -> None:
    assert World().clock(START_MS + 5_000).now_ms() == START_MS + 5_000
    assert World().clock(START_MS - 5_000).now_ms() == START_MS


def test_a_call_waits_for_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, calls = Loop(monkeypatch), []
    world = World()
    world.clock().call_at(START_MS + 45_200, lambda: calls.append("called"))
    assert loop.waits_s == [45.2]
    world.elapsed_ms += 45_200
    loop.fire()
    assert calls == ["called"]


def test_a_call_whose_time_has_passed_is_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, calls = Loop(monkeypatch), []
    World().clock().call_at(START_MS - 1, lambda: calls.append("called"))
    assert loop.waits_s == [0]
    loop.fire()
    assert calls == ["called"]


def test_a_timer_that_fires_early_waits_for_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, calls = Loop(monkeypatch), []
    world = World()
    world.clock().call_at(START_MS + 1_000, lambda: calls.append("called"))
    world.elapsed_ms += 999
    loop.fire()
    assert calls == []
    assert loop.waits_s == [1, 0.001]
    world.elapsed_ms += 1
    loop.fire()
    assert calls == ["called"]


def test_a_cancelled_call_is_cancelled_on_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = Loop(monkeypatch)
    World().clock().call_at(START_MS + 1_000, lambda: None).cancel()
    assert loop.is_cancelled


async def test_the_system_s_time_is_the_wall_clock_and_calls_come_when_they_are_due() -> None:
    clock = StoreClock(0, TimeSource())
    assert abs(clock.now_ms() - time.time() * 1_000) < 5_000
    due_ms, called = clock.now_ms() + 5, asyncio.Event()
    clock.call_at(due_ms, called.set)
    await clock.sleep(1)
    async with asyncio.timeout(20):
        await called.wait()
    assert clock.now_ms() >= due_ms


def test_without_a_clock_that_counts_sleep_the_monotonic_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(time, "CLOCK_BOOTTIME", raising=False)
    monkeypatch.setattr(time, "monotonic_ns", lambda: 5_999_999)
    assert TimeSource().elapsed_ms() == 5
