"""Bringing a database to the shape that this program expects, all in one transaction.

The steps are files in ``migrations/``, whose place the caller knows. There is no alembic.ini: what it would say is said here.
"""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection
from sqlalchemy.exc import DatabaseError

from server.records.engine import answering, for_writing, open_engine

PATIENCE_SECONDS = 30.0
"""How long to wait for another process that migrates the same database."""


class RecordsUnusable(Exception):
    """The service cannot start with this database; ``str()`` says why, and what to do."""


class RecordsTooNew(RecordsUnusable):
    """The database was last used by a newer version of this program."""


def migration_config(scripts: Path, connection: Connection | None = None) -> Config:
    """Alembic's configuration for the folder ``scripts`` and the connection, if any, that its commands work on."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    return config


async def migrate(url: str, scripts: Path) -> None:
    """Apply the steps in ``scripts`` that the database at ``url`` lacks, all or none; makes the database if there is none.

    Several processes may do so at once: one does it, the others find nothing to do. Only where the file itself is new can the
    others get ``RecordsUnavailable``, since SQLite does not wait while it changes to WAL. Raises ``RecordsTooNew`` too.
    """
    engine = open_engine(url, busy_seconds=PATIENCE_SECONDS)
    try:
        with answering():
            async with for_writing(engine).begin() as connection:
                await connection.run_sync(_upgrade, scripts)
    except DatabaseError as error:
        raise RecordsUnusable(f"The database of the records cannot be read ({error.orig}); restore a backup.") from error
    finally:
        await engine.dispose()


def _upgrade(connection: Connection, scripts: Path) -> None:
    config = migration_config(scripts, connection)
    known = {revision.revision for revision in ScriptDirectory.from_config(config).walk_revisions()}
    unknown = set(MigrationContext.configure(connection).get_current_heads()) - known
    if unknown:
        raise RecordsTooNew(
            f"The records were written by a newer version of Cubilete (step {', '.join(sorted(unknown))}); "
            "start that version, or restore a backup made before it was installed."
        )
    command.upgrade(config, "head")
