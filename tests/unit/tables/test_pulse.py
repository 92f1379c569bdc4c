"""The worker's pulse: one beat at a time, wakes that somebody lost, and faults that must not stop it."""

import asyncio
from collections.abc import Iterable, Mapping

import pytest

from server.match.commands import Roll
from server.match.events import Code, Entry, PlayerId
from server.match.world import Outage
from server.tables.ports import StoreUnavailable
from server.tables.service import SWEEP_AFTER_MS
from server.tables.wakes import SPARE, Wakes
from tests.fakes.clock import ManualClock
from tests.fakes.memory_log import MemoryLog
from tests.unit.tables.kit import CLOCK_MS, LATENESS_MS, House, settle
from tests.unit.tables.people import ANA, Person, playing


class SlowToBeat(MemoryLog):
    """Takes note of an outage as the embedded store does: when the beat is on disk, and not before."""

    beats = 0

    async def beat(self, now_ms: int) -> Outage | None:
        self.beats += 1
        await settle()
        return await super().beat(now_ms)


async def test_tables_that_all_notice_a_gap_at_once_wait_for_one_beat(house: House) -> None:
    log = SlowToBeat(house.clock, house.disk)
    tables = await house.worker(log=log)
    first, _ = await playing(tables)
    third, _ = await playing(tables)
    before = len(log.outages())
    house.clock.set(house.clock.now_ms() + 10_000)
    beats = log.beats
    first.send_in(Roll(held=(), expect=first.n, id="one"))
    third.send_in(Roll(held=(), expect=third.n, id="other"))
    await settle()
    await settle()
    assert log.beats == beats + 1
    assert len(log.outages()) == before + 1
    assert first.kinds[-2:] == third.kinds[-2:] == ["clock", "rolled"]


async def test_a_command_that_had_to_wait_past_its_deadline_gives_way_to_a_play_that_is_not_too_early(house: House) -> None:
    """It arrived in time; but when it could be decided, the grace was over."""
    tables = await house.worker()
    first, _ = await playing(tables)
    deadline = await house.deadline(first.code)
    await house.pass_ms(CLOCK_MS - 1_000)
    live = await tables.get(first.code)
    live.is_busy = True  # a rival's append is under way
    first.send_in(Roll(held=(), expect=first.n, id="late"), house.clock.now_ms())
    house.clock.set(deadline + LATENESS_MS + 300)
    live.resume()
    await settle()
    played = [each["event"] for each in first.events[-2:]]
    assert [(event["type"], event["auto"]) for event in played] == [("rolled", True), ("scored", True)]
    assert all(event["at"] >= deadline for event in played)
    assert first.got[-1]["code"] == "stale"


async def test_a_wake_that_was_lost_is_fired_by_the_sweep(house: House) -> None:
    tables = await house.worker()
    first, second = await playing(tables)
    code = first.code
    for person in (first, second):
        await person.hang_up()
    assert tables._live == {}
    tables._wakes.disarm(Code(code))
    await house.pass_ms(CLOCK_MS + LATENESS_MS + SWEEP_AFTER_MS + 2_000)
    events = [entry.event for entry in await house.entries(code)]
    assert type(events[-1]).__name__ == "Scored"


async def test_a_fault_does_not_stop_the_pulse(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = await house.worker()

    def broken(_until_ms: int) -> Iterable[tuple[Code, int]]:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(house.log, "wakes", broken)
    await house.pass_ms(3_000)
    assert house.faults
    house.logged.clear()
    assert house.disk.beat_ms is not None
    assert house.disk.beat_ms >= house.clock.now_ms() - 1_000
    assert tables.means.beat_at_ms == house.disk.beat_ms


async def test_a_table_goes_on_without_names_when_the_directory_fails(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = await house.worker()

    async def broken(_players: Iterable[PlayerId]) -> Mapping[PlayerId, str]:
        raise RuntimeError("the directory fails")

    first, _ = await playing(tables)
    monkeypatch.setattr(tables.means.directory, "names", broken)
    again = await Person(tables, first.code, ANA).join()
    assert again.welcome["type"] == "welcome"
    assert house.faults == ["names_failed"]
    house.logged.clear()


async def test_a_finished_table_that_was_only_looked_at_leaves_memory(house: House) -> None:
    tables = await house.worker()
    first, second = await playing(tables)
    for person in (first, second):
        await person.hang_up()
    for _ in range(5):
        await house.pass_ms(CLOCK_MS + LATENESS_MS)
    assert (await house.match(first.code)).finished is not None
    assert tables._live == {}
    await tables.snapshot(Code(first.code), None)
    await settle()
    assert tables._live == {}


async def test_times_that_were_replaced_do_not_pile_up() -> None:
    clock = ManualClock()
    wakes = Wakes(clock, lambda _code: None)
    for number in range(10 * SPARE):
        wakes.arm(Code("ABCDEF"), clock.now_ms() + 1_000_000 - number)
    assert len(wakes) == 1
    assert len(wakes._heap) <= SPARE + 2


async def test_a_beat_that_fails_is_asked_again(house: House) -> None:
    tables = await house.worker()
    house.log.is_down = True
    with pytest.raises(StoreUnavailable):
        await tables._beat()
    house.log.is_down = False
    await tables._beat()
    assert tables.means.beat_at_ms == house.clock.now_ms()


async def test_everybody_who_looks_at_a_forgotten_table_at_once_gets_it_from_one_load(house: House) -> None:
    tables = await house.worker()
    first, second = await playing(tables)
    code = Code(first.code)
    for person in (first, second):
        await person.hang_up()
    assert tables._live == {}
    reads = 0
    read = house.log.read

    async def counted(code: Code, start: int = 0) -> list[Entry]:
        nonlocal reads
        reads += 1
        return await read(code, start)

    house.log.read = counted  # type: ignore[method-assign]
    shown = await asyncio.gather(*(tables.snapshot(code, None) for _ in range(50)))
    assert {snapshot.n for snapshot in shown} == {2}
    assert reads == 1
    await settle()
    assert tables._live == {}
