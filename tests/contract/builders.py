"""Entries, appends and listeners for the contract suite."""

import asyncio
from collections.abc import Sequence
from typing import Any

from server.match.events import ENTRY_VERSION, Cause, Code, Entry, MatchId, PlayerId, Sat
from server.tables.ports import Append, TableLog

ANA, BEN, CARLA = PlayerId("ana"), PlayerId("ben"), PlayerId("carla")
CODE, CODE_2 = Code("ABC234"), Code("DEF567")
MATCH, MATCH_2 = MatchId("1" * 32), MatchId("2" * 32)
ROOT = bytes(range(32))
LONGEST_WAIT_S = 20
FAR_MS = 10**15
OPENED_MS = 1_785_000_000_000


def entry(number: int, nonce: str | None = None) -> Entry:
    event = Sat(at=OPENED_MS + number, seat=number % 6, player=PlayerId(f"player {number}"))
    cause = Cause(PlayerId(f"player {number}"), f"c{number}") if number % 2 else None
    return Entry(version=ENTRY_VERSION, event=event, nonce=nonce or f"n{number}", cause=cause)


def entries(start: int, stop: int) -> tuple[Entry, ...]:
    return tuple(entry(number) for number in range(start, stop))


def change(start: int = 0, stop: int | None = None, **beside: Any) -> Append:
    """The entries from ``start`` up to ``stop`` (one, if that is not given), and what is beside them."""
    return Append(entries=entries(start, start + 1 if stop is None else stop), **{"wake_at_ms": None, **beside})


async def append(log: TableLog, code: Code, start: int, stop: int | None = None, **beside: Any) -> None:
    """Append to a log that holds ``start`` entries; it has to go in."""
    async with asyncio.timeout(LONGEST_WAIT_S):
        assert await log.append(code, start, change(start, stop, **beside)) == "appended"


async def match_entries(log: TableLog, match: MatchId) -> list[Entry]:
    found = await log.matches(match)
    assert found is not None
    return list(found)


class Ear:
    """Hears a log."""

    def __init__(self, log: TableLog) -> None:
        self.heard: list[tuple[Code, int, tuple[Entry, ...]]] = []
        self.notes: list[tuple[Code, bytes]] = []
        self._more = asyncio.Event()
        self.stop = log.listen(self._hear, self._hear_note)

    async def wait_heard(self, count: int) -> None:
        await self._wait(self.heard, count)

    async def wait_notes(self, count: int) -> None:
        await self._wait(self.notes, count)

    async def _wait(self, what: Sequence[object], count: int) -> None:
        async with asyncio.timeout(LONGEST_WAIT_S):
            while len(what) < count:
                self._more.clear()
                await self._more.wait()

    def _hear(self, code: Code, first: int, new: Sequence[Entry]) -> None:
        self.heard.append((code, first, tuple(new)))
        self._more.set()

    def _hear_note(self, code: Code, message: bytes) -> None:
        self.notes.append((code, message))
        self._more.set()
