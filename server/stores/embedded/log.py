"""The ``TableLog`` of one process: what the loop does. Appends go to the writer's thread in batches, reads to the reader's.

In memory is what has no time to wait: the end of each live table's log with its wake, the lobby's cards, who is there, the
outages. But for who is there, it is changed only by what has been committed, before anybody hears of it.
"""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from server.match.events import Code, Entry, MatchId, PlayerId
from server.match.world import OUTAGE_MS, Outage, Presence
from server.stores import codec
from server.stores.embedded import queries
from server.stores.embedded.jobs import AppendJob, Batch, Job, PresenceJob, Statement, WriteJob
from server.stores.embedded.opening import KEEP_OUTAGES_MS, Opened
from server.stores.embedded.writer import Writer
from server.tables.ports import Append, Listener, NoteListener, Outcome, StoreUnavailable

"""Without a beat for longer than this, the service was down."""
ANSWER_S = 5.0
"""How long the disk may take; who waits is told ``StoreUnavailable`` then, though the append may still go in."""

_CLOSED = "The store is closed."
_LATE = "The store did not answer in time."

_T = TypeVar("_T")


class EmbeddedLog:
    """A ``TableLog`` on SQLite in a directory of its own, with the store's ``clock``. Made by ``open_embedded``."""

    def __init__(self, opened: Opened) -> None:
        self.clock = opened.clock
        self._loop = asyncio.get_running_loop()
        self._lock = opened.lock
        self._tips = dict(opened.ledger.tips)
        self._cards = opened.cards
        self._seats = opened.seats
        self._attendances = opened.attendances
        self._outages = opened.outages
        self._beat_ms = opened.beat_ms
        self._listeners: list[tuple[Listener, NoteListener]] = []
        self._gathered: list[Job] = []
        self._is_closed = False
        self._reader = opened.reader
        self._reading = ThreadPoolExecutor(1, "tables-reader")
        self._writer = Writer(opened.writer, opened.ledger, self._loop, self._take_answers)
        self._writer.start()

    def append(self, code: Code, expected: int, change: Append) -> asyncio.Future[Outcome]:
        """Append if the log holds ``expected`` entries. See the port.

        An append without entries to an existing table changes what is beside the log; no listener hears of it. Raises
        ``ValueError`` for an append that makes no sense: a table that begins without an entry, a secret or an end of no match.
        """
        if (expected == 0 and not change.entries) or (change.match is None and (change.finished or change.secret is not None)):
            raise ValueError("an append needs a first entry, and a match where it stores or deletes a secret or ends one")
        job = AppendJob(code, expected, change, codec.encode(change.entries), self._loop.create_future())
        if self._is_closed:
            job.future.set_exception(StoreUnavailable(_CLOSED))
        else:
            self._gather(job)
        return job.future

    async def read(self, code: Code, start: int = 0) -> list[Entry]:
        """The entries from ``start`` on. See the port."""
        self._check_open()
        tip = self._tips.get(code)
        return await self._ask(queries.entries, tip.last, start) if tip and start < tip.length else []

    async def secret(self, code: Code, match: MatchId) -> bytes | None:
        """The root of a running match. See the port."""
        self._check_open()
        tip = self._tips.get(code)
        return await self._ask(queries.root, tip.table_id, match) if tip else None

    def listen(self, listener: Listener, notes: NoteListener) -> Callable[[], None]:
        """Hear of every append and note. See the port. A listener that raises is reported to the loop and heard no less."""
        self._check_open()
        pair = (listener, notes)
        self._listeners.append(pair)

        def stop() -> None:
            if pair in self._listeners:
                self._listeners.remove(pair)

        return stop

    def note(self, code: Code, message: bytes) -> None:
        """Tell the listeners, in this process: all there are. They hear it in the loop's next turn."""
        self._check_open()
        self._loop.call_soon(self._tell_note, code, message)

    def wakes(self, until_ms: int) -> Iterable[tuple[Code, int]]:
        """The wakes that are due by ``until_ms``, earliest first."""
        self._check_open()
        wakes = ((tip.wake_at_ms, code) for code, tip in self._tips.items() if tip.wake_at_ms is not None)
        return [(code, at_ms) for at_ms, code in sorted(wake for wake in wakes if wake[0] <= until_ms)]

    def lobby(self) -> Iterable[bytes]:
        """The cards of the lobby, newest table first."""
        self._check_open()
        codes = sorted(self._cards, key=lambda code: self._tips[code].table_id, reverse=True)
        return [self._cards[code] for code in codes]

    async def matches(self, match: MatchId) -> Sequence[Entry] | None:
        """The log up to the end of a finished match, for good. See the port."""
        return await self._ask(queries.finished, match)

    async def is_running(self, match: MatchId) -> bool:
        """Whether a match is sealed and has not ended. See the port."""
        return await self._ask(queries.is_running, match)

    def tables_of(self, player: PlayerId) -> Iterable[Code]:
        """The tables where a player sits, in the order in which they sat down. See the port."""
        self._check_open()
        return self._seats.of(player)

    async def connected(self, code: Code, player: PlayerId | None, change: int, now_ms: int) -> Presence:
        """Count a connection in or out. See the port. At a table that does not exist nothing is counted.

        What began by it is written with the next batch, without waiting; if the disk is full then, a restart knows the state
        before it.
        """
        self._check_open()
        tip = self._tips.get(code)
        if tip is None:
            return Presence({}, now_ms)
        for who, is_connected, since_ms in self._attendances.count(code, player, change, now_ms):
            self._gather(PresenceJob(tip.table_id, who, is_connected, since_ms))
        return await self.presence(code)

    async def presence(self, code: Code) -> Presence:
        """Who is at the table; a table that does not exist is empty since ever."""
        self._check_open()
        return self._attendances.presence(code) or Presence({}, 0)

    async def beat(self, now_ms: int) -> Outage | None:
        """Say that the process lives. See the port. A disk that could not be written for so long is an outage too."""
        outage = Outage(self._beat_ms, now_ms) if now_ms - self._beat_ms > OUTAGE_MS else None
        beat_ms = max(now_ms, self._beat_ms)
        statements: list[Statement] = [("UPDATE store SET beat_ms = ?", (beat_ms,))]
        if outage:
            statements.append(("INSERT INTO outages VALUES (?, ?)", (outage.from_ms, outage.to_ms)))
        before_ms, self._beat_ms = self._beat_ms, beat_ms  # whoever beats meanwhile finds this one said
        try:
            await self._written(*statements)
        except StoreUnavailable:
            self._beat_ms = min(self._beat_ms, before_ms)
            raise
        if outage:
            recent = (each for each in self._outages if each.to_ms >= now_ms - KEEP_OUTAGES_MS)
            self._outages = (*recent, outage)
        return outage

    def outages(self) -> tuple[Outage, ...]:
        """The outages of the last days, ascending."""
        self._check_open()
        return self._outages

    async def ping(self) -> None:
        """Write a little, and read; raise ``StoreUnavailable`` if either cannot be done."""
        # SQLite writes nothing where nothing changes, so the ping is one more sign of life.
        await self._written(self._sign_of_life())
        await self._ask(queries.check)

    async def close(self) -> None:
        """Write what was asked for and a last beat, move the WAL into the database, let go of the directory."""
        if self._is_closed:
            return
        self._gather(WriteJob((self._sign_of_life(),), None))
        self._is_closed = True
        self._hand_over()
        self._writer.stop()
        await asyncio.to_thread(self._writer.join)
        await asyncio.to_thread(self._reading.shutdown)
        self._reader.close()
        os.close(self._lock)

    def _sign_of_life(self) -> Statement:
        return "UPDATE store SET beat_ms = max(beat_ms, ?)", (self.clock.now_ms(),)

    def _gather(self, job: Job) -> None:
        if not self._gathered:
            self._loop.call_soon(self._hand_over)
        self._gathered.append(job)

    def _hand_over(self) -> None:
        if not self._gathered:
            return
        jobs, self._gathered = self._gathered, []
        self._writer.put(Batch(jobs, self._loop.call_later(ANSWER_S, _give_up, jobs)))

    def _take_answers(self, batches: Sequence[Batch], failure: Exception | None) -> None:
        jobs = [job for batch in batches for job in batch.jobs]
        if failure is None:
            for job in jobs:
                if isinstance(job, AppendJob) and job.outcome == "appended":
                    self._take_append(job)
        for batch in batches:
            batch.timer.cancel()
        for job in jobs:
            _resolve(job, failure)

    def _take_append(self, job: AppendJob) -> None:
        code, change = job.code, job.change
        if job.tip is None:
            if self._tips.pop(code, None):
                self._attendances.close(code)
            self._cards.pop(code, None)
            self._seats.set(code, ())
        else:
            self._tips[code] = job.tip
            if job.expected == 0:
                self._attendances.open(code, Presence({}, change.entries[0].event.at))
            if change.card:
                self._cards[code] = change.card
            elif change.card is not None:
                self._cards.pop(code, None)
            if change.players is not None:
                self._seats.set(code, change.players)
        if change.entries:
            for listener, _ in tuple(self._listeners):
                self._tell(listener, code, job.expected, change.entries)

    def _tell_note(self, code: Code, message: bytes) -> None:
        for _, listener in tuple(self._listeners):
            self._tell(listener, code, message)

    def _tell(self, listener: Callable[..., None], *args: object) -> None:
        try:
            listener(*args)
        except Exception as error:
            self._loop.call_exception_handler({"message": "a listener of the table log raised", "exception": error})

    async def _written(self, *statements: Statement) -> None:
        self._check_open()
        future: asyncio.Future[None] = self._loop.create_future()
        self._gather(WriteJob(statements, future))
        await future

    async def _ask(self, query: Callable[..., _T], *args: object) -> _T:
        self._check_open()
        try:
            async with asyncio.timeout(ANSWER_S):
                return await self._loop.run_in_executor(self._reading, query, self._reader, *args)
        except TimeoutError as error:
            raise StoreUnavailable(_LATE) from error
        except sqlite3.Error as error:
            raise StoreUnavailable(f"The store could not be read ({error}).") from error

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreUnavailable(_CLOSED)


def _resolve(job: Job, failure: Exception | None) -> None:
    if isinstance(job, PresenceJob) or job.future is None or job.future.done():
        return
    if failure is not None:
        unavailable = StoreUnavailable(f"The store could not be written ({failure}).")
        unavailable.__cause__ = failure
        job.future.set_exception(unavailable)
    elif isinstance(job, AppendJob):
        job.future.set_result(job.outcome)
    else:
        job.future.set_result(None)


def _give_up(jobs: Sequence[Job]) -> None:
    for job in jobs:
        if not isinstance(job, PresenceJob) and job.future is not None and not job.future.done():
            job.future.set_exception(StoreUnavailable(_LATE))
