import asyncio
import shutil
import sqlite3
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from server.records import migrate as migrate_module
from server.records.engine import RecordsUnavailable, for_writing, open_engine
from server.records.migrate import RecordsTooNew, migrate, migration_config
from server.records.models import Base

MIGRATIONS = Path(__file__).parents[2] / "migrations"
BROKEN_STEP = """
from alembic import op
revision, down_revision = "0002", "0001"
def upgrade():
    op.execute("CREATE TABLE half (id TEXT)")
    op.execute("INSERT INTO nowhere VALUES (1)")
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "records.db"


@pytest.fixture
def url(file):
    return f"sqlite+aiosqlite:///{file}"


async def run(url: str, work):
    engine = open_engine(url, busy_seconds=2.0)
    try:
        async with for_writing(engine).begin() as connection:
            return await connection.run_sync(work)
    finally:
        await engine.dispose()


def tables(file: Path) -> set[str]:
    connection = sqlite3.connect(file)
    try:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    finally:
        connection.close()


async def test_the_steps_lead_to_what_the_program_expects(url):
    await migrate(url, MIGRATIONS)
    assert await run(url, lambda connection: compare_metadata(MigrationContext.configure(connection), Base.metadata)) == []


async def test_a_difference_between_steps_and_models_would_be_seen(url):
    await migrate(url, MIGRATIONS)
    await run(url, lambda connection: connection.exec_driver_sql("DROP INDEX ix_sessions_player_id"))
    await run(url, lambda connection: connection.exec_driver_sql("ALTER TABLE players ADD COLUMN extra TEXT"))
    differences = await run(url, lambda connection: compare_metadata(MigrationContext.configure(connection), Base.metadata))
    assert sorted(difference[0] for difference in differences) == ["add_index", "remove_column"]


def test_there_is_one_last_step():
    assert len(ScriptDirectory.from_config(migration_config(MIGRATIONS)).get_heads()) == 1


async def test_every_step_can_be_taken_back_and_again(url, file):
    await migrate(url, MIGRATIONS)
    await run(url, lambda connection: command.downgrade(migration_config(MIGRATIONS, connection), "base"))
    assert tables(file) == {"alembic_version"}
    await migrate(url, MIGRATIONS)
    assert tables(file) == {"alembic_version", *Base.metadata.tables}


async def test_migrating_again_keeps_what_is_there(url):
    await migrate(url, MIGRATIONS)
    await run(url, lambda connection: connection.exec_driver_sql("INSERT INTO players VALUES ('a', 'Ana', 1, 0, NULL)"))
    await migrate(url, MIGRATIONS)
    assert await run(url, lambda connection: connection.exec_driver_sql("SELECT name FROM players").scalar()) == "Ana"


async def test_several_that_migrate_at_once_do_it_once(url, file):
    await run(url, lambda connection: connection.exec_driver_sql("SELECT 1"))
    await asyncio.gather(*(migrate(url, MIGRATIONS) for _ in range(4)))
    assert tables(file) == {"alembic_version", *Base.metadata.tables}


async def test_a_step_that_fails_leaves_nothing_behind(url, file, tmp_path):
    await migrate(url, MIGRATIONS)
    before = tables(file)
    scripts = tmp_path / "100% broken"
    shutil.copytree(MIGRATIONS, scripts)
    (scripts / "versions" / "0002_broken.py").write_text(BROKEN_STEP)
    with pytest.raises(Exception, match="no such table: nowhere"):
        await migrate(url, scripts)
    assert tables(file) == before
    await migrate(url, MIGRATIONS)


async def test_a_database_of_a_newer_version_is_left_alone(url):
    await migrate(url, MIGRATIONS)
    await run(url, lambda connection: connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(RecordsTooNew, match=r"newer version of Cubilete \(step 9999\); start that version, or restore a back"):
        await migrate(url, MIGRATIONS)
    version = await run(url, lambda connection: connection.exec_driver_sql("SELECT * FROM alembic_version").scalar())
    assert version == "9999"


async def test_a_locked_database_cannot_be_migrated_now(url, file, monkeypatch):
    monkeypatch.setattr(migrate_module, "PATIENCE_SECONDS", 0.0)
    await migrate(url, MIGRATIONS)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(RecordsUnavailable, match="database is locked"):
        await migrate(url, MIGRATIONS)
    other.close()
