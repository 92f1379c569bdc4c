"""A worker's own pulse and tasks: held until they are done, all of them gone after it stops; and its alarm clock."""

import asyncio
import gc
import logging
from collections.abc import Iterator

import pytest

from server.match.commands import Leave, Roll
from server.match.events import Code
from server.match.world import Pace
from server.tables.service import BEAT_MS, Tables
from server.tables.wakes import Wakes
from tests.fakes.clock import ManualClock
from tests.unit.tables.kit import CLOCK_MS, GatedLog, House, form, settle
from tests.unit.tables.people import ANA, Person, finished, play_turn, playing

TURNS = 200


@pytest.fixture
def collecting() -> Iterator[None]:
    """Every turn of the loop may be the one in which garbage is collected."""
    before = gc.get_threshold()
    gc.set_threshold(50, 2, 2)
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("collecting")
async def test_two_hundred_turns_need_no_reference_but_ours(house: House, caplog: pytest.LogCaptureFixture) -> None:
    tables = await house.worker(pace=Pace(least_ms=10, most_ms=10))
    base = len(asyncio.all_tasks())
    turns = 0
    with caplog.at_level(logging.DEBUG):
        while turns < TURNS:
            turns += await whole_match(house, tables)
            gc.collect()
    assert "destroyed" not in caplog.text
    assert len(asyncio.all_tasks()) == base


async def whole_match(house: House, tables: Tables) -> int:
    """Two people and a bot play a match and go; the number of its turns."""
    people = await playing(tables, 2, bots=["medium"])
    while people[0].kinds[-1] != "finished":
        if people[0].events[-1]["turn"]["seat"] == 2:
            await house.pass_ms(20)
        else:
            await play_turn(people)
    for person in people:
        await person.hang_up()
    return people[0].kinds.count("scored")


async def test_the_worker_beats_every_second_and_its_beat_is_in_the_store(house: House) -> None:
    await house.worker()
    for _ in range(3):
        await house.pass_ms(BEAT_MS)
        assert house.disk.beat_ms == house.clock.now_ms()


async def test_a_stopped_worker_does_nothing_more_and_leaves_no_task(house: House) -> None:
    before = asyncio.all_tasks()
    tables = await house.worker()
    first, second = await playing(tables)
    entries = await house.entries(first.code)
    await tables.stop()
    house.clock.advance(2 * CLOCK_MS)
    await settle()
    assert await house.entries(first.code) == entries
    assert asyncio.all_tasks() == before
    assert second.kinds[-1] == "opened"


async def test_what_is_being_appended_when_a_worker_stops_is_still_shown(house: House) -> None:
    tables = await house.worker()
    first, second = await playing(tables)
    first.send_in(Roll(held=(), expect=first.n, id="last"))
    await tables.stop()
    await settle()
    assert [person.kinds[-1] for person in (first, second)] == ["rolled", "rolled"]
    await house.log.close()
    assert (await house.match_on_disk(first.code)).n == 3


async def test_commands_after_a_worker_stopped_are_unavailable(house: House) -> None:
    tables = await house.worker()
    first, _ = await playing(tables)
    await tables.stop()
    await house.log.close()
    assert (await first.roll())["code"] == "unavailable"
    await tables.stop()


async def test_a_task_that_fails_is_told_to_the_operator_and_forgotten(house: House) -> None:
    tables = await house.worker()
    base = len(asyncio.all_tasks())

    async def fail() -> None:
        raise RuntimeError("broken on purpose")

    tables.spawn(fail())
    await settle()
    assert house.faults == ["task_failed"]
    assert len(asyncio.all_tasks()) == base
    house.logged.clear()


async def test_a_connection_that_gives_up_while_its_table_is_loaded_stops_nobody_else(house: House) -> None:
    log = GatedLog(house.log)
    code = await (await house.worker()).open(ANA, form())
    tables = await house.worker(log=log)
    log.asking.clear()
    impatient, patient = (asyncio.create_task(Person(tables, code, ANA).join()) for _ in range(2))
    await settle()
    impatient.cancel()
    await settle()
    log.asking.set()
    assert (await patient).welcome["table"]["code"] == code


async def test_an_append_that_fails_while_a_worker_stops_starts_nothing_new(house: House) -> None:
    first, _ = await playing(await house.worker())
    before = asyncio.all_tasks()
    house.log.is_down = True
    first.send_in(Roll(held=(), expect=first.n, id="last"))
    await house.kill()
    await settle()
    assert first.got[-1]["code"] == "unavailable"
    assert asyncio.all_tasks() < before


# The alarm clock


class Alarm(Wakes):
    """Notes what it fires, and when."""

    def __init__(self, clock: ManualClock) -> None:
        self.rung: list[tuple[str, int]] = []
        super().__init__(clock, lambda code: self.rung.append((code, clock.now_ms() - start)))
        start = clock.now_ms()


A, B, C = Code("AAAAAA"), Code("BBBBBB"), Code("CCCCCC")


@pytest.fixture
async def clock() -> ManualClock:
    return ManualClock(0)


async def test_wakes_fire_at_their_times_in_order(clock: ManualClock) -> None:
    alarm = Alarm(clock)
    for code, at_ms in ((B, 20), (A, 10), (C, 30)):
        alarm.arm(code, at_ms)
    clock.advance(25)
    assert alarm.rung == [(A, 10), (B, 20)]
    assert len(alarm) == 1


async def test_a_table_has_one_wake_and_the_newest_counts(clock: ManualClock) -> None:
    alarm = Alarm(clock)
    alarm.arm(A, 10)
    alarm.arm(A, 30)
    alarm.arm(A, 30)
    clock.advance(100)
    assert alarm.rung == [(A, 30)]
    alarm.arm(A, 120)
    alarm.arm(A, 110)
    clock.advance(100)
    assert alarm.rung == [(A, 30), (A, 110)]


async def test_a_wake_that_is_due_already_fires_at_once(clock: ManualClock) -> None:
    alarm = Alarm(clock)
    alarm.arm(A, -5)
    await settle()
    assert alarm.rung == [(A, 0)]


async def test_a_wake_can_be_put_back_to_a_time_it_had_before(clock: ManualClock) -> None:
    alarm = Alarm(clock)
    for at_ms in (10, 20, 10):
        alarm.arm(A, at_ms)
    clock.advance(100)
    assert alarm.rung == [(A, 10)]


async def test_a_disarmed_wake_does_not_fire(clock: ManualClock) -> None:
    alarm = Alarm(clock)
    alarm.arm(A, 10)
    alarm.arm(B, 20)
    alarm.disarm(A)
    alarm.disarm(C)
    clock.advance(100)
    assert alarm.rung == [(B, 20)]


async def test_looking_fires_what_a_late_timer_has_missed(clock: ManualClock) -> None:
    alarm = Alarm(clock)
    alarm.arm(A, 10)
    alarm.arm(B, 1_000)
    clock.set(500)
    alarm.look()
    assert alarm.rung == [(A, 500)]
    clock.advance(500)
    assert alarm.rung == [(A, 500), (B, 1_000)]


async def test_a_stopped_alarm_fires_nothing(clock: ManualClock) -> None:
    alarm = Alarm(clock)
    alarm.arm(A, 10)
    alarm.stop()
    alarm.stop()
    clock.advance(100)
    assert alarm.rung == []
    assert not len(alarm)


async def test_a_match_that_ends_leaves_one_wake_behind(house: House) -> None:
    tables = await house.worker()
    people = await finished(tables)
    assert len(tables._wakes) == 1
    assert (await people[0].do(Leave(id="l")))["type"] == "lobby"
