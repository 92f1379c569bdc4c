"""The stand-ins that other tests lean on; that of the table log has the contract suite."""

import asyncio
from functools import partial

import pytest

from server.match.codes import CODE_LETTERS
from server.tables.ports import StoreUnavailable
from tests.contract.builders import ANA, CODE, append, change, entries
from tests.fakes.clock import START_MS, ManualClock
from tests.fakes.entropy import SeededEntropy
from tests.fakes.memory_log import MemoryLog


def test_a_manual_clock_stands_still_until_it_is_moved() -> None:
    clock = ManualClock()
    assert clock.now_ms() == START_MS
    clock.advance(1_500)
    assert clock.now_ms() == START_MS + 1_500
    clock.set(7)
    assert clock.now_ms() == 7


def test_calls_are_made_in_order_each_at_its_own_time() -> None:
    clock = ManualClock(0)
    calls: list[tuple[str, int]] = []

    def call(name: str) -> None:
        calls.append((name, clock.now_ms()))

    def ask_meanwhile() -> None:
        clock.call_at(25, partial(call, "asked for meanwhile"))

    for name, at_ms in (("late", 30), ("early", 10), ("also early", 10), ("too late", 31)):
        clock.call_at(at_ms, partial(call, name))
    clock.call_at(20, ask_meanwhile)
    clock.advance(30)
    assert calls == [("early", 10), ("also early", 10), ("asked for meanwhile", 25), ("late", 30)]


def test_a_cancelled_call_is_not_made() -> None:
    clock = ManualClock(0)
    calls: list[str] = []
    timer = clock.call_at(10, lambda: calls.append("cancelled"))
    clock.call_at(5, timer.cancel)
    clock.advance(20)
    timer.cancel()
    assert calls == []


async def test_a_call_whose_time_has_passed_is_made_in_the_next_turn() -> None:
    clock = ManualClock(100)
    calls: list[str] = []
    clock.call_at(100, lambda: calls.append("called"))
    assert calls == []
    await asyncio.sleep(0)
    assert calls == ["called"]


async def test_a_sleeper_sleeps_until_the_clock_has_been_moved_so_far() -> None:
    clock = ManualClock()
    sleeper = asyncio.ensure_future(clock.sleep(1_000))
    await asyncio.sleep(0)
    clock.advance(999)
    await asyncio.sleep(0)
    assert not sleeper.done()
    clock.advance(1)
    await sleeper


async def test_a_sleeper_can_be_cancelled_in_the_turn_it_would_wake() -> None:
    clock = ManualClock()
    sleeper = asyncio.ensure_future(clock.sleep(1_000))
    await asyncio.sleep(0)
    sleeper.cancel()
    clock.advance(1_000)
    with pytest.raises(asyncio.CancelledError):
        await sleeper


def test_seeded_entropy_is_the_same_for_the_same_seed_alone() -> None:
    def drawn(seed: int) -> list[object]:
        one = SeededEntropy(seed)
        return [one.match_id(), one.root(), one.code(), one.nonce(), one.match_id(), one.nonce()]

    assert drawn(1) == drawn(1)
    assert drawn(1)[:3] != drawn(2)[:3]
    assert len({str(value) for value in drawn(1)}) == 6


def test_seeded_entropy_has_the_right_forms() -> None:
    one = SeededEntropy()
    assert len(bytes.fromhex(one.match_id())) == 16
    assert len(one.root()) == 32
    assert len(one.code()) == 6
    assert set(one.code()) <= set(CODE_LETTERS)


async def test_a_memory_log_that_loses_answers_has_the_append_though_it_seemed_to_fail() -> None:
    log = MemoryLog(ManualClock())
    log.loses_answers = True
    with pytest.raises(StoreUnavailable):
        await log.append(CODE, 0, change(0))
    log.loses_answers = False
    assert await log.read(CODE) == list(entries(0, 1))
    await append(log, CODE, 1)


async def test_a_memory_log_that_is_down_tells_nobody_who_is_there() -> None:
    log = MemoryLog(ManualClock())
    await append(log, CODE, 0)
    log.is_down = True
    with pytest.raises(StoreUnavailable):
        await log.presence(CODE)
    with pytest.raises(StoreUnavailable):
        await log.connected(CODE, ANA, 1, START_MS)


async def test_what_is_on_a_memory_disk_outlives_the_log() -> None:
    clock = ManualClock()
    first = MemoryLog(clock)
    await append(first, CODE, 0)
    clock.advance(10)
    second = MemoryLog(clock, first.disk)
    assert await second.read(CODE) == list(entries(0, 1))
    assert [(outage.from_ms, outage.to_ms) for outage in second.outages()] == [(START_MS, START_MS + 10)]
