"""The embedded store's writing: batches, order, a disk that is full, slow or locked, secrets that are gone, the WAL."""

import asyncio
import os
import resource
import signal
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from server.match.events import Code
from server.stores.embedded import EmbeddedLog, log, open_embedded, queries, writer
from server.stores.embedded.draft import Draft
from server.stores.embedded.folder import DATABASE_FILE
from server.tables.ports import Append, Outcome, StoreUnavailable
from tests.contract.builders import ANA, CODE, CODE_2, MATCH, OPENED_MS, ROOT, Ear, append, change, entries

WAL_FILE = f"{DATABASE_FILE}-wal"


@pytest_asyncio.fixture
async def store(tmp_path: Path) -> AsyncIterator[EmbeddedLog]:
    store = await open_embedded(tmp_path, "full")
    yield store
    await store.close()


def rows(folder: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as connection:
        return connection.execute(sql).fetchall()


@contextmanager
def file_limit(size: int) -> Iterator[None]:
    """Let this process write no file beyond ``size``; to SQLite that is a disk that fails."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)


def full_disk(folder: Path) -> AbstractContextManager[None]:
    """Let the WAL grow no more."""
    return file_limit((folder / WAL_FILE).stat().st_size)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Somebody else writes to the database, and takes his time."""
    with closing(sqlite3.connect(folder / DATABASE_FILE, isolation_level=None)) as stranger:
        stranger.execute("BEGIN IMMEDIATE")
        yield


class Transactions:
    """The number of tables that each transaction appends to."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self._loop = asyncio.get_running_loop()
        self._begun = asyncio.Event()

    def begin(self, size: int) -> None:
        """One begins, in the writer's thread."""
        self.sizes.append(size)
        self._loop.call_soon_threadsafe(self._begun.set)

    async def wait_begun(self) -> None:
        async with asyncio.timeout(20):
            await self._begun.wait()


@pytest_asyncio.fixture
async def transactions(monkeypatch: pytest.MonkeyPatch) -> Transactions:
    seen = Transactions()
    write = Draft.write

    def watched(draft: Draft, connection: sqlite3.Connection) -> int:
        seen.begin(len(draft._tips))
        return write(draft, connection)

    monkeypatch.setattr(Draft, "write", watched)
    return seen


async def test_the_appends_of_one_turn_are_one_transaction(store: EmbeddedLog, transactions: Transactions) -> None:
    codes = [Code(f"T{number:05}") for number in range(200)]
    await asyncio.gather(*(store.append(code, 0, change(0)) for code in codes))
    assert transactions.sizes == [200]


async def test_what_gathers_while_a_batch_is_written_is_one_transaction(
    store: EmbeddedLog, tmp_path: Path, transactions: Transactions
) -> None:
    with locked(tmp_path):
        futures = [store.append(CODE, 0, change(0))]
        await transactions.wait_begun()
        for number in range(20):
            futures.append(store.append(Code(f"T{number:05}"), 0, change(0)))
            await asyncio.sleep(0)
    await asyncio.gather(*futures)
    assert transactions.sizes == [1, 20]


async def test_a_transaction_is_not_as_large_as_one_likes(
    store: EmbeddedLog, transactions: Transactions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "LARGEST_BATCH", 16)
    futures = []
    for number in range(64):
        futures.append(store.append(Code(f"T{number:05}"), 0, change(0)))
        await asyncio.sleep(0)
    await asyncio.gather(*futures)
    assert max(transactions.sizes) <= 16
    assert sum(transactions.sizes) == 64


async def test_listeners_hear_in_log_order_before_any_future_of_the_batch_is_done(store: EmbeddedLog) -> None:
    futures: list[asyncio.Future[Outcome]] = []
    heard: list[tuple[Code, int, bool]] = []
    store.listen(lambda code, first, _: heard.append((code, first, any(each.done() for each in futures))), lambda *_: None)
    futures += (store.append(CODE, number, change(number)) for number in range(3))
    futures.append(store.append(CODE_2, 0, change(0)))
    await asyncio.gather(*futures)
    assert heard == [(CODE, 0, False), (CODE, 1, False), (CODE, 2, False), (CODE_2, 0, False)]


async def test_what_a_listener_hears_can_already_be_read(store: EmbeddedLog, tmp_path: Path) -> None:
    lengths: list[object] = []
    store.listen(lambda *_: lengths.extend(rows(tmp_path, "SELECT max(length) FROM log")[0]), lambda *_: None)
    await append(store, CODE, 0, 3)
    assert lengths == [3]


async def test_a_full_disk_fails_the_batch_and_the_writer_goes_on_once_there_is_room(
    store: EmbeddedLog, tmp_path: Path
) -> None:
    await append(store, CODE, 0, 2, wake_at_ms=5)
    with full_disk(tmp_path):
        failing = [store.append(CODE, 2, change(2, 40)), store.append(CODE_2, 0, change(0))]
        failures = await asyncio.gather(*failing, return_exceptions=True)
        for failure in failures:
            assert isinstance(failure, StoreUnavailable)
            assert isinstance(failure.__cause__, sqlite3.OperationalError)
        with pytest.raises(StoreUnavailable, match="could not be written"):
            await store.ping()
        assert await store.read(CODE) == list(entries(0, 2))
    await append(store, CODE, 2)
    await append(store, CODE_2, 0)
    assert await store.read(CODE) == list(entries(0, 3))
    assert await store.read(CODE_2) == list(entries(0, 1))


async def test_a_disk_that_stays_full_is_logged_once_and_so_is_its_end(
    store: EmbeddedLog, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await append(store, CODE, 0)
    with full_disk(tmp_path):
        for _ in range(3):
            with pytest.raises(StoreUnavailable):
                await store.append(CODE, 1, change(1))
    await append(store, CODE, 1, 3)
    assert caplog.messages == ["the tables cannot be written", "the tables can be written again"]


async def test_a_mistake_in_a_statement_fails_its_batch_alone(store: EmbeddedLog) -> None:
    unfit = Append(entries=entries(0, 1), wake_at_ms=2**70)
    with pytest.raises(StoreUnavailable):
        await store.append(CODE, 0, unfit)
    await append(store, CODE, 0)


async def test_an_answer_that_takes_too_long_is_unavailable_though_the_append_goes_in(
    store: EmbeddedLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "ANSWER_S", 0.01)
    ear = Ear(store)
    with locked(tmp_path):
        with pytest.raises(StoreUnavailable, match="in time"):
            await store.append(CODE, 0, change(0))
        with pytest.raises(StoreUnavailable, match="in time"):
            await store.ping()
        await store.connected(CODE, ANA, 1, OPENED_MS)
    await ear.wait_heard(1)
    assert await store.read(CODE) == list(entries(0, 1))


async def test_a_read_that_takes_too_long_is_unavailable(store: EmbeddedLog, monkeypatch: pytest.MonkeyPatch) -> None:
    await append(store, CODE, 0, 20_000)
    monkeypatch.setattr(log, "ANSWER_S", 0)
    with pytest.raises(StoreUnavailable, match="in time"):
        await store.read(CODE)


async def test_a_deleted_secret_is_nowhere_once_the_store_is_closed(store: EmbeddedLog, tmp_path: Path) -> None:
    await append(store, CODE, 0, match=MATCH, secret=ROOT)
    assert ROOT in (tmp_path / WAL_FILE).read_bytes()
    await append(store, CODE, 1, match=MATCH, secret=b"", finished=True)
    await store.close()
    assert ROOT not in (tmp_path / DATABASE_FILE).read_bytes()
    assert not (tmp_path / WAL_FILE).exists()


async def test_a_secret_that_was_in_the_database_is_overwritten_there(store: EmbeddedLog, tmp_path: Path) -> None:
    await append(store, CODE, 0, match=MATCH, secret=ROOT)
    await store.close()
    assert ROOT in (tmp_path / DATABASE_FILE).read_bytes()
    again = await open_embedded(tmp_path, "full")
    await append(again, CODE, 1, match=MATCH, secret=b"")
    await again.close()
    assert ROOT not in (tmp_path / DATABASE_FILE).read_bytes()


async def test_a_finished_match_waits_in_the_outbox(store: EmbeddedLog, tmp_path: Path) -> None:
    await append(store, CODE, 0)
    await append(store, CODE, 1, match=MATCH, finished=True)
    assert rows(tmp_path, "SELECT match FROM outbox") == [(MATCH,)]


async def test_a_closed_table_leaves_nothing_but_its_finished_matches(store: EmbeddedLog, tmp_path: Path) -> None:
    await append(store, CODE, 0, 2, match=MATCH, secret=ROOT, card=b"card")
    await append(store, CODE, 2, match=MATCH, secret=b"", finished=True)
    await append(store, CODE, 3)
    await append(store, CODE_2, 0, 2)
    await append(store, CODE_2, 2, match=MATCH, secret=ROOT)
    await store.connected(CODE, ANA, 1, OPENED_MS)
    await asyncio.gather(
        store.append(CODE, 4, change(4)),
        store.append(CODE, 5, change(5, is_closed=True)),
        store.append(CODE_2, 3, change(3, is_closed=True)),
    )
    assert rows(tmp_path, "SELECT first, length FROM log") == [(0, 2), (2, 3)]
    for table in ("tables", "tips", "secrets", "presence"):
        assert rows(tmp_path, f"SELECT * FROM {table}") == []


async def test_a_presence_that_is_written_after_its_table_was_closed_is_forgotten_when_the_store_is_opened(
    store: EmbeddedLog, tmp_path: Path
) -> None:
    await append(store, CODE, 0)
    with locked(tmp_path):
        last = store.append(CODE, 1, change(1, is_closed=True))
        await asyncio.sleep(0)
        await store.connected(CODE, ANA, 1, OPENED_MS)
    await last
    await store.close()
    again = await open_embedded(tmp_path, "full")
    assert rows(tmp_path, "SELECT * FROM presence") == []
    await append(again, CODE, 0)
    assert (await again.presence(CODE)).players == {}
    await again.close()


async def test_the_wal_is_moved_into_the_database_under_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "TIDY_PAGES", 50)
    async with asyncio.timeout(60):
        store = await open_embedded(tmp_path, "relaxed")
        for number in range(400):
            await append(store, CODE, number)
        assert (tmp_path / WAL_FILE).stat().st_size < 150 * 4096
        await store.close()
    assert not (tmp_path / WAL_FILE).exists()


async def test_the_wal_is_moved_into_the_database_when_there_is_nothing_to_do(
    store: EmbeddedLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "IDLE_PAGES", 1)
    monkeypatch.setattr(writer, "IDLE_S", 0.001)
    loop, moved = asyncio.get_running_loop(), asyncio.Event()
    checkpoint = writer.Writer._checkpoint

    def watched(self: writer.Writer, mode: str) -> None:
        checkpoint(self, mode)
        loop.call_soon_threadsafe(moved.set)

    monkeypatch.setattr(writer.Writer, "_checkpoint", watched)
    await append(store, CODE, 0, 200)
    async with asyncio.timeout(20):
        await moved.wait()
    assert b"player 199" in (tmp_path / DATABASE_FILE).read_bytes()


async def test_closing_on_a_full_disk_is_logged_and_loses_nothing_that_was_answered(
    store: EmbeddedLog, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await append(store, CODE, 0, 500)
    with file_limit((tmp_path / DATABASE_FILE).stat().st_size):
        await store.close()
    assert caplog.messages == [
        "the tables cannot be written",
        "the ends of the logs could not be noted",
        "the write-ahead log could not be moved into the database",
    ]
    again = await open_embedded(tmp_path, "full")
    assert await again.read(CODE) == list(entries(0, 500))
    await again.close()


def test_a_loop_that_is_closed_without_closing_the_store_ends_the_writer(tmp_path: Path) -> None:
    loop = asyncio.new_event_loop()
    store = loop.run_until_complete(open_embedded(tmp_path, "full"))
    with locked(tmp_path):
        store.append(CODE, 0, change(0))
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
    store._writer.join()
    assert rows(tmp_path, "SELECT length FROM log") == [(1,)]
    store._reading.shutdown()
    store._reader.close()
    os.close(store._lock)


async def test_a_log_whose_end_has_just_been_closed_away_is_empty(store: EmbeddedLog) -> None:
    await append(store, CODE, 0)
    assert queries.entries(store._reader, last=2, start=0) == []


async def test_a_log_that_has_lost_its_beginning_is_unavailable(store: EmbeddedLog, tmp_path: Path) -> None:
    await append(store, CODE, 0, 2)
    await append(store, CODE, 2, 4)
    with closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as stranger, stranger:
        stranger.execute("DELETE FROM log WHERE first = 0")
    assert await store.read(CODE, 2) == list(entries(2, 4))
    with pytest.raises(StoreUnavailable, match="lost its beginning"):
        await store.read(CODE, 1)
