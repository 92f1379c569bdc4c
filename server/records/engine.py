"""How the database of the records is opened, and what it means when it does not answer.

SQLite runs in WAL mode, so that readers and the writer do not wait for each other, with foreign keys on. Every transaction
begins with a statement of ours: the driver begins none for CREATE TABLE, and a migration has to be all or nothing.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from server.tables.ports import StoreUnavailable

_PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON")
_BEGIN = "begin_with"


class RecordsUnavailable(StoreUnavailable):
    """The database of the records is away or locked, or did not answer in time."""


def open_engine(url: str, *, busy_seconds: float) -> AsyncEngine:
    """An engine for a ``sqlite+aiosqlite`` URL; connects when it is first used, and must be disposed of.

    ``busy_seconds`` is how long to wait for another's write, or for a connection, before giving up.
    """
    engine = create_async_engine(url, connect_args={"timeout": busy_seconds}, pool_timeout=busy_seconds)
    event.listen(engine.sync_engine, "connect", _prepare)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def for_writing(engine: AsyncEngine) -> AsyncEngine:
    """The same engine for transactions that write: they take the write lock first, so none fails half-way for want of it."""
    return engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})


@contextmanager
def answering() -> Iterator[None]:
    """Run what talks to the database; raise ``RecordsUnavailable`` for what is not our mistake but the database's absence."""
    try:
        yield
    except (DBAPIError, PoolTimeout) as error:
        if _is_away(error):
            raise RecordsUnavailable(str(getattr(error, "orig", error))) from error
        raise


def _is_away(error: DBAPIError | PoolTimeout) -> bool:
    """SQLite reports a wrong statement as an ``OperationalError`` too; its error code tells."""
    if not isinstance(error, OperationalError):
        return isinstance(error, PoolTimeout)
    return getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR


def _prepare(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))
