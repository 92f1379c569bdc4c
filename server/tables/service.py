"""All tables of a worker: opens, loads and forgets them, lets viewers in and out, and keeps the worker's pulse."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

import structlog

from server.errors import Refused
from server.match.commands import Command, SettingsForm
from server.match.events import ENTRY_VERSION, BotAdded, Code, Entry, PlayerId, Sat, TableOpened
from server.match.evolve import evolve, fold
from server.match.lobby import next_table
from server.match.settings import open_table
from server.match.state import Table
from server.match.world import World
from server.protocol.outgoing import Welcome, encode, with_ref
from server.tables.appends import change_by
from server.tables.jobs import BotJob, MovedJob, PlayerJob, WakeJob
from server.tables.live import RETRY_MS, LiveTable, Shell
from server.tables.means import NOTE_MARK_BYTES, Means
from server.tables.ports import StoreUnavailable
from server.tables.refusals import UNAVAILABLE, refusal, refuse
from server.tables.room import Viewer
from server.tables.stage import sitting
from server.tables.talk import Remark, overheard, remark
from server.tables.telling import CATCH_UP, Since, Told, told_since, with_newest
from server.tables.thinking import bot_thinks
from server.tables.wakes import Wakes

BEAT_MS = 1_000
SWEEP_AFTER_MS = 1_000
"""A wake that is so late has been lost by whoever was to fire it."""
CODE_TRIES = 8
T = TypeVar("T")

log = structlog.get_logger(__name__)


class UnknownTable(Exception):
    """No table has this code."""


class Tables:
    """The tables this worker holds in memory, by code; any other worker may hold the same ones."""

    def __init__(self, means: Means) -> None:
        self.means = means
        self._live: dict[Code, LiveTable] = {}
        self._loading: dict[Code, asyncio.Task[LiveTable]] = {}
        self._heard_while_loading: dict[Code, int] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._wakes = Wakes(means.clock, self._wake)
        self._shell = Shell(
            self._wakes.arm, self._reload, self._beat_for, self._think, self._open_next, self._answer_again, self._rest
        )
        self._pulse: asyncio.Task[None] | None = None
        self._beating: asyncio.Future[None] | None = None
        self._stop_listening = means.log.listen(self._heard, self._noted)

    # --- life ---

    async def start(self) -> None:
        """Beat once, so that an outage is known before anything is decided, and arm the stored wakes."""
        await self._beat()
        for code, at_ms in self.means.log.wakes(2**62):
            self._wakes.arm(code, at_ms)
        self._pulse = self.spawn(self._keep_beating())

    async def stop(self) -> None:
        """Let what is being appended finish, and stop everything that would begin more."""
        self.means.is_stopped = True
        self._wakes.stop()
        self._stop_listening()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something beside the queue; the task is held until it is done, and its failure is logged."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._task_done)
        return task

    def _task_done(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("task_failed", exc_info=task.exception())

    async def _keep_beating(self) -> None:
        while True:
            await self.means.clock.sleep(BEAT_MS)
            try:
                await self._beat()
                self._wakes.look()
                self._sweep()
            except StoreUnavailable as error:
                log.warning("beat_failed", error=repr(error))
            except Exception:
                log.exception("pulse_failed")

    async def _beat(self) -> None:
        """Say that this worker lives. Who asks while it is being said waits for the same answer: one gap is one outage."""
        if self._beating is None:
            self._beating = asyncio.ensure_future(self._beat_once())
            self._beating.add_done_callback(self._beaten)
        await asyncio.shield(self._beating)

    def _beaten(self, _done: "asyncio.Future[None]") -> None:
        self._beating = None

    async def _beat_once(self) -> None:
        now = self.means.clock.now_ms()
        outage = await self.means.log.beat(now)
        self.means.beat_at_ms = now
        if outage is not None:
            log.warning("outage", from_ms=outage.from_ms, to_ms=outage.to_ms)
            for live in tuple(self._live.values()):
                live.submit(WakeJob())

    def _sweep(self) -> None:
        """Wake the tables whose time has passed and that nobody here keeps time for."""
        for code, _ in self.means.log.wakes(self.means.clock.now_ms() - SWEEP_AFTER_MS):
            if code not in self._live and code not in self._loading and not self._wakes.is_armed(code):
                self._wake(code)

    # --- opening, finding, forgetting ---

    async def open(self, creator: PlayerId, form: SettingsForm) -> Code:
        """Open a table and return its code. Raises ``Refused`` with the field that is wrong, ``StoreUnavailable``."""
        opened = self.check(creator, form)
        for _ in range(CODE_TRIES):
            code = self.means.entropy.code()
            if await self._create(code, (opened,)):
                return code
        raise StoreUnavailable("no free table code was found")

    def check(self, creator: PlayerId, form: SettingsForm) -> TableOpened:
        """The first entry that such a table would have. Raises ``Refused`` with the field that is wrong."""
        return open_table(creator, form, self.means.policy, self.means.clock.now_ms())

    async def _create(self, code: Code, events: Sequence[TableOpened | Sat | BotAdded]) -> bool:
        """Begin a table's log with ``events``; False if there is one already."""
        table: Table | None = None
        for event in events:
            table = evolve(table, event)
        assert table is not None
        presence = await self.means.log.presence(code)
        nonce = self.means.entropy.nonce()
        entries = [Entry(version=ENTRY_VERSION, event=event, nonce=nonce) for event in events]
        world = World(presence, (), self.means.pace)
        change = change_by(code, entries, before=None, after=table, world=world, now_ms=table.last_at)
        if await self.means.log.append(code, 0, change) == "conflict":
            return False
        assert change.wake_at_ms is not None
        self._wakes.arm(code, change.wake_at_ms)
        return True

    async def get(self, code: Code) -> LiveTable:
        """The live table, loaded if need be. Raises ``UnknownTable``, ``StoreUnavailable``."""
        live = self._live.get(code)
        if live is not None:
            return live
        loading = self._loading.get(code)
        if loading is None:
            loading = self._loading[code] = self._spawn_load(code)
        return await asyncio.shield(loading)

    def _spawn_load(self, code: Code) -> "asyncio.Task[LiveTable]":
        task = asyncio.get_running_loop().create_task(self._load(code))
        task.add_done_callback(lambda done: self._loaded(code, done))
        return task

    def _loaded(self, code: Code, done: "asyncio.Task[LiveTable]") -> None:
        del self._loading[code]
        length = self._heard_while_loading.pop(code, 0)
        if not done.cancelled() and done.exception() is None:
            done.result().heard(length)

    async def _load(self, code: Code) -> LiveTable:
        entries = await self.means.log.read(code)
        if not entries:
            raise UnknownTable(code)
        live = LiveTable(code, self.means, self._shell, await self.means.log.presence(code))
        live.restore(entries)
        live.unlock(await self._root(live))
        live.stage.names.update(await self._names(sitting(live.table)))
        self._live[code] = live
        live.rearm()
        return live

    async def _root(self, live: LiveTable) -> bytes | None:
        match = live.table.match
        if match is None or match.finished is not None:
            return None
        return await self.means.log.secret(live.code, match.sealed.match)

    async def _names(self, players: Iterable[PlayerId]) -> Mapping[PlayerId, str]:
        """Their names; a match goes on without them when the directory fails."""
        try:
            return await self.means.directory.names(players)
        except Exception:
            log.exception("names_failed")
            return {}

    def _rest(self, live: LiveTable) -> None:
        """Forget a table that nobody looks at; its wake stays armed and loads it again, unless it is closed."""
        if live.is_idle and self._live.get(live.code) is live:
            del self._live[live.code]
            if live.table.is_closed:
                self._wakes.disarm(live.code)

    # --- viewers ---

    async def join(self, code: Code, viewer: Viewer, since: Since | None) -> LiveTable:
        """Let a viewer in: it is sent the snapshot, then every event. Raises ``UnknownTable``, ``StoreUnavailable``."""
        live = await self._held(code)
        try:
            if viewer.player is not None:
                live.stage.names.update(await self._names((viewer.player,)))
            missed = await self._missed(live, since)
            presence = await self.means.log.connected(code, viewer.player, 1, self.means.clock.now_ms())
        except BaseException:
            self._release(live)
            raise
        live.arriving -= 1
        if live.table.is_closed:
            raise UnknownTable(code)
        live.stage.presence = presence
        live.stage.room.add(viewer)
        newest = with_newest(live.table.match, live.stage.tail, since, missed)
        welcome = live.stage.welcome(live.table, viewer.player, self.means.clock.now_ms(), newest)
        viewer.send(encode(welcome))
        if newest is not None:
            live.stage.lead_on(live.table, viewer)
        live.set_presence(presence)
        return live

    async def _held(self, code: Code) -> LiveTable:
        """The live table, kept from being forgotten until ``arriving`` is counted down."""
        while True:
            live = await self.get(code)
            if self._live.get(code) is live:
                live.arriving += 1
                return live

    def _release(self, live: LiveTable) -> None:
        """Let go of a table that was held. It may be forgotten, but not before others who waited for the same load have it."""
        live.arriving -= 1
        asyncio.get_running_loop().call_soon(self._rest, live)

    def part(self, live: LiveTable, viewer: Viewer) -> None:
        """Let a viewer out."""
        if live.stage.room.remove(viewer) and not self.means.is_stopped:
            self.spawn(self._parted(live, viewer.player))

    async def _parted(self, live: LiveTable, player: PlayerId | None) -> None:
        now_ms = self.means.clock.now_ms()
        live.set_presence(await self._until_it_answers(live, lambda: self.means.log.connected(live.code, player, -1, now_ms)))
        live.stage.forget_name(player, live.table)

    async def _missed(self, live: LiveTable, since: Since | None) -> list[Told] | None:
        """The events that ``since`` has not seen, its own first; None if the snapshot alone has to do."""
        match = live.table.match
        if since is None or match is None or match.sealed.match != since.match:
            return None
        if not 0 <= since.n <= match.n or match.n - since.n > CATCH_UP:
            return None
        told = [one for one in live.stage.tail if one.n >= since.n]
        if not told or told[0].n != since.n:
            told = await self._told_long_ago(live, since)
        return told if told and told[0].n == since.n and told[0].h == since.h else None

    async def _told_long_ago(self, live: LiveTable, since: Since, most: int | None = None) -> list[Told]:
        """At most ``most`` messages from event ``since.n`` on, out of the log."""
        return list(islice(told_since(await self.means.log.read(live.code), since), most))

    def receive(self, live: LiveTable, viewer: Viewer, message: Command | Remark, stamp_ms: int) -> None:
        """A message of a viewer, stamped when it arrived; it is answered now or later."""
        if not isinstance(message, Remark):
            live.submit(PlayerJob(viewer, viewer.player, message, stamp_ms))
            return
        try:
            remark(live, viewer, message, self.spawn)
        except Refused as refused:
            viewer.send(with_ref(encode(refusal(refused)), message.id))

    async def snapshot(self, code: Code, player: PlayerId | None) -> Welcome:
        """The table as a new connection would be shown it. Raises ``UnknownTable``, ``StoreUnavailable``."""
        live = await self._held(code)
        welcome = live.stage.welcome(live.table, player, self.means.clock.now_ms())
        self._release(live)
        return welcome

    # --- what live tables ask for ---

    def _heard(self, code: Code, first: int, entries: Sequence[Entry]) -> None:
        live, length = self._live.get(code), first + len(entries)
        if live is not None:
            live.heard(length)
        elif code in self._loading:
            self._heard_while_loading[code] = length

    def _noted(self, code: Code, note: bytes) -> None:
        live = self._live.get(code)
        if live is not None and not note.startswith(self.means.mark):
            overheard(live, note[NOTE_MARK_BYTES:])

    def _wake(self, code: Code) -> None:
        live = self._live.get(code)
        if live is not None:
            live.submit(WakeJob())
        else:
            self.spawn(self._wake_cold(code))

    async def _wake_cold(self, code: Code) -> None:
        try:
            live = await self._held(code)
        except UnknownTable:
            return
        except StoreUnavailable:
            self._wakes.arm(code, self.means.clock.now_ms() + RETRY_MS)
            return
        live.arriving -= 1
        live.submit(WakeJob())

    def _reload(self, live: LiveTable) -> None:
        self.spawn(self._catch_up(live))

    async def _catch_up(self, live: LiveTable) -> None:
        known = live.table.length
        # The last known entry is read again: a log without it is no more.
        read = await self._until_it_answers(live, lambda: self.means.log.read(live.code, known - 1))
        if not read:
            live.gone()
            return
        entries = read[1:]
        table = fold(entries, live.table)
        match = None if table is None else table.match
        root = None
        if match is not None and match.finished is None:
            root = await self._until_it_answers(live, lambda: self.means.log.secret(live.code, match.sealed.match))
        missing = (sitting(table) if table is not None else frozenset()) - live.stage.names.keys()
        if missing:
            live.stage.names.update(await self._names(missing))
        live.caught_up(entries, root)

    async def _until_it_answers(self, live: LiveTable, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask the store until it answers; meanwhile whoever waits is told."""
        while True:
            try:
                return await ask()
            except StoreUnavailable:
                live.refuse_waiting()
                await self.means.clock.sleep(RETRY_MS)

    def _beat_for(self, live: LiveTable) -> None:
        self.spawn(self._beat_then_resume(live))

    async def _beat_then_resume(self, live: LiveTable) -> None:
        await self._until_it_answers(live, self._beat)
        live.resume()

    def _think(self, live: LiveTable) -> None:
        self.spawn(self._bot_thinks(live))

    async def _bot_thinks(self, live: LiveTable) -> None:
        move, otherwise = await bot_thinks(live.table, self.means.advisor)
        live.submit(BotJob(move, otherwise))

    def _open_next(self, live: LiveTable) -> None:
        self.spawn(self._next_opened(live))

    async def _next_opened(self, live: LiveTable) -> None:
        """Create the next table if it is not there yet, then send everyone to it."""
        code = live.table.next_code
        assert code is not None
        await self._until_it_answers(live, lambda: self._create(code, next_table(live.table, self.means.clock.now_ms())))
        live.submit(MovedJob(code))

    def _answer_again(self, live: LiveTable, job: PlayerJob, n: int) -> None:
        self.spawn(self._answered_again(live, job, n))

    async def _answered_again(self, live: LiveTable, job: PlayerJob, n: int) -> None:
        match = live.table.match
        told = [one for one in live.stage.tail if one.n == n]
        try:
            if not told and match is not None:
                told = await self._told_long_ago(live, Since(n, match.sealed.match, ""), 1)
        except StoreUnavailable:
            told = []
        if told:
            job.viewer.send(with_ref(told[0].message, job.command.id))
        else:
            refuse(job, UNAVAILABLE)
