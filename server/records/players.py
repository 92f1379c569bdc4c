"""Players in the records.

New guests come in crowds (a class that opens the same link), and a commit is what a write costs; so all that arrive while one
commit is under way go into the next one together.
"""

import asyncio
from collections.abc import Collection

from msgspec import Struct
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from server.match.events import PlayerId
from server.records.engine import answering, for_writing
from server.records.models import PlayerRow, SessionRow

BATCH = 250
"""New guests in one transaction at most: more would hold the event loop for too long."""


class PlayerRecord(Struct, frozen=True, gc=False):
    """A player as kept."""

    id: PlayerId
    name: str
    is_guest: bool


class _NewGuest(Struct, frozen=True):
    player: PlayerRecord
    session: str
    at_ms: int
    is_kept: asyncio.Future[None]


class PlayerRepository:
    """Reads and writes the players of one database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._writing = for_writing(engine)
        self._waiting: list[_NewGuest] = []
        self._writer: asyncio.Task[None] | None = None

    async def add_guest(self, player: PlayerId, name: str, *, session: str, at_ms: int) -> PlayerRecord:
        """Keep a new guest with their first session; done when that is committed. Raises ``RecordsUnavailable``."""
        record = PlayerRecord(player, name, is_guest=True)
        guest = _NewGuest(record, session, at_ms, asyncio.get_running_loop().create_future())
        self._waiting.append(guest)
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_waiting())
        await guest.is_kept
        return record

    async def find(self, players: Collection[PlayerId]) -> list[PlayerRecord]:
        """Those of ``players`` that exist. Raises ``RecordsUnavailable``."""
        wanted = select(PlayerRow.id, PlayerRow.name, PlayerRow.is_guest).where(PlayerRow.id.in_(players))
        with answering():
            async with self._engine.connect() as connection:
                rows = await connection.execute(wanted)
        return [PlayerRecord(PlayerId(id_), name, is_guest) for id_, name, is_guest in rows]

    async def finish(self) -> None:
        """Wait until everything that was to be kept is."""
        if self._writer is not None:
            await self._writer

    async def _write_waiting(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
                await self._write(batch)
        finally:
            self._writer = None

    async def _write(self, batch: list[_NewGuest]) -> None:
        """Commit a batch and tell each who waits for it how that went; whoever no longer waits is not told."""
        failure: Exception | None = None
        try:
            with answering():
                await self._insert(batch)
        except Exception as error:
            failure = error
        for guest in batch:
            if guest.is_kept.done():
                continue
            if failure is None:
                guest.is_kept.set_result(None)
            else:
                guest.is_kept.set_exception(failure)

    async def _insert(self, batch: list[_NewGuest]) -> None:
        players = [
            {"id": new.player.id, "name": new.player.name, "is_guest": new.player.is_guest, "created_at": new.at_ms}
            for new in batch
        ]
        sessions = [{"id": new.session, "player_id": new.player.id, "created_at": new.at_ms} for new in batch]
        async with self._writing.begin() as connection:
            await connection.execute(insert(PlayerRow), players)
            await connection.execute(insert(SessionRow), sessions)
