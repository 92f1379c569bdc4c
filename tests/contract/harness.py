"""The stores that the contract suite runs on, and what it needs of each beside the port.

An adapter joins by one class with these methods and one line in ``ADAPTERS``.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Protocol

from server.stores.embedded import open_embedded
from server.stores.embedded.folder import DATABASE_FILE
from server.tables.ports import TableLog
from tests.fakes.clock import ManualClock
from tests.fakes.memory_log import MemoryDisk, MemoryLog


class Store(Protocol):
    """A store with two workers on it, or one that plays both where there can only be one."""

    log: TableLog
    other: TableLog

    async def open(self) -> None:
        """Set ``log`` and ``other``."""

    async def reopen(self) -> None:
        """Close both and open both again: all workers were away for a moment."""

    async def shut(self) -> None:
        """Close what is open."""

    def now_ms(self) -> int:
        """The store's clock."""

    def fail(self) -> None:
        """From now on the store cannot be used."""

    def mend(self) -> None:
        """It can again."""


class Memory:
    def __init__(self, _: Path) -> None:
        self._clock = ManualClock()
        self._disk = MemoryDisk()

    async def open(self) -> None:
        self.log = self.other = self._worker = MemoryLog(self._clock, self._disk)

    async def reopen(self) -> None:
        await self.shut()
        self._clock.advance(1_000)
        await self.open()

    async def shut(self) -> None:
        await self._worker.close()

    def now_ms(self) -> int:
        return self._clock.now_ms()

    def fail(self) -> None:
        self._worker.is_down = True

    def mend(self) -> None:
        self._worker.is_down = False


class Embedded:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def open(self) -> None:
        self.log = self.other = self._worker = await open_embedded(self._folder, "relaxed")

    async def reopen(self) -> None:
        await self.shut()
        await self.open()

    async def shut(self) -> None:
        await self._worker.close()

    def now_ms(self) -> int:
        return self._worker.clock.now_ms()

    def fail(self) -> None:
        self._rename("log", "log_away")
        self._rename("store", "store_away")

    def mend(self) -> None:
        self._rename("log_away", "log")
        self._rename("store_away", "store")

    def _rename(self, table: str, name: str) -> None:
        with closing(sqlite3.connect(self._folder / DATABASE_FILE)) as stranger:
            stranger.execute(f"ALTER TABLE {table} RENAME TO {name}")


ADAPTERS = (Memory, Embedded)
