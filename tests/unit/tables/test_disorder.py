"""Two workers, a store with whims, people who click at random: in the end everybody has seen the whole log, in order."""

import random
from collections import Counter

import pytest

from server.match.commands import ComeBack, Command, Leave, Roll, Score
from server.match.evolve import MATCH_EVENTS
from tests.unit.tables.kit import GatedLog, House, settle
from tests.unit.tables.people import ANA, BEN, CARLA, Person, playing

STEPS = 120
RUNS = 25
LONGEST_PLAY_OUT = 500


class Disorder:
    """Three people at one table, some of them with a tab at each worker; every step is one more thing that can go wrong."""

    def __init__(self, house: House, gated: GatedLog, tabs: list[Person], chance: random.Random) -> None:
        self.house, self.gated, self.tabs, self.chance = house, gated, tabs, chance
        self.sent: list[tuple[Person, Command]] = []

    async def step(self) -> None:
        """Usually somebody sends something; now and then the store changes its mind or time passes."""
        whim = self.chance.random()
        if whim < 0.75:
            self.send()
        elif whim < 0.85:
            for log in (self.house.log, self.gated):
                log.is_down = self.chance.random() < 0.2
                log.loses_answers = self.chance.random() < 0.3
        elif whim < 0.9:
            for gate in (self.gated.asking, self.gated.answering):
                gate.clear() if self.chance.random() < 0.4 else gate.set()
        else:
            await self.house.pass_ms(self.chance.choice((10, 400, 3_000, 16_000)))
        if self.chance.random() < 0.6:
            await settle()

    def send(self) -> None:
        if self.sent and self.chance.random() < 0.15:
            tab, command = self.chance.choice(self.sent)
        else:
            tab = self.chance.choice(self.tabs)
            command = self.command(tab)
        self.sent.append((tab, command))
        tab.send_in(command)

    def command(self, person: Person) -> Command:
        command_id = f"{len(self.sent)}"
        kind = self.chance.random()
        if kind < 0.02:
            return Leave(id=command_id)
        if kind < 0.1:
            return ComeBack(id=command_id)
        turn = (person.events or [person.welcome["table"]])[-1].get("turn") or {}
        if turn.get("boxes") and kind < 0.5:
            return Score(box=self.chance.choice(sorted(turn["boxes"])), expect=person.n, id=command_id)
        return Roll(held=(), expect=person.n - (kind > 0.9), id=command_id)

    async def calm_down(self) -> None:
        for log in (self.house.log, self.gated):
            log.is_down = log.loses_answers = False
        self.gated.asking.set()
        self.gated.answering.set()
        await self.house.pass_ms(3_000)
        for _ in range(LONGEST_PLAY_OUT):
            await self.house.finish()
            lives = [live for tables in self.house.workers for live in tables._live.values()]
            if not any(live.is_busy or live.waiting_for for live in lives):
                return
        raise AssertionError("a table is busy for ever")


@pytest.mark.parametrize("run", range(RUNS))
async def test_everybody_sees_the_whole_log_in_order_and_every_command_is_answered_once(house: House, run: int) -> None:
    chance = random.Random(random.getrandbits(64) + run)
    gated = GatedLog(house.log)
    one, other = await house.worker(), await house.worker(log=gated)
    people = await playing(one, 3, bots=["medium"])
    code = people[0].code
    tabs = [*people, *[await Person(other, code, player).join() for player in (ANA, BEN, CARLA)]]
    disorder = Disorder(house, gated, tabs, chance)
    for _ in range(STEPS):
        await disorder.step()
    await disorder.calm_down()
    logged = [entry.event for entry in await house.entries(code) if type(entry.event) in MATCH_EVENTS]
    for tab in tabs:
        first = 0 if tab.welcome["n"] is None else tab.welcome["n"] + 1
        assert shown_first(tab) == list(range(first, len(logged)))
    for tables in (one, other):
        live = await tables.get(code)
        assert live.table == await house.table(code)
    for (tab, command_id), asked in Counter((tab, command.id) for tab, command in disorder.sent).items():
        assert sum(message.get("ref") == command_id for message in tab.got) == asked


def shown_first(tab: Person) -> list[int]:
    """The numbers of the events as they were shown; what is answered again to its sender is no news."""
    numbers: list[int] = []
    for message in tab.all_of("event"):
        if numbers and message["n"] <= numbers[-1]:
            assert "ref" in message
        else:
            numbers.append(message["n"])
    return numbers
