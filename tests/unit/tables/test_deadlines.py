"""When the automatic play happens: on time, once, before what came too late, and never for time in which nobody was served."""

import pytest

from server.match.commands import Leave, Roll, Score
from server.match.events import Code
from server.tables.service import BEAT_MS
from tests.unit.tables.kit import CLOCK_MS, LATENESS_MS, SHORT_CLOCK_S, House, settle
from tests.unit.tables.people import Message, Person, by_turn, play_turn, playing


async def to_deadline(house: House, code: Code, off_ms: int) -> int:
    """Let time pass until ``off_ms`` after the deadline of the turn under way, which is returned."""
    deadline = await house.deadline(code)
    await house.pass_ms(deadline + off_ms - house.clock.now_ms())
    return deadline


async def test_the_automatic_play_comes_200_ms_after_the_deadline_and_not_before(house: House) -> None:
    first, second = await playing(await house.worker())
    deadline = await to_deadline(house, first.code, LATENESS_MS - 1)
    assert first.kinds[-1] == "opened"
    await house.pass_ms(1)
    rolled, scored = (each["event"] for each in second.events[-2:])
    assert (rolled["type"], scored["type"]) == ("rolled", "scored")
    assert rolled["auto"]
    assert scored["auto"]
    assert rolled["at"] == scored["at"] == deadline + LATENESS_MS


async def test_the_next_turn_starts_when_the_automatic_play_ended_the_one_before(house: House) -> None:
    first, _ = await playing(await house.worker())
    deadline = await to_deadline(house, first.code, LATENESS_MS)
    turn = await house.turn(first.code)
    assert (turn.number, turn.start, turn.deadline) == (2, deadline + LATENESS_MS, deadline + LATENESS_MS + CLOCK_MS)


async def test_a_deadline_needs_no_client_at_all(house: House) -> None:
    first, second = await playing(await house.worker())
    await first.hang_up()
    await second.hang_up()
    await to_deadline(house, first.code, LATENESS_MS)
    assert (await house.turn(first.code)).number == 2


async def test_a_timer_that_does_not_fire_is_made_up_for_by_the_next_beat(house: House) -> None:
    tables = await house.worker()
    first, _ = await playing(tables)
    timer = tables._wakes._timer
    assert timer is not None
    timer.cancel()
    await to_deadline(house, first.code, LATENESS_MS + BEAT_MS)
    assert first.kinds[-1] == "scored"


async def test_a_late_command_lets_the_automatic_play_happen_first(house: House) -> None:
    first, second = await playing(await house.worker())
    await to_deadline(house, first.code, 1)
    answer = await first.roll()
    assert (answer["type"], answer["code"]) == ("error", "stale")
    assert second.kinds[-2:] == ["rolled", "scored"]
    assert all(each["event"]["auto"] for each in second.events[-2:])
    await house.pass_ms(LATENESS_MS)
    assert second.kinds.count("scored") == 1


async def test_a_late_command_of_another_seat_lets_it_happen_too(house: House) -> None:
    first, second = await playing(await house.worker())
    await to_deadline(house, first.code, 1)
    assert (await second.do(Leave(id="l")))["event"]["type"] == "left"
    assert first.kinds[-4:] == ["rolled", "scored", "left", "finished"]


async def arrive_at(house: House, first: Person, off_ms: int, kind: str) -> Message:
    """A roll, or a write after a roll, that arrives and is decided ``off_ms`` after the deadline."""
    if kind == "scored":
        await first.roll()
    await to_deadline(house, first.code, off_ms)
    return await (first.roll() if kind == "rolled" else first.score("ones"))


@pytest.mark.parametrize("kind", ["rolled", "scored"])
@pytest.mark.parametrize("off_ms", [-1_000, -5, 0])
async def test_a_command_that_arrives_by_the_deadline_counts(house: House, kind: str, off_ms: int) -> None:
    first, second = await playing(await house.worker())
    deadline = await house.deadline(first.code)
    answer = await arrive_at(house, first, off_ms, kind)
    assert (answer["event"]["type"], answer["event"]["auto"], answer["event"]["at"]) == (kind, False, deadline + off_ms)
    await house.pass_ms(LATENESS_MS - off_ms)
    assert (second.kinds.count("rolled"), second.kinds.count("scored")) == (1, 1)


@pytest.mark.parametrize("kind", ["rolled", "scored"])
@pytest.mark.parametrize("off_ms", [1, 5, LATENESS_MS - 1])
async def test_a_command_that_arrives_after_the_deadline_is_stale(house: House, kind: str, off_ms: int) -> None:
    first, second = await playing(await house.worker())
    deadline = await house.deadline(first.code)
    answer = await arrive_at(house, first, off_ms, kind)
    assert answer["code"] == "stale"
    await house.pass_ms(LATENESS_MS)
    assert (second.kinds.count("rolled"), second.kinds.count("scored")) == (1, 1)
    assert second.events[-1]["event"]["auto"]
    assert second.events[-1]["event"]["at"] == deadline + off_ms


async def test_commands_that_wait_together_for_the_automatic_play_are_decided_in_their_order(house: House) -> None:
    first, _ = await playing(await house.worker())
    deadline = await to_deadline(house, first.code, 0)
    first.send_in(Roll(held=(), expect=first.n, id="in time"))
    house.clock.advance(1)
    first.send_in(Score(box="ones", expect=first.n + 1, id="late"))
    first.send_in(Leave(id="later"))
    await settle()
    assert [message["ref"] for message in first.got if "ref" in message] == ["in time", "late", "later"]
    assert [each["event"].get("auto") for each in first.events[3:5]] == [False, True]
    assert first.events[3]["event"]["at"] == deadline


RACES = [(off_ms, is_score, is_first) for off_ms in (-5, 0, 5) for is_score in (False, True) for is_first in (False, True)]
"""When the command arrived, after the deadline; what it is; whether it is decided before the wake that fires meanwhile."""
REPETITIONS = 500


async def test_a_command_and_the_wake_that_fires_meanwhile_never_both_count(house: House) -> None:
    """The loop was held up: a command that arrived around the deadline is decided just when the wake fires."""
    tables = await house.worker()
    people = await playing(tables, clock=SHORT_CLOCK_S)
    for number in range(REPETITIONS):
        if people[0].kinds[-1] == "finished":
            people = await playing(tables, clock=SHORT_CLOCK_S)
        await race(house, await by_turn(people), *RACES[number % len(RACES)])
        # Two automatic writes in a row would make a seat away: after a race each, both play a turn by hand.
        while people[0].kinds[-1] != "finished" and people[0].events[-1]["turn"]["turn"] % 4 in (3, 0):
            await play_turn(people)


async def race(house: House, people: list[Person], off_ms: int, is_score: bool, is_first: bool) -> None:
    first, second = people
    if is_score:
        await first.roll()
    turn = first.events[-1]["turn"]
    command: Score | Roll = Roll(held=(), expect=first.n, id=f"roll {first.n}")
    if is_score:
        command = Score(box=min(turn["boxes"]), expect=first.n, id=f"score {first.n}")
    mark = len(second.events)
    await house.pass_ms(turn["deadline"] + LATENESS_MS - 1 - house.clock.now_ms())
    if is_first:
        house.clock.set(turn["deadline"] + LATENESS_MS)
        first.send_in(command, turn["deadline"] + off_ms)
        house.clock.advance(0)
    else:
        house.clock.advance(1)
        first.send_in(command, turn["deadline"] + off_ms)
    await settle()
    counts = is_first and off_ms <= 0
    answer = [message for message in first.got if message.get("ref") == command.id]
    refused = "wrong_phase" if second.kinds[-1] == "finished" else "stale"
    assert [message.get("code") for message in answer] == [None if counts else refused]
    played = [(each["event"]["type"], each["event"].get("auto")) for each in second.events[mark:]]
    played = [move for move in played if move != ("finished", None)]
    assert played == ([("scored", not counts)] if is_score else [("rolled", not counts), ("scored", True)])
