import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from server.accounts.ports import PlayerRecords
from server.match.events import PlayerId
from server.records import players as players_module
from server.records.engine import RecordsUnavailable, open_engine
from server.records.migrate import migrate
from server.records.players import PlayerRepository
from server.tables.ports import StoreUnavailable

MIGRATIONS = Path(__file__).parents[2] / "migrations"
ANA = PlayerId("a" * 16)
BEN = PlayerId("b" * 16)


@asynccontextmanager
async def repository(file: Path) -> AsyncIterator[PlayerRepository]:
    engine = open_engine(f"sqlite+aiosqlite:///{file}", busy_seconds=0.0)
    try:
        yield PlayerRepository(engine)
    finally:
        await engine.dispose()


@pytest.fixture
async def file(tmp_path):
    await migrate(f"sqlite+aiosqlite:///{tmp_path}/records.db", MIGRATIONS)
    return tmp_path / "records.db"


@pytest.fixture
async def engine(file):
    engine = open_engine(f"sqlite+aiosqlite:///{file}", busy_seconds=0.0)
    yield engine
    await engine.dispose()


@pytest.fixture
def players(engine):
    return PlayerRepository(engine)


def rows(file: Path, question: str) -> list[tuple]:
    connection = sqlite3.connect(file)
    try:
        return connection.execute(question).fetchall()
    finally:
        connection.close()


async def wait_connections_gone() -> None:
    """Connections that failed to open end in their own threads, which still want to tell the loop."""
    for thread in threading.enumerate():
        if "_connection_worker_thread" in thread.name:
            await asyncio.to_thread(thread.join)


async def add(players: PlayerRepository, number: int) -> None:
    await players.add_guest(PlayerId(f"{number:016x}"), f"Guest {number}", session=f"{number:016x}", at_ms=number)


async def test_a_guest_is_found_again(players):
    port: PlayerRecords = players
    added = await port.add_guest(ANA, "Ana \U0001f3b2", session="1" * 16, at_ms=5)
    assert (added.id, added.name, added.is_guest) == (ANA, "Ana \U0001f3b2", True)
    assert await port.find([ANA, BEN]) == [added]
    assert await port.find([BEN]) == []


async def test_a_guest_is_on_disk_with_their_session_once_added(players, file):
    await players.add_guest(ANA, "Ana", session="1" * 16, at_ms=1_700_000_000_000)
    assert rows(file, "SELECT * FROM players") == [(ANA, "Ana", 1, 1_700_000_000_000, None)]
    assert rows(file, "SELECT * FROM sessions") == [("1" * 16, ANA, 1_700_000_000_000)]


async def test_guests_outlive_the_process(file):
    async with repository(file) as players:
        await add(players, 1)
    async with repository(file) as players:
        assert [player.name for player in await players.find([PlayerId(f"{1:016x}")])] == ["Guest 1"]


async def test_a_crowd_is_kept_whole_in_few_commits(players, file, monkeypatch):
    monkeypatch.setattr(players_module, "BATCH", 20)
    batches = []
    insert = players._insert

    async def counted(batch):
        batches.append(len(batch))
        await insert(batch)

    monkeypatch.setattr(players, "_insert", counted)
    await asyncio.gather(*(add(players, number) for number in range(50)))
    assert batches == [20, 20, 10]
    assert rows(file, "SELECT count(*) FROM players JOIN sessions ON player_id = players.id") == [(50,)]


async def test_whoever_gives_up_waiting_stops_nobody_else(players, file):
    waiting = [asyncio.create_task(add(players, number)) for number in range(3)]
    await asyncio.sleep(0)
    waiting[1].cancel()
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(result) for result in results] == [type(None), asyncio.CancelledError, type(None)]
    assert rows(file, "SELECT count(*) FROM players") == [(3,)]


async def test_finishing_waits_for_what_is_being_written(players, file):
    waiting = asyncio.create_task(add(players, 1))
    await asyncio.sleep(0)
    await players.finish()
    assert rows(file, "SELECT count(*) FROM players") == [(1,)]
    await waiting
    await players.finish()


async def test_a_locked_database_is_unavailable_for_writing_and_answers_readers(players, file):
    await add(players, 1)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    results = await asyncio.gather(add(players, 2), add(players, 3), return_exceptions=True)
    assert [type(result) for result in results] == [RecordsUnavailable] * 2
    assert len(await players.find([PlayerId(f"{1:016x}")])) == 1
    other.close()
    await add(players, 2)
    assert rows(file, "SELECT count(*) FROM players") == [(2,)]


async def test_a_database_that_cannot_be_opened_is_unavailable(tmp_path):
    async with repository(tmp_path / "no" / "folder" / "records.db") as players:
        with pytest.raises(StoreUnavailable, match="unable to open database file"):
            await players.find([ANA])
        with pytest.raises(RecordsUnavailable):
            await players.add_guest(ANA, "Ana", session="1" * 16, at_ms=0)
    await wait_connections_gone()


async def test_a_crowd_that_exhausts_the_connections_is_told_so(engine, players):
    connections = [await engine.connect() for _ in range(15)]
    with pytest.raises(RecordsUnavailable):
        await players.find([ANA])
    for connection in connections:
        await connection.close()
    assert await players.find([ANA]) == []


async def test_a_mistake_of_ours_is_not_called_an_absence(tmp_path):
    async with repository(tmp_path / "empty.db") as players:
        with pytest.raises(Exception, match="no such table") as caught:
            await players.find([ANA])
    assert not isinstance(caught.value, StoreUnavailable)


async def test_the_same_guest_twice_is_a_mistake_of_ours(players):
    await add(players, 1)
    with pytest.raises(Exception, match="UNIQUE constraint failed") as caught:
        await add(players, 1)
    assert not isinstance(caught.value, StoreUnavailable)


async def test_idle_records_hold_no_connection(engine, players):
    await asyncio.gather(*(add(players, number) for number in range(10)))
    await players.find([ANA])
    assert engine.pool.checkedout() == 0


async def test_the_file_is_in_wal_mode_with_foreign_keys_on(engine):
    async with engine.connect() as connection:
        pragmas = [(await connection.exec_driver_sql(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "foreign_keys")]
    assert pragmas == ["wal", 1]
