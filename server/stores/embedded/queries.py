"""What is read from ``tables.db`` while the store runs; all of it blocks and runs in the reader's thread.

Rows are never changed, and each query sees one moment, so it can be asked from a tip that is a little old.
"""

import sqlite3

from server.match.events import Entry, MatchId
from server.stores.codec import decode
from server.tables.ports import StoreUnavailable

_CHAIN = """
WITH RECURSIVE chain(prev, first, entries) AS (
    SELECT prev, first, entries FROM log WHERE id = ?
    UNION ALL
    SELECT log.prev, log.first, log.entries FROM chain JOIN log ON log.id = chain.prev WHERE chain.first > ?
)
SELECT first, entries FROM chain
"""


def entries(connection: sqlite3.Connection, last: int, start: int) -> list[Entry]:
    """The entries from index ``start`` on of the log that ends with the row ``last``; empty if that row is gone.

    Raises ``StoreUnavailable`` if they cannot be read, ``sqlite3.Error`` if the database cannot.
    """
    rows = connection.execute(_CHAIN, (last, start)).fetchall()
    found: list[Entry] = []
    for _, blob in reversed(rows):
        found += decode(blob)
    if not rows:
        return found
    first = rows[-1][0]
    if first > start:
        raise StoreUnavailable("This log has lost its beginning; the store is damaged.")
    return found[start - first :]


def finished(connection: sqlite3.Connection, match: MatchId) -> list[Entry] | None:
    """The log up to and with the append that finished ``match``; None if none did. Raises as ``entries``."""
    row = connection.execute("SELECT last FROM finished WHERE match = ?", (match,)).fetchone()
    return entries(connection, row[0], 0) if row else None


def root(connection: sqlite3.Connection, table_id: int, match: MatchId) -> bytes | None:
    """The root of a running match of a table. Raises ``sqlite3.Error``."""
    row = connection.execute("SELECT root FROM secrets WHERE table_id = ? AND match = ?", (table_id, match)).fetchone()
    return row[0] if row else None


def is_running(connection: sqlite3.Connection, match: MatchId) -> bool:
    """Whether a match is sealed and has not ended: then, and only then, its root is here. Raises ``sqlite3.Error``."""
    return connection.execute("SELECT 1 FROM secrets WHERE match = ?", (match,)).fetchone() is not None


def check(connection: sqlite3.Connection) -> None:
    """Raises ``sqlite3.Error`` if nothing can be read."""
    connection.execute("SELECT first FROM log LIMIT 1").fetchall()
