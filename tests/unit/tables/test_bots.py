"""Bots and hints: played by the advisor's word, off the queue, and by the automatic rule when that word is missing or wrong."""

import asyncio
from collections.abc import Sequence

import pytest

from server.match.commands import Leave
from server.match.events import Rolled, Scored
from server.match.world import Pace
from server.protocol.incoming import Hint
from server.tables import thinking
from server.tables.live import RETRY_MS
from server.tables.ports import Advice, Question
from tests.unit.tables.kit import House, Plain, settle
from tests.unit.tables.people import BEN, Person, arrive, play_turn, playing, waiting


class Says(Plain):
    """Gives the same advice whatever it is asked."""

    def __init__(self, *advice: Advice) -> None:
        super().__init__()
        self.advice = advice

    async def advise(self, level: str, question: Question) -> Sequence[Advice]:
        await super().advise(level, question)
        return self.advice


class Raises(Plain):
    async def advise(self, level: str, question: Question) -> Sequence[Advice]:
        raise RuntimeError(f"broken on purpose by {level} {question}")


class Waiting(Plain):
    """Answers when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = asyncio.Event()

    async def advise(self, level: str, question: Question) -> Sequence[Advice]:
        answer = await super().advise(level, question)
        await self.may_answer.wait()
        return answer


class Never(Plain):
    """Thinks until it is made to give up, which happens after a little real time."""

    def __init__(self) -> None:
        super().__init__()
        self._gave_up = asyncio.Event()

    async def advise(self, level: str, question: Question) -> Sequence[Advice]:
        await super().advise(level, question)
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self._gave_up.set()
        return []

    async def give_up(self) -> None:
        async with asyncio.timeout(5):
            await self._gave_up.wait()
        self._gave_up.clear()
        await settle()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thoughts have no time at all."""
    monkeypatch.setattr(thinking, "TIME_BUDGET_S", 0.001)


async def bots_turn(house: House, people: list[Person]) -> list[Rolled | Scored]:
    """What the bot did in its first turn, after the person has had one if that comes first."""
    seats = len(people)
    if not any(each["event"].get("seat") == seats for each in people[0].events):
        await play_turn(people)
    await house.pass_ms(1_000)
    events = [entry.event for entry in await house.entries(people[0].code)]
    moves = [event for event in events if isinstance(event, Rolled | Scored) and event.seat == seats]
    return [move for move in moves if move.turn == moves[0].turn]


async def test_a_bot_does_what_the_advisor_says_and_its_moves_are_never_automatic(house: House) -> None:
    advisor = Plain()
    people = await playing(await house.worker(advisor=advisor), 1, bots=["medium"])
    rolled, scored = await bots_turn(house, people)
    assert isinstance(scored, Scored)
    assert not rolled.auto
    assert not scored.auto
    assert [question.dice for question in advisor.asked] == [rolled.dice]  # type: ignore[union-attr]


async def test_a_bot_rolls_again_with_what_the_advisor_keeps(house: House) -> None:
    advisor = Says(Advice(action="roll", held=(0, 4), value=1.0, why="keeps_some"))
    people = await playing(await house.worker(advisor=advisor), 1, bots=["medium"])
    moves = await bots_turn(house, people)
    assert [move.held for move in moves if isinstance(move, Rolled)] == [(), (0, 4), (0, 4)]
    assert house.faults == ["bot_refused"]
    house.logged.clear()


async def test_a_bot_whose_advisor_fails_writes_the_best_box(house: House) -> None:
    people = await playing(await house.worker(advisor=Raises()), 1, bots=["medium"])
    moves = await bots_turn(house, people)
    assert [type(move) for move in moves] == [Rolled, Scored]
    assert "advisor_failed" in house.faults
    house.logged.clear()


@pytest.mark.parametrize(
    "advice",
    [
        Advice(action="score", box="yahtzee", value=1.0, why="scores"),
        Advice(action="roll", held=(0, 1, 2, 3, 4), value=1.0, why="keeps_some"),
        Advice(action="roll", held=(4, 0), value=1.0, why="keeps_some"),
    ],
)
async def test_a_bot_with_advice_against_the_rules_writes_the_best_box(house: House, advice: Advice) -> None:
    people = await playing(await house.worker(advisor=Says(advice)), 1, bots=["medium"])
    moves = await bots_turn(house, people)
    assert [type(move) for move in moves] == [Rolled, Scored]
    assert set(house.faults) == {"bot_refused"}
    house.logged.clear()


async def test_an_advisor_without_any_advice_is_one_that_fails(house: House) -> None:
    people = await playing(await house.worker(advisor=Says()), 1, bots=["medium"])
    assert [type(move) for move in await bots_turn(house, people)] == [Rolled, Scored]
    assert set(house.faults) == {"advisor_failed"}
    house.logged.clear()


@pytest.mark.usefixtures("hurried")
async def test_a_thought_that_takes_too_long_is_given_up_and_the_best_box_is_written(house: House) -> None:
    advisor = Never()
    people = await playing(await house.worker(advisor=advisor), 1, bots=["medium"])
    if not advisor.asked:
        await play_turn(people)
    await advisor.give_up()
    assert 1 in [each["event"]["seat"] for each in people[0].events if each["event"]["type"] == "scored"]
    assert set(house.faults) == {"advisor_failed"}
    house.logged.clear()


async def test_a_table_goes_on_while_a_bot_thinks(house: House) -> None:
    advisor = Never()
    people = await playing(await house.worker(advisor=advisor), 2, bots=["medium"])
    for _ in range(2):
        if not advisor.asked:
            await play_turn(people)
    assert advisor.asked
    assert (await people[1].do(Leave(id="l")))["event"]["type"] == "left"
    assert (await people[0].do(Leave(id="l")))["event"]["type"] == "left"
    assert people[1].kinds[-1] == "finished"


async def test_a_bot_whose_match_ended_while_it_thought_does_nothing(house: House) -> None:
    advisor = Waiting()
    people = await playing(await house.worker(advisor=advisor), 1, bots=["medium"])
    if not advisor.asked:
        await play_turn(people)
    await people[0].do(Leave())
    assert people[0].kinds[-2:] == ["left", "finished"]
    entries = await house.entries(people[0].code)
    advisor.may_answer.set()
    await house.pass_ms(1_000)
    assert await house.entries(people[0].code) == entries


async def test_a_bots_move_that_comes_while_the_store_is_away_is_not_lost(house: House) -> None:
    advisor = Waiting()
    people = await playing(await house.worker(advisor=advisor), 1, bots=["medium"])
    if not advisor.asked:
        await play_turn(people)
    house.log.is_down = True
    assert (await people[0].do(Leave(id="l")))["code"] == "unavailable"
    advisor.may_answer.set()
    await settle()
    await house.pass_ms(RETRY_MS)
    house.log.is_down = False
    before = people[0].kinds.count("scored")
    await house.pass_ms(2 * RETRY_MS)
    assert people[0].kinds.count("scored") == before + 1
    assert (await house.turn(people[0].code)).seat == 0


async def test_a_bot_that_thinks_is_not_asked_again(house: House) -> None:
    """An outage makes the worker look at every table."""
    advisor = Waiting()
    people = await playing(await house.worker(advisor=advisor), 1, bots=["medium"])
    if not advisor.asked:
        await play_turn(people)
    house.clock.set(house.clock.now_ms() + 60_000)
    house.clock.advance(0)
    await settle()
    assert house.disk.outages
    assert len(advisor.asked) == 1


async def test_a_bot_waits_for_its_pace_before_every_step(house: House) -> None:
    pace = Pace(least_ms=700, most_ms=900)
    people = await playing(await house.worker(pace=pace), 1, bots=["medium"])
    if (await house.turn(people[0].code)).seat == 0:
        await play_turn(people)
    turn = await house.turn(people[0].code)
    await house.pass_ms(699)
    assert await house.turn(people[0].code) == turn
    await house.pass_ms(201)
    assert (await house.turn(people[0].code)).roll == 1
    await house.pass_ms(699)
    assert (await house.turn(people[0].code)).number == turn.number
    await house.pass_ms(201)
    assert (await house.turn(people[0].code)).number == turn.number + 1


async def test_two_bots_in_a_row_both_play(house: House) -> None:
    people = await playing(await house.worker(), 1, bots=["medium", "medium"])
    for _ in range(3):
        await play_turn(people)
        await house.pass_ms(1_000)
    by_seat = [entry.event.seat for entry in await house.entries(people[0].code) if isinstance(entry.event, Scored)]
    assert {by_seat.count(1), by_seat.count(2)} <= {3, 4}


class Worst(Plain):
    """Writes what pays least, of several the first of the sheet; ``sums`` are the dice of roll-offs it was asked about."""

    def __init__(self) -> None:
        super().__init__()
        self.sums: list[tuple[int, ...]] = []

    async def advise(self, level: str, question: Question) -> Sequence[Advice]:
        best_first = await super().advise(level, question)
        pays = {advice.box: advice.value for advice in best_first}
        return sorted(best_first, key=lambda advice: (advice.value, list(pays).index(advice.box)))

    async def advise_sum(self, level: str, dice: tuple[int, ...], rolls_used: int) -> Sequence[Advice]:
        self.sums.append(dice)
        return await super().advise_sum(level, dice, rolls_used)


NOTHING = dict.fromkeys(("escalera", "full", "poker", "generala", "doble", "served_escalera", "served_full", "served_poker"), 0)


async def test_a_bot_plays_the_roll_off_of_a_level_match(house: House) -> None:
    """Both sides write what pays nothing as long as they can, so that they end level at nothing."""
    advisor = Worst()
    options = {"tie": "roll_off", "points": NOTHING}
    [ana] = await playing(await house.worker(advisor=advisor), 1, bots=["medium"], options=options)
    while ana.kinds[-1] != "finished":
        boxes = (await ana.roll())["turn"]["boxes"]
        await ana.score(min(boxes, key=lambda box: boxes[box]))
        await house.pass_ms(1_000)
    assert set(ana.events[-1]["event"]["totals"].values()) == {0}
    last = [each["event"] for each in ana.events if each["event"].get("box") == "roll_off"]
    assert [event["points"] for event in last if event["seat"] == 1] == [sum(dice) for dice in advisor.sums]
    assert {event["seat"] for event in last} == {0, 1}


async def test_hints_are_the_advisors_best_three_for_the_one_person_on_turn(house: House) -> None:
    people = await playing(await house.worker(), 1, bots=["medium"])
    await people[0].roll()
    answer = await people[0].do(Hint(id="h"))
    assert answer["type"] == "hint"
    assert len(answer["best"]) == 3
    assert set(answer["best"][0]) == {"action", "value", "why", "box"}
    assert answer["best"][0]["value"] == round(answer["best"][0]["value"], 2)
    assert answer["best"][0]["box"] in people[0].events[-1]["turn"]["boxes"]


async def test_hints_to_roll_say_what_to_keep(house: House) -> None:
    advice = Advice(action="roll", held=(1, 2), value=10.456, why="keeps_alike")
    people = await playing(await house.worker(advisor=Says(advice)), 1, bots=["medium"])
    await people[0].roll()
    answer = await people[0].do(Hint(id="h"))
    assert answer["best"] == [{"action": "roll", "held": [1, 2], "value": 10.46, "why": "keeps_alike"}]
    house.logged.clear()


async def test_there_are_no_hints_with_two_people_off_turn_or_for_watchers(house: House) -> None:
    tables = await house.worker()
    people = await playing(tables)
    assert (await people[0].do(Hint(id="h")))["code"] == "no_hints"
    alone = await waiting(tables, 1, bots=["medium"])
    assert (await alone[0].do(Hint(id="h")))["code"] == "wrong_phase"
    for watcher in await arrive(tables, alone[0].code, BEN, None):
        assert (await watcher.do(Hint(id="h")))["code"] == "not_seated"


@pytest.mark.usefixtures("hurried")
async def test_a_hint_that_takes_too_long_is_unavailable(house: House) -> None:
    advisor = Never()
    [ana] = await playing(await house.worker(advisor=advisor), 1, bots=["medium"])
    if advisor.asked:
        await advisor.give_up()
    await ana.roll()
    await ana.do(Hint(id="h"))
    await advisor.give_up()
    assert [message["code"] for message in ana.got if message.get("ref") == "h"] == ["unavailable"]
    house.logged.clear()


async def test_a_hint_that_breaks_is_answered_too(house: House) -> None:
    [ana] = await playing(await house.worker(advisor=Raises()), 1, bots=["medium"])
    await ana.roll()
    assert (await ana.do(Hint(id="h")))["code"] == "unavailable"
    assert set(house.faults) == {"advisor_failed"}
    house.logged.clear()


async def test_a_hint_that_was_overtaken_is_refused(house: House) -> None:
    [ana] = await playing(await house.worker(), 1, bots=["medium"])
    ana.send_in(Hint(id="h"))
    ana.send_in(Leave(id="l"))
    await settle()
    assert {message["ref"] for message in ana.got if "ref" in message} >= {"h", "l"}
