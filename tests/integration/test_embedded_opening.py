"""The embedded store's directory: whose it is, what is refused and how that is said, and what is known when it is opened.

Run as a program, this file is another process that has the directory until its standard input ends.
"""

import asyncio
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from server.match.world import Outage
from server.stores.clock import TimeSource
from server.stores.embedded import (
    DirectoryInUse,
    Durability,
    StoreDamaged,
    StoreNewer,
    StoreUnusable,
    StoreUnwritable,
    open_embedded,
    opening,
    schema,
    writer,
)
from server.stores.embedded.folder import DATABASE_FILE, LOCK_FILE
from server.stores.embedded.schema import LAYOUT
from server.tables.ports import Append
from tests.contract.builders import CODE, CODE_2, FAR_MS, MATCH, append, entries

ROOT = Path(__file__).parents[2]
START_MS = 1_800_000_000_000


def at(wall_ms: int, elapsed_ms: Callable[[], int] = lambda: 0) -> TimeSource:
    return TimeSource(lambda: wall_ms, elapsed_ms)


async def hold(folder: Path) -> None:
    log = await open_embedded(folder, "full")
    sys.stdout.write("open\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    await log.close()


async def open_and_close(folder: Path) -> None:
    await (await open_embedded(folder, "full")).close()


def execute(folder: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as connection, connection:
        return connection.execute(sql).fetchall()


async def test_a_missing_directory_is_made_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "data"
    log = await open_embedded(folder, "full")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert {path.name.partition(".")[0] for path in folder.iterdir()} == {"tables"}
    await log.close()


async def test_a_directory_is_not_opened_twice_in_one_process(tmp_path: Path) -> None:
    log = await open_embedded(tmp_path, "full")
    with pytest.raises(DirectoryInUse, match=f"in use by process {os.getpid()}. Stop that process"):
        await open_embedded(tmp_path, "full")
    await log.close()
    await open_and_close(tmp_path)


def test_a_directory_that_another_process_has_is_refused_until_that_is_gone(tmp_path: Path) -> None:
    command = [sys.executable, __file__, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"open\n"
        with pytest.raises(DirectoryInUse, match=f"by process {child.pid}. .* directory of its own"):
            asyncio.run(open_and_close(tmp_path))
        child.kill()
    asyncio.run(open_and_close(tmp_path))


async def test_a_file_in_place_of_the_directory_is_said_to_be_unusable(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(StoreUnwritable, match=r"cannot be used: File exists\. Give it rights and room"):
        await open_embedded(tmp_path / "data", "full")


@pytest.mark.parametrize("name", [DATABASE_FILE, LOCK_FILE])
async def test_a_directory_in_place_of_a_file_is_said_to_be_unusable(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(StoreUnwritable, match="cannot be used: Is a directory"):
        await open_embedded(tmp_path, "full")


@pytest.mark.parametrize("name", [f"{DATABASE_FILE}-wal", f"{DATABASE_FILE}-shm"])
async def test_a_database_that_cannot_be_written_beside_is_said_to_be_unusable(tmp_path: Path, name: str) -> None:
    await open_and_close(tmp_path)
    (tmp_path / name).mkdir()
    with pytest.raises(StoreUnwritable, match=r"unable to open database file|attempt to write a readonly database"):
        await open_embedded(tmp_path, "full")


def test_a_file_system_on_which_the_wal_does_not_work_is_said_to_be_unusable(tmp_path: Path) -> None:
    with closing(sqlite3.connect(":memory:")) as without_wal, pytest.raises(StoreUnwritable, match="on a local disk"):
        schema.prepare(without_wal, tmp_path / DATABASE_FILE, "full")


async def test_a_file_that_is_no_database_is_said_to_be_damaged(tmp_path: Path) -> None:
    (tmp_path / DATABASE_FILE).write_bytes(b"dice" * 2_000)
    with pytest.raises(StoreDamaged, match=r"file is not a database.*Move it away and restore a backup"):
        await open_embedded(tmp_path, "full")


async def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    execute(tmp_path, "CREATE TABLE strange (id)")
    with pytest.raises(StoreDamaged, match="another program's database"):
        await open_embedded(tmp_path, "full")
    assert execute(tmp_path, "SELECT name FROM sqlite_schema") == [("strange",)]


async def test_a_database_with_overwritten_pages_is_said_to_be_damaged(tmp_path: Path) -> None:
    log = await open_embedded(tmp_path, "full")
    await append(log, CODE, 0, 100)
    await log.close()
    with (tmp_path / DATABASE_FILE).open("r+b") as file:
        file.seek(4096)
        file.write(b"dice" * 20_000)
    with pytest.raises(StoreDamaged, match="malformed"):
        await open_embedded(tmp_path, "full")


async def test_a_database_that_has_lost_rows_of_a_running_table_is_said_to_be_damaged(tmp_path: Path) -> None:
    log = await open_embedded(tmp_path, "full")
    await append(log, CODE, 0)
    await log.close()
    execute(tmp_path, "DELETE FROM tips")
    with pytest.raises(StoreDamaged, match="a table has no log"):
        await open_embedded(tmp_path, "full")


async def test_a_database_of_a_newer_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    await open_and_close(tmp_path)
    execute(tmp_path, f"PRAGMA user_version = {LAYOUT + 1}")
    before = (tmp_path / DATABASE_FILE).read_bytes()
    with pytest.raises(StoreNewer, match=rf"newer program \(layout {LAYOUT + 1}\). Update this program"):
        await open_embedded(tmp_path, "full")
    assert (tmp_path / DATABASE_FILE).read_bytes() == before


async def test_a_refused_directory_is_not_kept_locked(tmp_path: Path) -> None:
    (tmp_path / DATABASE_FILE).write_bytes(b"dice" * 2_000)
    with pytest.raises(StoreUnusable):
        await open_embedded(tmp_path, "full")
    (tmp_path / DATABASE_FILE).unlink()
    await open_and_close(tmp_path)


@pytest.mark.parametrize(("durability", "synchronous"), [("full", 2), ("relaxed", 1)])
async def test_durability_decides_whether_every_commit_waits_for_the_disk(
    tmp_path: Path, durability: Durability, synchronous: int
) -> None:
    opened = opening.open_store(tmp_path, durability, TimeSource())
    assert opened.writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert opened.writer.execute("PRAGMA synchronous").fetchone() == (synchronous,)
    opened.writer.close()
    opened.reader.close()
    os.close(opened.lock)


async def test_relaxed_durability_is_said_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await (await open_embedded(tmp_path / "full", "full")).close()
    assert caplog.messages == []
    await (await open_embedded(tmp_path / "relaxed", "relaxed")).close()
    assert caplog.messages == ["durability is relaxed: a power cut may take back what players have seen"]


async def test_opening_stores_the_outage_since_the_last_beat_however_short(tmp_path: Path) -> None:
    log = await open_embedded(tmp_path, "full", at(START_MS))
    await log.beat(START_MS + 5)
    await log.close()
    log = await open_embedded(tmp_path, "full", at(START_MS + 7))
    assert log.outages() == (Outage(START_MS + 5, START_MS + 7),)
    await log.close()
    log = await open_embedded(tmp_path, "full", at(START_MS + 7))
    assert log.outages() == (Outage(START_MS + 5, START_MS + 7), Outage(START_MS + 7, START_MS + 7))
    await log.close()


async def test_closing_is_the_last_beat(tmp_path: Path) -> None:
    counter = iter(range(0, 1_000_000, 1_000))
    log = await open_embedded(tmp_path, "full", at(START_MS, lambda: next(counter)))
    await log.close()
    closed_ms = log.clock.now_ms() - 1_000
    log = await open_embedded(tmp_path, "full", at(START_MS + 60_000))
    assert log.outages() == (Outage(closed_ms, START_MS + 60_000),)
    await log.close()


async def test_a_wall_clock_set_back_while_nothing_ran_does_not_turn_back_the_stores_time(tmp_path: Path) -> None:
    log = await open_embedded(tmp_path, "full", at(START_MS))
    await log.beat(START_MS + 5_000)
    await log.close()
    log = await open_embedded(tmp_path, "full", at(START_MS - 3_600_000))
    assert log.clock.now_ms() == START_MS + 5_000
    assert log.outages()[-1] == Outage(START_MS + 5_000, START_MS + 5_000)
    await log.close()


async def test_the_number_of_a_closed_table_is_not_given_to_another(tmp_path: Path) -> None:
    log = await open_embedded(tmp_path, "full")
    await append(log, CODE, 0)
    await append(log, CODE, 1, match=MATCH, finished=True, is_closed=True)
    await log.close()
    log = await open_embedded(tmp_path, "full")
    await append(log, CODE, 0)
    await log.close()
    assert execute(tmp_path, "SELECT id FROM tables") == [(2,)]
    assert execute(tmp_path, "SELECT table_id FROM log") == [(1,), (1,), (2,)]


async def test_outages_that_no_running_turn_can_have_met_are_forgotten(tmp_path: Path) -> None:
    log = await open_embedded(tmp_path, "full", at(START_MS))
    await log.beat(START_MS + 10_000)
    later_ms = START_MS + 10_000 + opening.KEEP_OUTAGES_MS
    await log.beat(later_ms)
    await log.beat(later_ms + 10_000)
    kept = (Outage(START_MS + 10_000, later_ms), Outage(later_ms, later_ms + 10_000))
    assert log.outages() == kept
    await log.close()
    log = await open_embedded(tmp_path, "full", at(later_ms + 10_000))
    assert log.outages() == (*kept, Outage(later_ms + 10_000, later_ms + 10_000))
    await log.close()


@pytest.mark.parametrize("tidy_rows", [1, 7, 10_000])
async def test_a_copy_of_a_running_store_opens_with_all_that_was_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tidy_rows: int
) -> None:
    # The copy is what a crash would leave, with the ends of the logs noted at other times.
    monkeypatch.setattr(writer, "TIDY_ROWS", tidy_rows)
    log = await open_embedded(tmp_path / "data", "full")
    await append(log, CODE_2, 0, 2, wake_at_ms=5, card=b"card")
    for number in range(60):
        await append(log, CODE, number, wake_at_ms=number)
        if number % 10 == 9:
            assert await log.append(CODE, number + 1, Append(entries=(), wake_at_ms=number + 1)) == "appended"
    await append(log, CODE, 60, wake_at_ms=FAR_MS, match=MATCH, finished=True)
    assert await log.append(CODE_2, 2, Append(entries=(), wake_at_ms=6)) == "appended"
    # The first answer can come before the writer has tidied up after the append; the second comes after that.
    await log.ping()
    await log.ping()
    shutil.copytree(tmp_path / "data", tmp_path / "copy")
    await log.close()
    rows = 62
    assert execute(tmp_path / "copy", "SELECT noted_to FROM store") == [(rows - rows % tidy_rows,)]
    copy = await open_embedded(tmp_path / "copy", "full")
    assert await copy.read(CODE) == await copy.matches(MATCH) == list(entries(0, 61))
    assert await copy.read(CODE_2) == list(entries(0, 2))
    assert list(copy.wakes(FAR_MS)) == [(CODE_2, 6), (CODE, FAR_MS)]
    await append(copy, CODE, 61)
    await append(copy, CODE_2, 2)
    await copy.close()


if __name__ == "__main__":
    asyncio.run(hold(Path(sys.argv[1])))
