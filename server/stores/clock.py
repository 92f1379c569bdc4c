"""The store's clock in a process that has the store to itself.

It is set once, when the store is opened, and from then on only counts: a step of the wall clock, by hand or by NTP, neither
shortens nor lengthens a turn. It counts time asleep too, where the system can say how long that was.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from server.tables.ports import Timer


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


def _elapsed_ms() -> int:
    # CLOCK_BOOTTIME (Linux) goes on while the machine sleeps, the monotonic clock does not.
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
    return time.monotonic_ns() // 1_000_000


@dataclass(frozen=True)
class TimeSource:
    """Where time comes from: the wall clock, and a counter that never steps; both in milliseconds."""

    wall_ms: Callable[[], int] = _wall_ms
    elapsed_ms: Callable[[], int] = _elapsed_ms


class StoreClock:
    """A ``Clock`` that starts at the wall clock, but never before ``not_before_ms`` (the last time the store has noted)."""

    def __init__(self, not_before_ms: int, source: TimeSource) -> None:
        self._elapsed_ms = source.elapsed_ms
        self._zero_ms = max(source.wall_ms(), not_before_ms) - source.elapsed_ms()

    def now_ms(self) -> int:
        """The time now."""
        return self._zero_ms + self._elapsed_ms()

    def call_at(self, at_ms: int, callback: Callable[[], None]) -> Timer:
        """Call back on the running loop at ``at_ms``, at once if that has passed, never before."""
        return _Call(self, at_ms, callback)

    async def sleep(self, for_ms: int) -> None:
        """Wait, not counting the time the machine sleeps."""
        await asyncio.sleep(for_ms / 1000)


class _Call:
    """One call that is due. The loop's timers count by another clock, and round: when one fires, we look at the time again."""

    def __init__(self, clock: StoreClock, at_ms: int, callback: Callable[[], None]) -> None:
        self._clock = clock
        self._at_ms = at_ms
        self._callback = callback
        self._loop = asyncio.get_running_loop()
        self._wait(at_ms - clock.now_ms())

    def cancel(self) -> None:
        """Do not call."""
        self._handle.cancel()

    def _wait(self, left_ms: int) -> None:
        self._handle = self._loop.call_later(max(left_ms, 0) / 1000, self._fire)

    def _fire(self) -> None:
        left_ms = self._at_ms - self._clock.now_ms()
        if left_ms > 0:
            self._wait(left_ms)
        else:
            self._callback()
