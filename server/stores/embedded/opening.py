"""Opening a store: claims the directory, brings the notes up to date with the log, stores the outage that has just ended.

Exactly one process runs an embedded store, so from the last beat until now nobody was served, however short that was. All of
this blocks and runs once, in a thread.
"""

import os
import sqlite3
from collections import defaultdict
from contextlib import ExitStack, closing
from pathlib import Path

from msgspec import Struct

from server.match.events import Code, PlayerId
from server.match.world import Outage, PlayerPresence, Presence
from server.stores.clock import StoreClock, TimeSource
from server.stores.embedded.attendance import ANYONE, Attendances
from server.stores.embedded.folder import DATABASE_FILE, claim
from server.stores.embedded.ledger import Ledger, Tip
from server.stores.embedded.schema import Durability, connect, prepare, transaction
from server.stores.embedded.seats import Seats
from server.stores.embedded.unusable import StoreDamaged, StoreUnwritable

KEEP_OUTAGES_MS = 7 * 24 * 3_600_000
"""No running turn began so long ago that an outage before it could matter: the longest clock is a day."""


class Opened(Struct, eq=False):
    """An open store and what of it is held in memory."""

    lock: int
    writer: sqlite3.Connection
    reader: sqlite3.Connection
    clock: StoreClock
    ledger: Ledger
    cards: dict[Code, bytes]
    seats: Seats
    attendances: Attendances
    outages: tuple[Outage, ...]
    beat_ms: int


def open_store(directory: Path, durability: Durability, source: TimeSource) -> Opened:
    """Open or make the store in ``directory``. Raises ``StoreUnusable``, and leaves nothing open then."""
    path = directory / DATABASE_FILE
    with ExitStack() as undo:
        lock = claim(directory)
        undo.callback(os.close, lock)
        try:
            writer = undo.enter_context(closing(connect(path)))
            prepare(writer, path, durability)
            reader = undo.enter_context(closing(connect(path)))
            reader.execute("PRAGMA query_only = ON")
            opened = _load(lock, writer, reader, source)
        except sqlite3.OperationalError as error:
            raise StoreUnwritable(directory, str(error)) from error
        except sqlite3.DatabaseError as error:
            raise StoreDamaged(path, str(error)) from error
        undo.pop_all()
    return opened


def _load(lock: int, writer: sqlite3.Connection, reader: sqlite3.Connection, source: TimeSource) -> Opened:
    beat_ms: int | None = writer.execute("SELECT beat_ms FROM store").fetchone()[0]
    clock = StoreClock(beat_ms or 0, source)
    now_ms = clock.now_ms()
    with transaction(writer):
        _begin(writer, beat_ms, now_ms)
    return Opened(
        lock=lock,
        writer=writer,
        reader=reader,
        clock=clock,
        ledger=_ledger(reader),
        cards=dict(reader.execute("SELECT code, card FROM tables WHERE card IS NOT NULL")),
        seats=_seats(reader),
        attendances=_attendances(reader),
        outages=tuple(Outage(*row) for row in reader.execute("SELECT from_ms, to_ms FROM outages ORDER BY to_ms")),
        beat_ms=now_ms,
    )


def _begin(writer: sqlite3.Connection, beat_ms: int | None, now_ms: int) -> None:
    if beat_ms is not None:
        writer.execute("INSERT INTO outages VALUES (?, ?)", (beat_ms, now_ms))
        writer.execute("INSERT OR IGNORE INTO presence SELECT id, ?, FALSE, opened_ms FROM tables", (ANYONE,))
        # Nobody can be blamed for not being connected to a service that was down.
        writer.execute("UPDATE presence SET is_connected = FALSE, since_ms = ? WHERE is_connected", (now_ms,))
        writer.execute("UPDATE presence SET since_ms = since_ms + ? WHERE since_ms < ?", (now_ms - beat_ms, now_ms))
    writer.execute("DELETE FROM outages WHERE to_ms < ?", (now_ms - KEEP_OUTAGES_MS,))
    writer.execute("DELETE FROM presence WHERE table_id NOT IN (SELECT id FROM tables)")
    writer.execute("UPDATE store SET beat_ms = ?", (now_ms,))


def _ledger(reader: sqlite3.Connection) -> Ledger:
    noted_to: int = reader.execute("SELECT noted_to FROM store").fetchone()[0]
    codes = dict(reader.execute("SELECT id, code FROM tables"))
    tips = {row[0]: Tip(*row) for row in reader.execute("SELECT table_id, last, length, wake_at_ms FROM tips")}
    unnoted: set[Code] = set()
    last_row, rows = noted_to, 0
    for row, table_id, length, wake_at_ms in reader.execute(
        "SELECT id, table_id, length, wake_at_ms FROM log WHERE id > ? ORDER BY id", (noted_to,)
    ):
        last_row, rows = row, rows + 1
        # A tip can be noted later than the others, when it changed without a row.
        if table_id in codes and (table_id not in tips or tips[table_id].last < row):
            tips[table_id] = Tip(table_id, row, length, wake_at_ms)
            unnoted.add(codes[table_id])
    if not codes.keys() <= tips.keys():
        raise sqlite3.DatabaseError("a table has no log")
    (next_table,) = reader.execute("SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'tables'").fetchone()
    live = {code: tips[table_id] for table_id, code in codes.items()}
    return Ledger(live, next_table, last_row + 1, unnoted, rows)


def _seats(reader: sqlite3.Connection) -> Seats:
    seats = Seats()
    for code, players in reader.execute("SELECT code, players FROM tables WHERE players <> ''"):
        seats.set(code, players.split())
    return seats


def _attendances(reader: sqlite3.Connection) -> Attendances:
    absent: dict[int, dict[str, int]] = defaultdict(dict)
    for table_id, player, since_ms in reader.execute("SELECT table_id, player, since_ms FROM presence"):
        absent[table_id][player] = since_ms
    attendances = Attendances()
    for code, table_id, opened_ms in reader.execute("SELECT code, id, opened_ms FROM tables"):
        attendances.open(code, _presence(absent[table_id], opened_ms))
    return attendances


def _presence(absent_since_ms: dict[str, int], opened_ms: int) -> Presence:
    empty_since_ms = absent_since_ms.pop(ANYONE, opened_ms)
    players = {PlayerId(player): PlayerPresence(False, since_ms) for player, since_ms in absent_since_ms.items()}
    return Presence(players, empty_since_ms)
