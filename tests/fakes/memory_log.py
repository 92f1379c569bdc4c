"""A ``TableLog`` in memory. What would be on disk is a ``MemoryDisk``; another log can be opened on it, as after a restart."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from server.match.events import Code, Entry, MatchId, PlayerId
from server.match.world import Outage, PlayerPresence, Presence
from server.stores import codec
from server.stores.embedded.attendance import Attendance
from server.tables.ports import Append, Clock, Listener, NoteListener, Outcome, StoreUnavailable

OUTAGE_MS = 3_000


@dataclass
class MemoryTable:
    attendance: Attendance
    blobs: list[bytes] = field(default_factory=list)
    length: int = 0
    wake_at_ms: int | None = None
    card: bytes = b""
    players: tuple[PlayerId, ...] = ()
    secrets: dict[MatchId, bytes] = field(default_factory=dict)


@dataclass
class MemoryDisk:
    tables: dict[Code, MemoryTable] = field(default_factory=dict)
    finished: dict[MatchId, list[bytes]] = field(default_factory=dict)
    outbox: list[MatchId] = field(default_factory=list)
    outages: list[Outage] = field(default_factory=list)
    beat_ms: int | None = None


class MemoryLog:
    """A worker's log on a disk.

    ``is_down``: what is waited for fails. ``loses_answers``: appends go in, but seem to have failed.
    """

    def __init__(self, clock: Clock, disk: MemoryDisk | None = None) -> None:
        self.clock = clock
        self.disk = disk or MemoryDisk()
        self.is_down = False
        self.loses_answers = False
        self._is_closed = False
        self._gathered: list[tuple[Code, int, Append, bytes, asyncio.Future[Outcome]]] = []
        self._listeners: list[tuple[Listener, NoteListener]] = []
        self._begin()

    def append(self, code: Code, expected: int, change: Append) -> asyncio.Future[Outcome]:
        if (expected == 0 and not change.entries) or (change.match is None and (change.finished or change.secret is not None)):
            raise ValueError("this append makes no sense")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Outcome] = loop.create_future()
        if self._is_closed:
            future.set_exception(StoreUnavailable("closed"))
        else:
            if not self._gathered:
                loop.call_soon(self._write)
            self._gathered.append((code, expected, change, codec.encode(change.entries), future))
        return future

    async def read(self, code: Code, start: int = 0) -> list[Entry]:
        self._check()
        table = self.disk.tables.get(code)
        return _decoded(table.blobs)[start:] if table else []

    async def secret(self, code: Code, match: MatchId) -> bytes | None:
        self._check()
        table = self.disk.tables.get(code)
        return table.secrets.get(match) if table else None

    def listen(self, listener: Listener, notes: NoteListener) -> Callable[[], None]:
        self._check()
        pair = (listener, notes)
        self._listeners.append(pair)
        return lambda: self._listeners.remove(pair) if pair in self._listeners else None

    def note(self, code: Code, message: bytes) -> None:
        self._check()
        asyncio.get_running_loop().call_soon(self._tell_note, code, message)

    def wakes(self, until_ms: int) -> Iterable[tuple[Code, int]]:
        self._check_open()
        wakes = [(table.wake_at_ms, code) for code, table in self.disk.tables.items() if table.wake_at_ms is not None]
        return [(code, at_ms) for at_ms, code in sorted(wakes) if at_ms <= until_ms]

    def lobby(self) -> Iterable[bytes]:
        self._check_open()
        return [table.card for table in reversed(self.disk.tables.values()) if table.card]

    async def matches(self, match: MatchId) -> Sequence[Entry] | None:
        self._check()
        return _decoded(self.disk.finished[match]) if match in self.disk.finished else None

    async def is_running(self, match: MatchId) -> bool:
        self._check()
        return any(match in table.secrets for table in self.disk.tables.values())

    def tables_of(self, player: PlayerId) -> Iterable[Code]:
        self._check_open()
        return [code for code, table in self.disk.tables.items() if player in table.players]

    async def connected(self, code: Code, player: PlayerId | None, change: int, now_ms: int) -> Presence:
        self._check()
        table = self.disk.tables.get(code)
        if table is None:
            return Presence({}, now_ms)
        table.attendance.count(player, change, now_ms)
        return table.attendance.presence

    async def presence(self, code: Code) -> Presence:
        self._check()
        table = self.disk.tables.get(code)
        return table.attendance.presence if table else Presence({}, 0)

    async def beat(self, now_ms: int) -> Outage | None:
        self._check()
        last_ms = self.disk.beat_ms if self.disk.beat_ms is not None else now_ms
        self.disk.beat_ms = max(last_ms, now_ms)
        if now_ms - last_ms <= OUTAGE_MS:
            return None
        self.disk.outages.append(Outage(last_ms, now_ms))
        return self.disk.outages[-1]

    def outages(self) -> tuple[Outage, ...]:
        self._check_open()
        return tuple(self.disk.outages)

    async def ping(self) -> None:
        self._check()

    async def close(self) -> None:
        if not self._is_closed:
            self._write()
            self._is_closed = True
            self.disk.beat_ms = max(self.disk.beat_ms or 0, self.clock.now_ms())

    def _begin(self) -> None:
        disk, now_ms = self.disk, self.clock.now_ms()
        if disk.beat_ms is not None:
            disk.outages.append(Outage(disk.beat_ms, now_ms))
            for table in disk.tables.values():
                table.attendance = Attendance(_absent(table.attendance.presence, disk.beat_ms, now_ms))
        disk.beat_ms = now_ms

    def _write(self) -> None:
        gathered, self._gathered = self._gathered, []
        answers: list[tuple[asyncio.Future[Outcome], Outcome]] = []
        for code, expected, change, blob, future in gathered:
            if self.is_down:
                _fail(future)
                continue
            is_in = self._apply(code, expected, change, blob)
            answers.append((future, "appended" if is_in else "conflict"))
            if is_in and change.entries:
                for listener, _ in tuple(self._listeners):
                    _call(listener, code, expected, change.entries)
        for future, outcome in answers:
            if self.loses_answers:
                _fail(future)
            elif not future.done():
                future.set_result(outcome)

    def _apply(self, code: Code, expected: int, change: Append, blob: bytes) -> bool:
        table = self.disk.tables.get(code)
        if expected != (table.length if table else 0):
            return False
        if table is None:
            table = self.disk.tables[code] = MemoryTable(Attendance(Presence({}, change.entries[0].event.at)))
        table.blobs.append(blob)
        table.length += len(change.entries)
        table.wake_at_ms = change.wake_at_ms
        table.card = table.card if change.card is None else change.card
        table.players = table.players if change.players is None else change.players
        if change.match is not None and change.secret is not None:
            table.secrets[change.match] = change.secret
            if not change.secret:
                del table.secrets[change.match]
        if change.match is not None and change.finished:
            self.disk.finished[change.match] = list(table.blobs)
            self.disk.outbox.append(change.match)
        if change.is_closed:
            del self.disk.tables[code]
        return True

    def _tell_note(self, code: Code, message: bytes) -> None:
        for _, listener in tuple(self._listeners):
            _call(listener, code, message)

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreUnavailable("closed")

    def _check(self) -> None:
        self._check_open()
        if self.is_down:
            raise StoreUnavailable("down")


def _call(listener: Callable[..., None], *args: object) -> None:
    try:
        listener(*args)
    except Exception as error:
        asyncio.get_running_loop().call_exception_handler({"message": "a listener raised", "exception": error})


def _decoded(blobs: Sequence[bytes]) -> list[Entry]:
    return [entry for blob in blobs for entry in codec.decode(blob)]


def _absent(presence: Presence, from_ms: int, to_ms: int) -> Presence:
    """Who was connected is gone since ``to_ms``; for the others the time in which nobody was served does not count."""
    players = {
        who: PlayerPresence(False, to_ms if there.is_connected else there.since_ms + to_ms - from_ms)
        for who, there in presence.players.items()
    }
    empty_since_ms = to_ms if presence.empty_since_ms is None else presence.empty_since_ms + to_ms - from_ms
    return Presence(players, empty_since_ms)


def _fail(future: asyncio.Future[Outcome]) -> None:
    if not future.done():
        future.set_exception(StoreUnavailable("the store did not answer"))
