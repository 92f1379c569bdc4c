"""Workers on a log in memory, and a clock that a test moves; who connects to them is in ``people``."""

import asyncio
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from typing import Any

from server.match.commands import SettingsForm
from server.match.events import Code, Entry, PlayerId
from server.match.evolve import fold
from server.match.moment import Policy
from server.match.state import Match, Table, Turn
from server.match.world import Pace
from server.rules import legal
from server.tables.means import Means
from server.tables.ports import Advice, Advisor, Question
from server.tables.service import Tables
from tests.fakes.clock import ManualClock
from tests.fakes.entropy import SeededEntropy
from tests.fakes.memory_log import MemoryDisk, MemoryLog

CLOCK_S = 15
CLOCK_MS = CLOCK_S * 1000
SHORT_CLOCK_S = 2
LATENESS_MS = 200
PACE = Pace(least_ms=0, most_ms=0)
_LOOP_TURNS = 20
_STEP_MS = 2_000
"""Not so long that a worker which has not beaten meanwhile takes it for an outage."""


async def settle() -> None:
    """Let everything run that can run without the clock."""
    for _ in range(_LOOP_TURNS):
        await asyncio.sleep(0)


class Nonces(SeededEntropy):
    """Entropy of one worker: its nonces begin with its name, as no two workers' begin alike."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._name = name

    def nonce(self) -> str:
        return f"{self._name}-{super().nonce()}"


class Names:
    """A directory where everybody's name is their id with a capital."""

    async def names(self, players: Iterable[PlayerId]) -> Mapping[PlayerId, str]:
        return {player: player.title() for player in players}


class Plain:
    """An advisor that writes the box that pays most; ``asked`` are the questions it got."""

    levels: tuple[str, ...] = ("medium",)

    def __init__(self) -> None:
        self.asked: list[Question] = []

    async def advise(self, level: str, question: Question) -> Sequence[Advice]:
        assert level in self.levels
        self.asked.append(question)
        pays = legal(question.rules, question.sheet, question.dice, question.rolls_used)
        best = sorted(pays, key=lambda box: -pays[box].points)
        return [Advice(action="score", box=box, value=pays[box].points / 3, why="scores") for box in best]

    async def advise_sum(self, level: str, dice: tuple[int, ...], rolls_used: int) -> Sequence[Advice]:
        assert level in self.levels
        assert rolls_used
        return [Advice(action="score", box="roll_off", value=sum(dice), why="scores")]


class GatedLog(MemoryLog):
    """A second worker's way to the log of the first: nothing is read while ``asking`` is clear, or ``answering`` after that."""

    def __init__(self, log: MemoryLog) -> None:
        super().__init__(log.clock)
        self.disk, self._listeners = log.disk, log._listeners
        self.asking, self.answering = asyncio.Event(), asyncio.Event()
        self.asking.set()
        self.answering.set()

    async def read(self, code: Code, start: int = 0) -> list[Entry]:
        await self.asking.wait()
        found = await super().read(code, start)
        await self.answering.wait()
        return found


class House:
    """A disk, a clock, and the workers that a test opens on them.

    ``logged`` is what the workers wrote to the operator; what they say only when something is broken is in ``faults``.
    """

    def __init__(self, logged: list[MutableMapping[str, Any]]) -> None:
        self.logged = logged
        self.clock = ManualClock()
        self.disk = MemoryDisk()
        self.log = MemoryLog(self.clock, self.disk)
        self.workers: list[Tables] = []

    @property
    def faults(self) -> list[str]:
        return [line["event"] for line in self.logged if line["log_level"] == "error"]

    async def worker(self, *, log: MemoryLog | None = None, advisor: Advisor | None = None, pace: Pace = PACE) -> Tables:
        """One more worker, on the house's log unless told otherwise."""
        means = Means(
            log=log or self.log,
            clock=self.clock,
            entropy=Nonces("abcdefgh"[len(self.workers)]),
            directory=Names(),
            advisor=advisor or Plain(),
            policy=Policy(clocks=(SHORT_CLOCK_S, CLOCK_S, 30, 45), levels=("medium",)),
            pace=pace,
        )
        tables = Tables(means)
        self.workers.append(tables)
        await tables.start()
        await settle()
        return tables

    async def restart(self, away_ms: int = 0, **how: Any) -> Tables:
        """Every worker is killed; ``away_ms`` later there is a new one on the same disk."""
        await self.kill()
        self.clock.set(self.clock.now_ms() + away_ms)
        self.log = MemoryLog(self.clock, self.disk)
        return await self.worker(**how)

    async def kill(self) -> None:
        """Stop all workers, without a word to anybody."""
        for tables in self.workers:
            await tables.stop()
        self.workers.clear()

    async def finish(self) -> None:
        """Wait for all that the workers do beside their queues, in threads too, except for their pulse."""
        for tables in self.workers:
            await asyncio.gather(*(task for task in tables._tasks if task is not tables._pulse))
        await settle()

    async def pass_ms(self, ms: int) -> None:
        """Let time pass while the workers live."""
        until_ms = self.clock.now_ms() + ms
        while (left_ms := until_ms - self.clock.now_ms()) > 0:
            self.clock.advance(min(left_ms, _STEP_MS))
            await settle()

    async def entries(self, code: Code) -> list[Entry]:
        return await self.log.read(code)

    async def table(self, code: Code) -> Table:
        """What the log says, whoever has it in memory."""
        table = fold(await self.log.read(code))
        assert table is not None
        return table

    async def match(self, code: Code) -> Match:
        match = (await self.table(code)).match
        assert match is not None
        return match

    async def match_on_disk(self, code: Code) -> Match:
        """As another process would find it."""
        table = fold(await MemoryLog(self.clock, self.disk).read(code))
        assert table is not None
        assert table.match is not None
        return table.match

    async def turn(self, code: Code) -> Turn:
        turn = (await self.match(code)).turn
        assert turn is not None
        return turn

    async def deadline(self, code: Code) -> int:
        deadline = (await self.turn(code)).deadline
        assert deadline is not None
        return deadline


def form(**wishes: Any) -> SettingsForm:
    """A private table of Generala with a short clock, unless told otherwise."""
    return SettingsForm(**{"sheet": "generala", "clock": CLOCK_S, "visibility": "private", **wishes})
