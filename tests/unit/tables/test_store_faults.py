"""A store that loses answers, is away, or cannot be written: nobody is told a thing that is not so, and all goes on after."""

import asyncio
from collections.abc import Callable

import pytest

from server.match.commands import Close, Leave, Rematch, Start
from server.match.events import Cause, Code
from server.match.world import Presence
from server.tables.live import QUIET_MS, RETRY_MS
from server.tables.ports import Append, Outcome, StoreUnavailable
from server.tables.stage import Stage
from server.tables.telling import TAIL, Since
from tests.fakes.memory_log import MemoryLog
from tests.unit.tables.kit import CLOCK_MS, LATENESS_MS, House, form, settle
from tests.unit.tables.people import ANA, BEN, CARLA, Person, finished, play_turn, playing, waiting


def says(house: House, event: str) -> int:
    """How often the operator was told so."""
    return sum(line["event"] == event for line in house.logged)


async def test_a_command_that_went_in_though_the_answer_was_lost_is_answered_and_shown_once(house: House) -> None:
    first, second = await playing(await house.worker())
    house.log.loses_answers = True
    answer = await first.roll()
    assert (answer["type"], answer["event"]["type"]) == ("event", "rolled")
    house.log.loses_answers = False
    assert first.kinds == second.kinds == ["sealed", "committed", "opened", "rolled"]
    assert says(house, "append_failed") == 1


async def test_a_command_whose_answer_was_lost_is_answered_when_it_is_sent_again(house: House) -> None:
    first, second = await playing(await house.worker())
    house.log.loses_answers = True
    answered = await first.roll()
    house.log.loses_answers = False
    entries = await house.entries(first.code)
    assert entries[-1].cause is not None
    assert first.player is not None
    assert entries[-1].cause == Cause(first.player, answered["ref"])
    again = await first.roll(ref=answered["ref"])
    assert again["event"]["type"] == "rolled"
    assert again["n"] == 3
    assert second.kinds.count("rolled") == 1
    assert len(await house.entries(first.code)) == len(entries)


async def test_a_seal_step_whose_answer_was_lost_is_taken_once(house: House) -> None:
    people = await waiting(await house.worker())
    house.log.loses_answers = True
    assert (await people[0].do(Start(id="s")))["event"]["type"] == "sealed"
    house.log.loses_answers = False
    assert (await people[0].do(Start(id="s")))["event"]["type"] == "sealed"
    assert people[1].kinds == ["sealed"]
    assert (await house.match(people[0].code)).sealed.attempt == 1


async def test_a_table_whose_close_lost_its_answer_is_closed(house: House) -> None:
    people = await waiting(await house.worker())
    house.log.loses_answers = True
    await people[0].do(Close(id="c"))
    house.log.loses_answers = False
    await settle()
    assert [person.closed for person in people] == [4004, 4004]
    assert await house.entries(people[0].code) == []


async def test_commands_while_the_store_is_away_are_unavailable_and_change_nothing(house: House) -> None:
    first, second = await playing(await house.worker())
    before = await house.entries(first.code)
    house.log.is_down = True
    assert (await first.roll())["code"] == "unavailable"
    second.send_in(Leave(id="l"))
    await house.pass_ms(2 * RETRY_MS)
    assert second.got[-1]["code"] == "unavailable"
    house.log.is_down = False
    assert await house.entries(first.code) == before
    assert (first.kinds, second.kinds) == (["sealed", "committed", "opened"],) * 2


async def test_everything_goes_on_when_the_store_is_back(house: House) -> None:
    first, second = await playing(await house.worker())
    house.log.is_down = True
    refused = await first.roll()
    await house.pass_ms(RETRY_MS)
    house.log.is_down = False
    await house.pass_ms(RETRY_MS)
    assert (await first.roll(ref=refused["ref"]))["event"]["type"] == "rolled"
    assert second.kinds[-1] == "rolled"


async def test_a_store_that_is_away_for_long_is_an_outage_that_is_given_back(house: House) -> None:
    first, second = await playing(await house.worker())
    deadline = await house.deadline(first.code)
    house.log.is_down = True
    await house.pass_ms(CLOCK_MS + 1_000)
    assert says(house, "beat_failed")
    house.log.is_down = False
    await house.pass_ms(1_000 + RETRY_MS)
    assert second.kinds[-1] == first.kinds[-1] == "clock"
    assert await house.deadline(first.code) > deadline + CLOCK_MS
    assert (await first.roll())["event"]["type"] == "rolled"


class Unwritable(MemoryLog):
    """Reads, and fails to append while ``is_full``; ``tried`` counts the attempts."""

    is_full = False
    tried = 0

    def append(self, code: Code, expected: int, change: Append) -> "asyncio.Future[Outcome]":
        if not self.is_full:
            return super().append(code, expected, change)
        self.tried += 1
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        future.set_exception(StoreUnavailable("disk full"))
        return future


async def test_a_wake_that_cannot_be_written_is_tried_again_but_not_in_a_tight_loop(house: House) -> None:
    log = Unwritable(house.clock, house.disk)
    first, second = await playing(await house.worker(log=log))
    log.is_full = True
    await house.pass_ms(CLOCK_MS + 2_000)
    assert 1 <= log.tried <= 1 + 2_000 // RETRY_MS, "a tight loop"
    log.is_full = False
    await house.pass_ms(1_000)
    assert second.kinds[-2:] == first.kinds[-2:] == ["rolled", "scored"]


async def test_a_command_that_cannot_be_written_is_unavailable_and_can_be_sent_again(house: House) -> None:
    log = Unwritable(house.clock, house.disk)
    first, second = await playing(await house.worker(log=log))
    log.is_full = True
    assert (await first.roll(ref="again"))["code"] == "unavailable"
    log.is_full = False
    assert (await first.roll(ref="again"))["event"]["type"] == "rolled"
    assert second.kinds.count("rolled") == 1


async def test_a_command_that_waits_for_what_cannot_be_written_is_unavailable(house: House) -> None:
    log = Unwritable(house.clock, house.disk)
    first, _ = await playing(await house.worker(log=log))
    await house.pass_ms(CLOCK_MS + 1)
    log.is_full = True
    assert (await first.roll())["code"] == "unavailable"
    assert log.tried == 1
    assert first.kinds[-1] == "opened"


async def test_the_next_table_of_a_rematch_is_opened_when_the_store_is_back(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = await finished(await house.worker())
    await people[0].do(Rematch())
    monkeypatch.setattr(house.log, "append", falling_down(house.log))
    await people[1].do(Rematch())
    await house.pass_ms(RETRY_MS)
    house.log.is_down = False
    await house.pass_ms(2 * RETRY_MS)
    assert [len(person.all_of("moved")) for person in people] == [1, 1]


def falling_down(log: MemoryLog) -> Callable[..., "asyncio.Future[Outcome]"]:
    """Appends the request and the agreement, and is down from then on."""
    whole, counted = log.append, iter(range(100))

    def append(*change):
        log.is_down = next(counted) == 2
        return whole(*change)

    return append


async def test_a_resend_that_must_be_read_from_the_log_is_unavailable_while_that_is_away(house: House) -> None:
    people = await playing(await house.worker())
    first = people[0]
    rolled = await first.roll(ref="early")
    await first.score(min(rolled["turn"]["boxes"]))
    while first.n < TAIL + 4:
        await play_turn(people)
    house.log.is_down = True
    assert (await first.roll(ref="early"))["code"] == "unavailable"
    house.log.is_down = False
    await first.roll(ref="early")
    await house.finish()
    assert first.got[-1] == rolled


async def test_somebody_who_cannot_be_let_in_is_not_counted_as_there(house: House) -> None:
    tables = await house.worker()
    people = await playing(tables)
    while people[0].n < TAIL + 4:
        await play_turn(people)
    first = people[0]
    match = await house.match(first.code)
    since = Since(3, match.sealed.match, first.events[3]["h"])
    house.log.is_down = True
    with pytest.raises(StoreUnavailable):
        await Person(tables, first.code, CARLA).join(since)
    house.log.is_down = False
    assert CARLA not in (await house.log.presence(first.code)).players
    assert (await Person(tables, first.code, CARLA).join(since)).welcome["events"]


async def test_who_hangs_up_while_the_store_is_away_is_counted_out_when_it_is_back(house: House) -> None:
    people = await waiting(await house.worker())
    house.log.is_down = True
    await people[1].hang_up()
    await house.pass_ms(RETRY_MS)
    house.log.is_down = False
    await house.pass_ms(2 * RETRY_MS)
    presence: Presence = await house.log.presence(people[0].code)
    assert not presence.players[BEN].is_connected
    assert people[0].got[-1]["seats"]["1"]["connected"] is False


async def test_a_wake_of_a_table_that_cannot_be_loaded_comes_again(house: House) -> None:
    people = await playing(await house.worker())
    code = people[0].code
    await house.restart()
    house.log.is_down = True
    await house.pass_ms(CLOCK_MS + LATENESS_MS)
    house.log.is_down = False
    await house.pass_ms(1_000)
    assert (await house.turn(code)).given_to
    await house.pass_ms(2 * CLOCK_MS + 11_000)
    assert (await house.turn(code)).number > 1


async def test_a_table_is_not_opened_when_no_code_is_free(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = await house.worker()
    code = await tables.open(ANA, form())
    monkeypatch.setattr(tables.means.entropy, "code", lambda: code)
    with pytest.raises(StoreUnavailable, match="code"):
        await tables.open(BEN, form())
    assert (await house.table(code)).creator == ANA


async def test_a_decision_that_breaks_is_told_to_its_sender_and_hurts_nobody(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = await house.worker()
    people = await waiting(tables)
    monkeypatch.setattr(tables.means.entropy, "root", lambda: b"too short")
    assert (await people[0].do(Start(id="s")))["code"] == "unavailable"
    assert house.faults == ["decision_failed"]
    house.logged.clear()
    monkeypatch.undo()
    assert (await people[0].do(Start(id="s")))["event"]["type"] == "sealed"


async def test_a_fault_in_showing_does_not_keep_a_table_from_going_on(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = await playing(await house.worker())

    def fail(*_: object) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(Stage, "show", fail)
    await first.roll()
    assert house.faults == ["showing_failed"]
    house.logged.clear()
    monkeypatch.undo()
    tab = await Person(first.tables, first.code, first.player).join()
    assert tab.welcome["n"] == 3
    await tab.score("ones")
    assert second.kinds[-1] == "scored"


async def test_a_wake_that_breaks_is_tried_again_but_not_in_a_tight_loop(house: House) -> None:
    """As when the root of a running match is not in the store that was restored."""
    people = await playing(await house.worker())
    house.disk.tables[people[0].code].secrets.clear()
    tables = await house.restart()
    again = await Person(tables, people[0].code, ANA).join()
    await house.pass_ms(CLOCK_MS + 2 * QUIET_MS)
    assert 1 <= says(house, "decision_failed") <= 3
    assert again.kinds == []
    house.logged.clear()
