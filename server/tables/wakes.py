"""The alarm clock of a worker: one heap and one timer for the wakes of all its tables."""

import heapq
from collections.abc import Callable

from server.match.events import Code
from server.tables.ports import Clock, Timer

SPARE = 64
"""So many forgotten times, beside as many as there are armed ones, may stay in the heap before it is built anew."""


class Wakes:
    """At most one time a table. A fired or replaced time is forgotten lazily, when it comes to the top of the heap."""

    def __init__(self, clock: Clock, fire: Callable[[Code], None]) -> None:
        self._clock = clock
        self._fire = fire
        self._heap: list[tuple[int, Code]] = []
        self._armed: dict[Code, int] = {}
        self._timer: Timer | None = None
        self._timer_at = 0

    def __len__(self) -> int:
        return len(self._armed)

    def arm(self, code: Code, at_ms: int) -> None:
        """Fire for ``code`` at ``at_ms`` and at no other time."""
        if self._armed.get(code) == at_ms:
            return
        self._armed[code] = at_ms
        heapq.heappush(self._heap, (at_ms, code))
        if len(self._heap) > 2 * len(self._armed) + SPARE:
            self._heap = [(at, armed) for armed, at in self._armed.items()]
            heapq.heapify(self._heap)
        self._set_timer()

    def is_armed(self, code: Code) -> bool:
        """Whether there is a time at which it will fire for ``code``."""
        return code in self._armed

    def disarm(self, code: Code) -> None:
        """Do not fire for ``code``."""
        self._armed.pop(code, None)

    def stop(self) -> None:
        """Fire no more."""
        self._armed.clear()
        self._heap.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def look(self) -> None:
        """Fire what is due now, whatever the timer believes; a machine that slept has late timers."""
        now = self._clock.now_ms()
        while self._heap and self._heap[0][0] <= now:
            at_ms, code = heapq.heappop(self._heap)
            if self._armed.get(code) == at_ms:
                del self._armed[code]
                self._fire(code)
        self._set_timer()

    def _set_timer(self) -> None:
        while self._heap and self._armed.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        if not self._heap:
            return
        at_ms = self._heap[0][0]
        if self._timer is not None:
            if self._timer_at == at_ms:
                return
            self._timer.cancel()
        self._timer_at = at_ms
        self._timer = self._clock.call_at(at_ms, self._ring)

    def _ring(self) -> None:
        self._timer = None
        self.look()
