"""One transaction in the making: decides each append against the ledger, gathers what has to be written, writes it.

Rows that come in numbers (the log, presence, tips) go in as statements of many rows: every statement lets go of the interpreter
lock and has to get it back from a busy loop, so a few long ones are worth more than many short ones.
"""

import sqlite3
from functools import cache
from typing import Any, assert_never

from server.match.events import Code
from server.stores.embedded.jobs import AppendJob, Job, PresenceJob, Statement, WriteJob
from server.stores.embedded.ledger import Ledger, Tip
from server.stores.embedded.schema import transaction

_ROWS_A_STATEMENT = 64

_LOG = ("INSERT INTO log VALUES ", 7)
_PRESENCE = ("INSERT OR REPLACE INTO presence VALUES ", 4)
_TIPS = ("INSERT OR REPLACE INTO tips VALUES ", 4)

_PRUNE = """
WITH RECURSIVE tail(id) AS (
    SELECT :last WHERE :last > (SELECT kept FROM tables WHERE id = :table_id)
    UNION ALL
    SELECT log.prev FROM tail JOIN log ON log.id = tail.id WHERE log.prev > (SELECT kept FROM tables WHERE id = :table_id)
)
DELETE FROM log WHERE id IN (SELECT id FROM tail)
"""
_FORGET = tuple(f"DELETE FROM {table} WHERE table_id = ?" for table in ("tips", "secrets", "presence"))


class Draft:
    """A transaction on a ledger. ``write`` it, and only then ``keep`` it; dropped, it has changed nothing."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._tips: dict[Code, Tip | None] = {}
        self._next_table = ledger.next_table
        self._next_row = ledger.next_row
        self._log: list[Any] = []
        self._presence: list[Any] = []
        self._statements: list[Statement] = []

    def add(self, job: Job) -> None:
        """Decide a job, after all that were added before it."""
        match job:
            case AppendJob():
                self._append(job)
            case PresenceJob(table_id, player, is_connected, since_ms):
                self._presence += (table_id, player, is_connected, since_ms)
            case WriteJob(statements):
                self._statements += statements
            case _:
                assert_never(job)

    def write(self, connection: sqlite3.Connection) -> int:
        """Write it all or nothing, durably; returns about how many pages that took. Raises ``sqlite3.Error``."""
        rows = self._next_row - self._ledger.next_row
        if not (self._log or self._presence or self._statements):
            return 0
        with transaction(connection):
            _insert(connection, _LOG, self._log)
            _insert(connection, _PRESENCE, self._presence)
            for sql, values in self._statements:
                connection.execute(sql, values)
        return 1 + rows // 8 + len(self._presence) // 4 + len(self._statements)

    def keep(self) -> None:
        """Make the ledger say what has been written."""
        ledger = self._ledger
        for code, tip in self._tips.items():
            if tip is None:
                ledger.tips.pop(code, None)
                ledger.unnoted.discard(code)
            else:
                ledger.tips[code] = tip
                ledger.unnoted.add(code)
        ledger.unnoted_rows += self._next_row - ledger.next_row
        ledger.next_table = self._next_table
        ledger.next_row = self._next_row

    def _append(self, job: AppendJob) -> None:
        code, change = job.code, job.change
        tip = self._tips[code] if code in self._tips else self._ledger.tips.get(code)
        if job.expected != (tip.length if tip else 0):
            job.outcome = "conflict"
            return
        tip = self._extended(job, tip or self._opened(job))
        if change.secret is not None or change.card is not None or change.finished or change.players is not None:
            self._beside(job, tip)
        if change.is_closed:
            self._close(tip)
        job.outcome = "appended"
        job.tip = self._tips[code] = None if change.is_closed else tip

    def _opened(self, job: AppendJob) -> Tip:
        table_id = self._next_table
        self._next_table += 1
        opened_ms = job.change.entries[0].event.at
        self._statements.append(("INSERT INTO tables (id, code, opened_ms) VALUES (?, ?, ?)", (table_id, job.code, opened_ms)))
        return Tip(table_id, 0, 0, None)

    def _extended(self, job: AppendJob, tip: Tip) -> Tip:
        wake_at_ms = job.change.wake_at_ms
        if not job.change.entries:
            self._statements.append((_many(*_TIPS, 1), (tip.table_id, tip.last, tip.length, wake_at_ms)))
            return Tip(tip.table_id, tip.last, tip.length, wake_at_ms)
        row = self._next_row
        self._next_row += 1
        length = tip.length + len(job.change.entries)
        self._log += (row, tip.table_id, tip.last, tip.length, length, wake_at_ms, job.blob)
        return Tip(tip.table_id, row, length, wake_at_ms)

    def _beside(self, job: AppendJob, tip: Tip) -> None:
        change, table_id = job.change, tip.table_id
        write = self._statements.append
        if change.secret:
            write(("INSERT OR REPLACE INTO secrets VALUES (?, ?, ?)", (table_id, change.match, change.secret)))
        elif change.secret is not None:
            write(("DELETE FROM secrets WHERE table_id = ? AND match = ?", (table_id, change.match)))
        if change.card is not None:
            write(("UPDATE tables SET card = ? WHERE id = ?", (change.card or None, table_id)))
        if change.players is not None:
            write(("UPDATE tables SET players = ? WHERE id = ?", (" ".join(change.players), table_id)))
        if change.finished:
            write(("INSERT OR REPLACE INTO finished VALUES (?, ?)", (change.match, tip.last)))
            write(("INSERT INTO outbox (match) VALUES (?)", (change.match,)))
            write(("UPDATE tables SET kept = ? WHERE id = ?", (tip.last, table_id)))

    def _close(self, tip: Tip) -> None:
        self._statements.append((_PRUNE, {"last": tip.last, "table_id": tip.table_id}))
        self._statements += ((sql, (tip.table_id,)) for sql in _FORGET)
        self._statements.append(("DELETE FROM tables WHERE id = ?", (tip.table_id,)))


def note_tips(connection: sqlite3.Connection, ledger: Ledger) -> int:
    """Note the changed tips, so that opening has fewer rows to read; returns about how many pages. Raises ``sqlite3.Error``."""
    values: list[Any] = []
    for code in ledger.unnoted:
        tip = ledger.tips[code]
        values += (tip.table_id, tip.last, tip.length, tip.wake_at_ms)
    with transaction(connection):
        _insert(connection, _TIPS, values)
        connection.execute("UPDATE store SET noted_to = ?", (ledger.next_row - 1,))
    pages = 2 + len(ledger.unnoted) // 64
    ledger.unnoted.clear()
    ledger.unnoted_rows = 0
    return pages


def _insert(connection: sqlite3.Connection, into: tuple[str, int], values: list[Any]) -> None:
    head, width = into
    step = width * _ROWS_A_STATEMENT
    for start in range(0, len(values), step):
        chunk = values[start : start + step]
        connection.execute(_many(head, width, len(chunk) // width), chunk)


@cache
def _many(head: str, width: int, rows: int) -> str:
    row = "(" + ", ".join("?" * width) + ")"
    return head + ", ".join([row] * rows)
