"""The layout of ``tables.db`` and the connections to it.

The log is one sequence of rows for all tables, an append a row, each naming the row before it of the same table. So an append
touches the end of one b-tree and nothing else, which is what makes it cheap: with the rows sorted by table, or an index over
them, a batch dirties a page for each of its tables (measured for batches of 50: 19 and 9 µs an append instead of 5). What that
costs is that the end of a table's chain has to be known: it is in memory, and noted in ``tips`` now and then; the rows after
``noted_to`` bring the notes up to date when the store is opened.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from server.stores.embedded.unusable import StoreDamaged, StoreNewer, StoreUnwritable

LAYOUT = 1
"""``PRAGMA user_version`` of a database this program has made."""

Durability = Literal["full", "relaxed"]
_SYNCHRONOUS: dict[Durability, str] = {"full": "FULL", "relaxed": "NORMAL"}
BUSY_S = 2.0
"""How long a statement waits for somebody else's lock (a backup, an operator's shell)."""
_STATEMENTS_KEPT = 256
_LARGEST_WAL_BYTES = 128 * 1024 * 1024

_TABLES = """
BEGIN IMMEDIATE;
CREATE TABLE store (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    beat_ms INTEGER,                         -- when a process last said that it lives
    noted_to INTEGER NOT NULL                -- tips are right up to this row of the log
);
INSERT INTO store VALUES (1, NULL, 0);
CREATE TABLE tables (
    id INTEGER PRIMARY KEY AUTOINCREMENT,    -- never used again, so an old row cannot pass for one of a new table
    code TEXT NOT NULL UNIQUE,
    opened_ms INTEGER NOT NULL,
    card BLOB,
    players TEXT NOT NULL DEFAULT '',        -- who sits while the match is not over: ids between blanks
    kept INTEGER NOT NULL DEFAULT 0          -- the last row of a finished match: up to it the log outlives the table
);
CREATE TABLE log (
    id INTEGER PRIMARY KEY,
    table_id INTEGER NOT NULL,
    prev INTEGER NOT NULL,                   -- the table's row before this one, 0 at the start
    first INTEGER NOT NULL,                  -- index of the first entry
    length INTEGER NOT NULL,                 -- entries in the table's log, these included
    wake_at_ms INTEGER,
    entries BLOB NOT NULL
);
CREATE TABLE tips (
    table_id INTEGER PRIMARY KEY,
    last INTEGER NOT NULL,
    length INTEGER NOT NULL,
    wake_at_ms INTEGER
);
CREATE TABLE secrets (
    table_id INTEGER NOT NULL,
    match TEXT NOT NULL,
    root BLOB NOT NULL,
    PRIMARY KEY (table_id, match)
) WITHOUT ROWID;
CREATE INDEX secrets_by_match ON secrets (match);
CREATE TABLE finished (match TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, match TEXT NOT NULL);
CREATE TABLE presence (
    table_id INTEGER NOT NULL,
    player TEXT NOT NULL,                    -- '' is anyone, watchers included
    is_connected INTEGER NOT NULL,
    since_ms INTEGER NOT NULL,
    PRIMARY KEY (table_id, player)
) WITHOUT ROWID;
CREATE TABLE outages (from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL);
"""


def connect(path: Path) -> sqlite3.Connection:
    """A connection, for one thread at a time. Raises ``sqlite3.Error``."""
    # isolation_level None: no statement begins or ends a transaction behind our back (there is no ``autocommit`` before 3.12).
    return sqlite3.connect(
        path, timeout=BUSY_S, isolation_level=None, check_same_thread=False, cached_statements=_STATEMENTS_KEPT
    )


def prepare(connection: sqlite3.Connection, path: Path, durability: Durability) -> None:
    """Make this the connection that writes, and the database one of ours. Raises ``StoreUnusable`` or ``sqlite3.Error``."""
    layout = _layout(connection)
    if layout > LAYOUT:
        raise StoreNewer(path, layout)
    if layout == 0 and connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() != (0,):
        raise StoreDamaged(path, "it is another program's database")
    if connection.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
        raise StoreUnwritable(path.parent, "its file system has no shared memory for SQLite's WAL mode")
    connection.execute(f"PRAGMA synchronous = {_SYNCHRONOUS[durability]}")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute(f"PRAGMA journal_size_limit = {_LARGEST_WAL_BYTES}")
    # A deleted root is overwritten in the file. What the WAL still holds of it is public by then: the append that deletes a
    # root also shows it.
    connection.execute("PRAGMA secure_delete = ON")
    if layout == 0:
        connection.executescript(f"{_TABLES} PRAGMA user_version = {LAYOUT}; COMMIT;")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is written inside, durably at the end, or nothing. Raises ``sqlite3.Error``."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite itself has rolled back after some errors (a full disk); a second time would be one more error.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _layout(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version
