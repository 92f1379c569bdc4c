"""The adapter of the port ``Advisor``: the heuristic, computed on a thread of its own.

This is the one module of the package that knows asyncio; what it runs is pure. One thread is enough (a decision takes
milliseconds), and it means that the caches behind the heuristic are never filled twice at once.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from server.strategy.advice import advice, roll_off_advice
from server.tables.ports import Advice, Question

MEDIUM = "medium"


class HeuristicAdvisor:
    """Advice of the level ``medium``: see ``server.strategy.heuristic``. ``close`` it when the service ends."""

    levels: tuple[str, ...] = (MEDIUM,)

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="advisor")

    async def advise(self, level: str, question: Question) -> Sequence[Advice]:
        """The best things to do, best first, one to three. Raises ``ValueError`` for an unknown level or an impossible turn."""
        return await self._compute(level, lambda: advice(question))

    async def advise_sum(self, level: str, dice: tuple[int, ...], rolls_used: int) -> Sequence[Advice]:
        """The same for a turn of a roll-off, where the sum of the dice counts; exact. Raises ``ValueError`` likewise."""
        return await self._compute(level, lambda: roll_off_advice(dice, rolls_used))

    def close(self) -> None:
        """Let the thread end; whoever asks afterwards gets ``RuntimeError``."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _compute(self, level: str, compute: Callable[[], list[Advice]]) -> list[Advice]:
        if level not in self.levels:
            raise ValueError(f"there is no level {level!r}; choose from {', '.join(self.levels)}")
        return await asyncio.get_running_loop().run_in_executor(self._thread, compute)
