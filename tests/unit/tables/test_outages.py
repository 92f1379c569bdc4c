"""Time in which nobody was served is given back: after a restart, after a frozen process, to people only, and once."""

from server.match.commands import Leave, Start
from server.match.events import ClockGiven, Code
from server.match.world import OUTAGE_MS, Outage, Pace
from tests.fakes.memory_log import MemoryLog
from tests.unit.tables.kit import CLOCK_MS, LATENESS_MS, House, settle
from tests.unit.tables.people import ANA, BEN, arrive, commit, play_turn, playing, reveal, waiting

LEAST_MS = 10_000


async def clocks(house: House, code: Code) -> list[tuple[int, int, int]]:
    """From, to and deadline of each time given back."""
    events = [entry.event for entry in await house.entries(code)]
    return [(event.from_ms, event.to_ms, event.deadline) for event in events if isinstance(event, ClockGiven)]


async def test_a_restart_within_a_turn_gives_the_lost_time_back(house: House) -> None:
    first, _ = await playing(await house.worker())
    await house.pass_ms(4_000)
    await first.roll()
    deadline, died = await house.deadline(first.code), house.clock.now_ms()
    tables = await house.restart(away_ms=5_000)
    [again] = await arrive(tables, first.code, first.player)
    assert again.events[-1]["event"]["type"] == "clock"
    assert await clocks(house, first.code) == [(died, died + 5_000, deadline + 5_000)]
    assert again.events[-1]["turn"]["deadline"] == deadline + 5_000
    assert again.welcome["table"]["turn"]["dice"] == first.events[-1]["event"]["dice"]
    assert (await again.score("ones"))["event"]["auto"] is False


async def test_after_a_long_outage_the_turn_has_ten_seconds(house: House) -> None:
    first, second = await playing(await house.worker())
    await house.pass_ms(CLOCK_MS - 3_000)
    tables = await house.restart(away_ms=60_000)
    back = house.clock.now_ms()
    await house.pass_ms(LATENESS_MS)
    assert (await clocks(house, first.code))[0][2] == max(back + 3_000, back + LEAST_MS)
    await house.pass_ms(LEAST_MS - 2 * LATENESS_MS)
    assert (await house.turn(first.code)).number == 1
    [again] = await arrive(tables, first.code, second.player)
    await house.pass_ms(2 * LATENESS_MS)
    assert again.kinds == ["rolled", "scored"]


async def test_nobody_is_away_through_a_turn_that_met_an_outage(house: House) -> None:
    first, second = await playing(await house.worker())
    code = first.code
    await house.pass_ms(CLOCK_MS + LATENESS_MS)
    await play_turn([second])
    tables = await house.restart(away_ms=1_000)
    await house.pass_ms(CLOCK_MS + 2_000 + LATENESS_MS)
    match = await house.match(code)
    assert match.turn is not None
    assert match.turn.number == 4
    assert not match.is_away(match.order[0])
    assert (await tables.snapshot(code, None)).table.turn is not None


async def test_two_outages_in_a_turn_are_given_back_both(house: House) -> None:
    first, _ = await playing(await house.worker())
    deadline = await house.deadline(first.code)
    for _ in range(2):
        await house.restart(away_ms=2_000)
        await settle()
    await house.pass_ms(CLOCK_MS)
    given = await clocks(house, first.code)
    assert [end - start for start, end, _ in given] == [2_000, 2_000]
    assert given[-1][2] == deadline + 4_000


async def test_an_outage_is_given_back_once_however_often_the_service_restarts(house: House) -> None:
    first, _ = await playing(await house.worker())
    await house.restart(away_ms=2_000)
    await house.pass_ms(CLOCK_MS - 1_000)
    await house.restart()
    await house.pass_ms(LEAST_MS)
    given = await clocks(house, first.code)
    assert [end - start for start, end, _ in given] == [2_000, 0]


async def test_an_outage_between_turns_costs_and_gives_nothing(house: House) -> None:
    people = await playing(await house.worker(), clock=30)
    await house.restart(away_ms=4_000)
    people = await arrive(house.workers[0], people[0].code, ANA, BEN)
    match = await house.match(people[0].code)
    assert match.turn is not None
    on_turn = people[0] if match.seats[match.turn.seat].player == ANA else people[1]
    await play_turn([on_turn])
    deadline = await house.deadline(on_turn.code)
    await house.pass_ms(deadline - house.clock.now_ms() + LATENESS_MS)
    assert len(await clocks(house, on_turn.code)) == 1
    assert (await house.turn(on_turn.code)).number == 3


async def test_a_frozen_worker_beats_before_it_decides_and_the_time_is_given_back(house: House) -> None:
    """As after SIGSTOP: timers and frames that waited come first, before any beat."""
    first, second = await playing(await house.worker())
    deadline, frozen = await house.deadline(first.code), house.clock.now_ms()
    house.clock.set(deadline + 30_000)
    second.send_in(Leave(id="l"))
    house.clock.advance(0)
    await settle()
    assert second.kinds[3:5] == ["clock", "left"]
    assert await clocks(house, first.code) == [(frozen, deadline + 30_000, max(deadline * 2 + 30_000 - frozen, 0))]
    assert not any(each["event"].get("auto") for each in second.events)


async def test_a_wake_of_a_frozen_worker_plays_nobody(house: House) -> None:
    first, second = await playing(await house.worker())
    house.clock.set(await house.deadline(first.code) + 30_000)
    house.clock.advance(0)
    await settle()
    assert second.kinds[3:] == ["clock"]
    assert (await first.roll())["event"]["type"] == "rolled"


async def test_an_outage_is_told_at_every_table_at_once(house: House) -> None:
    tables = await house.worker()
    matches = [await playing(tables, clock=45) for _ in range(2)]
    house.clock.set(house.clock.now_ms() + 5_000)
    house.clock.advance(0)
    await settle()
    assert [people[0].kinds[-1] for people in matches] == ["clock", "clock"]


async def test_a_worker_that_was_held_up_for_less_than_an_outage_counts_late_commands_as_late(house: House) -> None:
    """The command arrived in time, and was decided more than 200 ms after the deadline: the grace is over."""
    first, second = await playing(await house.worker())
    deadline = await house.deadline(first.code)
    await house.pass_ms(deadline - 1 - house.clock.now_ms())
    house.clock.set(deadline + LATENESS_MS + 1)
    answer = await first.roll(stamp_ms=deadline - 1)
    assert answer["code"] == "stale"
    assert [each["event"]["auto"] for each in second.events[3:]] == [True, True]


async def test_the_automatic_play_before_a_late_command_has_the_time_at_which_that_arrived(house: House) -> None:
    first, second = await playing(await house.worker())
    deadline = await house.deadline(first.code)
    await house.pass_ms(deadline - 1 - house.clock.now_ms())
    house.clock.set(deadline + 2 * LATENESS_MS)
    await first.roll(stamp_ms=deadline + 5)
    assert [each["event"]["at"] for each in second.events[3:]] == [deadline + 5, deadline + 5]


async def test_a_command_that_is_decided_within_the_grace_counts(house: House) -> None:
    first, _ = await playing(await house.worker())
    deadline = await house.deadline(first.code)
    await house.pass_ms(deadline - 1 - house.clock.now_ms())
    house.clock.set(deadline + LATENESS_MS)
    answer = await first.roll(stamp_ms=deadline - 1)
    assert answer["event"]["at"] == deadline - 1


async def test_the_running_step_of_a_seal_starts_again_after_an_outage(house: House) -> None:
    people = await waiting(await house.worker())
    await people[0].do(Start())
    await commit(people[:1])
    await house.pass_ms(9_000)
    tables = await house.restart(away_ms=30_000)
    await house.pass_ms(9_000)
    people = await arrive(tables, people[0].code, ANA, BEN)
    assert people[0].welcome["table"]["phase"] == "sealing"
    assert "commitments" not in people[0].welcome["table"]
    await commit(people)
    await house.pass_ms(9_000)
    await reveal(people)
    assert people[1].kinds == ["committed", "opened"]


async def test_a_seal_that_nobody_goes_on_with_fails_ten_seconds_after_the_restart(house: House) -> None:
    people = await waiting(await house.worker())
    await people[0].do(Start())
    await commit(people[:1])
    code = people[0].code
    tables = await house.restart(away_ms=30_000)
    back = house.clock.now_ms()
    [ana] = await arrive(tables, code, ANA)
    await house.pass_ms(LEAST_MS + LATENESS_MS - 1)
    assert (await house.table(code)).phase == "sealing"
    await house.pass_ms(1)
    assert (await house.table(code)).phase == "waiting"
    aborted = ana.all_of("lobby")[-1]["aborted"]
    assert aborted["seats"] == [1]
    assert (await house.table(code)).last_at == back + LEAST_MS + LATENESS_MS


async def test_contributions_that_were_in_before_a_crash_are_still_in(house: House) -> None:
    people = await waiting(await house.worker())
    await people[0].do(Start())
    await commit(people)
    await reveal(people[:1])
    tables = await house.restart(away_ms=5_000)
    [ben] = await arrive(tables, people[0].code, BEN)
    assert set(ben.welcome["table"]["commitments"]) == {"0", "1"}
    await reveal([ben])
    assert ben.kinds == ["opened"]


class Counting(MemoryLog):
    """Counts the beats."""

    beats = 0

    async def beat(self, now_ms: int) -> Outage | None:
        self.beats += 1
        return await super().beat(now_ms)


async def test_only_a_beat_older_than_three_seconds_is_a_reason_to_beat_first(house: House) -> None:
    log = Counting(house.clock, house.disk)
    first, _ = await playing(await house.worker(log=log), clock=45)
    for late_ms, beats in ((OUTAGE_MS, 0), (OUTAGE_MS + 1, 1)):
        await house.pass_ms(1_000)
        before = log.beats
        house.clock.set(house.clock.now_ms() + late_ms)
        await first.roll()
        assert log.beats - before == beats


async def test_an_outage_in_a_bots_turn_gives_nobody_anything_and_the_bot_goes_on(house: House) -> None:
    pace = Pace(least_ms=4_000, most_ms=4_000)
    [ana] = await playing(await house.worker(pace=pace), 1, bots=["medium"])
    if (await house.turn(ana.code)).seat == 0:
        await play_turn([ana])
    number = (await house.turn(ana.code)).number
    tables = await house.restart(away_ms=5_000, pace=pace)
    await arrive(tables, ana.code, ANA)
    await house.pass_ms(8_000)
    assert await clocks(house, ana.code) == []
    assert (await house.turn(ana.code)).number == number + 1
