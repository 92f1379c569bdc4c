"""A ``Clock`` that stands still until a test moves it."""

import asyncio
import heapq
import itertools
from collections.abc import Callable

START_MS = 1_785_000_000_000


class ManualTimer:
    """A call that is due later. It calls once, unless it is cancelled before."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self._callback = None

    def fire(self) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()


class ManualClock:
    """Starts at ``START_MS``, or where a test says."""

    def __init__(self, now_ms: int = START_MS) -> None:
        self._now_ms = now_ms
        self._due: list[tuple[int, int, ManualTimer]] = []
        self._serial = itertools.count()

    def now_ms(self) -> int:
        return self._now_ms

    def set(self, now_ms: int) -> None:
        """Make it that time without calling anything, as if nobody had been there to be called."""
        self._now_ms = now_ms

    def advance(self, ms: int) -> None:
        """Let ``ms`` pass: what falls due is called at its own time, in order, also what is asked for meanwhile."""
        until_ms = self._now_ms + ms
        while self._due and self._due[0][0] <= until_ms:
            at_ms, _, timer = heapq.heappop(self._due)
            self._now_ms = max(self._now_ms, at_ms)
            timer.fire()
        self._now_ms = until_ms

    def call_at(self, at_ms: int, callback: Callable[[], None]) -> ManualTimer:
        """Call at ``at_ms``; in the loop's next turn if that has passed."""
        timer = ManualTimer(callback)
        if at_ms <= self._now_ms:
            asyncio.get_running_loop().call_soon(timer.fire)
        else:
            heapq.heappush(self._due, (at_ms, next(self._serial), timer))
        return timer

    async def sleep(self, for_ms: int) -> None:
        """Wait until the clock has been moved so far."""
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def end() -> None:
            if not over.done():
                over.set_result(None)

        timer = self.call_at(self._now_ms + for_ms, end)
        try:
            await over
        finally:
            timer.cancel()
