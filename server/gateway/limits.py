"""How often something may be done: messages of a connection, phrases and hints of a player, what one address asks for.

Two measures. A *flow* is a bucket of tokens: so many messages a second for long, more in a burst. A *quota* is a sliding
window: so many in any stretch of time of that length, and exactly so many, because that is what the protocol promises ("at most
5 in 10 s"), where a bucket would let nearly twice as many through.

Times are milliseconds on a clock that never runs backwards.
"""

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from server.gateway.errors import TooMany

_MINUTE_MS = 60_000
_HOUR_MS = 60 * _MINUTE_MS

ByAddress = Literal["tables", "sessions", "unknown_codes"]
"""What is limited for each address."""

_SENTENCES: dict[ByAddress, str] = {
    "tables": "Too many tables were opened from this network in the last hour.",
    "sessions": "Too many new players came from this network in the last hour; those who play already are not affected.",
    "unknown_codes": "Too many table codes that lead nowhere were tried from this network.",
}


@dataclass(frozen=True, slots=True)
class Flow:
    """``per_second`` messages for long, ``burst`` at once.

    What is above that is refused; after ``patience`` refusals, without a pause that fills the burst again, it is flooding.
    """

    per_second: int
    burst: int
    patience: int = 200


@dataclass(frozen=True, slots=True)
class Quota:
    """At most ``count`` in any ``window_ms`` milliseconds."""

    count: int
    window_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitNumbers:
    """Every limit there is, with the protocol's numbers."""

    messages: Flow = Flow(per_second=20, burst=40)
    tables: Quota = Quota(20, _HOUR_MS)
    sessions: Quota = Quota(60, _HOUR_MS)
    unknown_codes: Quota = Quota(30, _MINUTE_MS)
    phrases: Quota = Quota(5, 10_000)
    hints: Quota = Quota(10, 10_000)

    @classmethod
    def of(
        cls,
        *,
        messages_per_second: int,
        message_burst: int,
        tables_per_hour: int,
        sessions_per_hour: int,
        unknown_codes_per_minute: int,
    ) -> "LimitNumbers":
        """The numbers an operator can set, and the usual ones beside them."""
        return cls(
            messages=Flow(messages_per_second, message_burst),
            tables=Quota(tables_per_hour, _HOUR_MS),
            sessions=Quota(sessions_per_hour, _HOUR_MS),
            unknown_codes=Quota(unknown_codes_per_minute, _MINUTE_MS),
        )


class Window:
    """One quota, used up by one. Its memory is 8 bytes for each that is counted."""

    __slots__ = ("_quota", "_times")

    def __init__(self, quota: Quota) -> None:
        self._quota = quota
        self._times = array("q")

    def take(self, now_ms: int) -> bool:
        """Count one and return True; or, if the window is full, count nothing and return False."""
        if self.wait_ms(now_ms):
            return False
        self._times.append(now_ms)
        del self._times[: -self._quota.count]
        return True

    def wait_ms(self, now_ms: int) -> int:
        """The time after which there is room for one, 0 if there is now. Counts nothing."""
        if len(self._times) < self._quota.count:
            return 0
        return max(0, self._times[0] + self._quota.window_ms - now_ms)

    def is_over(self, now_ms: int) -> bool:
        """Whether nothing that was counted counts any more."""
        return not self._times or self._times[-1] + self._quota.window_ms <= now_ms


class Windows:
    """The same quota for each of many keys.

    A key that has used nothing for a whole window is forgotten. Of more than ``most_keys`` the one served longest ago is
    forgotten too: 60 an hour for 20,000 addresses take up 20 MB, and no more.
    """

    def __init__(self, quota: Quota, most_keys: int = 20_000) -> None:
        self._quota = quota
        self._most_keys = most_keys
        self._windows: dict[str, Window] = {}

    def __len__(self) -> int:
        return len(self._windows)

    def take(self, key: str, now_ms: int) -> int:
        """Count one for ``key`` and return 0; or, if its window is full, count nothing and return the ms to wait."""
        window = self._windows.get(key)
        if window is None:
            window = Window(self._quota)
        elif wait_ms := window.wait_ms(now_ms):
            return wait_ms
        window.take(now_ms)
        # Whoever was served last is at the end, so that those to forget are in front.
        self._windows.pop(key, None)
        self._windows[key] = window
        self._forget(now_ms)
        return 0

    def wait_ms(self, key: str, now_ms: int) -> int:
        """The time after which there is room for ``key``, 0 if there is now. Counts nothing."""
        window = self._windows.get(key)
        return window.wait_ms(now_ms) if window else 0

    def _forget(self, now_ms: int) -> None:
        while len(self._windows) > 1:
            key, window = next(iter(self._windows.items()))
            if len(self._windows) <= self._most_keys and not window.is_over(now_ms):
                return
            del self._windows[key]


class MessageRate:
    """The messages of one connection against a flow; without a flow all are fine."""

    __slots__ = ("_at_ms", "_flow", "_refused", "_thousandths")

    def __init__(self, flow: Flow | None, now_ms: int) -> None:
        self._flow = flow
        self._at_ms = now_ms
        self._refused = 0
        self._thousandths = flow.burst * 1000 if flow else 0

    def take(self, now_ms: int) -> bool:
        """Whether a message that came at ``now_ms`` is within the flow."""
        flow = self._flow
        if flow is None:
            return True
        full = flow.burst * 1000
        self._thousandths = min(full, self._thousandths + (now_ms - self._at_ms) * flow.per_second)
        self._at_ms = now_ms
        if self._thousandths == full:
            self._refused = 0
        if self._thousandths < 1000:
            self._refused += 1
            return False
        self._thousandths -= 1000
        return True

    @property
    def is_flooding(self) -> bool:
        """Whether so many were refused that the connection is to be closed."""
        return self._flow is not None and self._refused > self._flow.patience


class Limits:
    """The limits by address and the message rate, which can be switched off; phrases and hints, by player, cannot."""

    def __init__(self, now_ms: Callable[[], int], numbers: LimitNumbers | None = None, *, is_on: bool = True) -> None:
        self.is_on = is_on
        self._now_ms = now_ms
        self._numbers = numbers or LimitNumbers()
        self._by_address: dict[ByAddress, Windows] = {
            "tables": Windows(self._numbers.tables),
            "sessions": Windows(self._numbers.sessions),
            "unknown_codes": Windows(self._numbers.unknown_codes),
        }

    def check(self, name: ByAddress, address: str, *, take: bool = True) -> None:
        """Count one for ``address`` (with ``take``), or raise ``TooMany`` with the time to wait."""
        wait_s = self.take(name, address) if take else self.wait_s(name, address)
        if wait_s:
            raise TooMany(_SENTENCES[name], wait_s)

    def take(self, name: ByAddress, address: str) -> int:
        """Count one for ``address`` and return 0, or count nothing and return the whole seconds to wait."""
        return _seconds(self._by_address[name].take(address, self._now_ms())) if self.is_on else 0

    def wait_s(self, name: ByAddress, address: str) -> int:
        """The whole seconds that ``address`` has to wait, 0 for none. Counts nothing."""
        return _seconds(self._by_address[name].wait_ms(address, self._now_ms())) if self.is_on else 0

    def messages(self) -> MessageRate:
        """What the messages of a new connection are measured by."""
        return MessageRate(self._numbers.messages if self.is_on else None, self._now_ms())


def _seconds(wait_ms: int) -> int:
    """Rounded up, so that whoever waits as long is served."""
    return -(-wait_ms // 1000)
