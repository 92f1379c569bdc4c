"""The one thread that writes: takes batches from the loop, commits what has gathered as one transaction, reports back once.

While it commits, the next batches gather in its queue. After reporting, never before, it may note tips and run a checkpoint:
now and then under load, else when it has nothing to do. (A second thread that does most of a checkpoint beside it was tried and
is no gain: what is left for the writer then takes as long, since it is the disk's flush that takes long.)
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Thread

from server.stores.embedded.draft import Draft, note_tips
from server.stores.embedded.jobs import Batch
from server.stores.embedded.ledger import Ledger

LARGEST_BATCH = 256
"""Jobs a transaction has at most, about: its answers are worked off in one go on the loop."""
TIDY_ROWS = 8_192
"""Rows of the log after which it is tidied up under load. They fill some 600 pages of the database; to move so many takes 10 to
30 ms, in which nothing is written: once in 8 s at 1,000 appends a second. To read them when the store is opened takes as long.
"""
TIDY_PAGES = 16_000
"""Pages in the WAL, about, after which it is tidied up as well: 64 MB."""
IDLE_PAGES = 400
IDLE_S = 0.2
"""With so many pages in the WAL, and nothing to do for so long, they are moved at once."""

Deliver = Callable[[Sequence[Batch], Exception | None], None]
_logger = logging.getLogger(__name__)


class Writer:
    """Owns the write connection and the ledger from ``start`` on.

    ``deliver`` is called on ``loop`` with the batches of each transaction, in order, and with what went wrong, if it did: then
    nothing of them is written.
    """

    def __init__(
        self, connection: sqlite3.Connection, ledger: Ledger, loop: asyncio.AbstractEventLoop, deliver: Deliver
    ) -> None:
        self._connection = connection
        self._ledger = ledger
        self._loop = loop
        self._deliver = deliver
        self._queue: SimpleQueue[Batch | None] = SimpleQueue()
        self._pages = 0
        self._is_failing = False
        self._is_stopping = False
        self._thread = Thread(target=self._run, name="tables-writer", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def put(self, batch: Batch) -> None:
        """Write a batch, after all that were put before it."""
        self._queue.put(batch)

    def stop(self) -> None:
        """Write what is queued, and end; ``join`` waits for that."""
        self._queue.put(None)

    def join(self) -> None:
        """Wait until the thread has ended and the connection is closed. Blocks."""
        self._thread.join()

    def _run(self) -> None:
        while not self._is_stopping:
            if batches := self._gather():
                self._report(batches, self._write(batches))
                self._tidy()
        self._finish()

    def _gather(self) -> list[Batch]:
        """All batches that are there, or the next one; empty after a while with nothing to do, and at the end."""
        batches: list[Batch] = []
        jobs = 0
        while jobs < LARGEST_BATCH:
            try:
                batch = self._queue.get(not batches, IDLE_S if self._pages >= IDLE_PAGES else None)
            except Empty:
                if not batches:
                    self._checkpoint("PASSIVE")
                break
            if batch is None:
                self._is_stopping = True
                break
            batches.append(batch)
            jobs += len(batch.jobs)
        return batches

    def _write(self, batches: Sequence[Batch]) -> Exception | None:
        draft = Draft(self._ledger)
        try:
            for batch in batches:
                for job in batch.jobs:
                    draft.add(job)
            self._pages += draft.write(self._connection)
        except Exception as error:
            # Whatever it is, the next batch has to be tried: a full disk is emptied, a lock is let go.
            if not self._is_failing:
                _logger.exception("the tables cannot be written")
            self._is_failing = True
            return error
        draft.keep()
        if self._is_failing:
            _logger.warning("the tables can be written again")
        self._is_failing = False
        return None

    def _report(self, batches: Sequence[Batch], failure: Exception | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._deliver, batches, failure)
        except RuntimeError:
            # The loop was closed without closing the store; nobody is left to write for.
            self._is_stopping = True

    def _tidy(self) -> None:
        if self._ledger.unnoted_rows >= TIDY_ROWS or self._pages >= TIDY_PAGES:
            self._note_tips()
            self._checkpoint("PASSIVE")

    def _note_tips(self) -> None:
        try:
            self._pages += note_tips(self._connection, self._ledger)
        except sqlite3.Error:
            _logger.exception("the ends of the logs could not be noted")

    def _checkpoint(self, mode: str) -> None:
        try:
            self._connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()
        except sqlite3.Error:
            _logger.exception("the write-ahead log could not be moved into the database")
        self._pages = 0

    def _finish(self) -> None:
        self._note_tips()
        self._checkpoint("TRUNCATE")
        self._connection.close()
