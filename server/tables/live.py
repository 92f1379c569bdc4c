"""A table in memory: one queue of jobs, decided one after another; decide, append, publish, answer, in that order.

Nothing is shown before it is in the log. The log decides between workers: an append that finds the log longer than expected is
a conflict, and the job is decided again on the state as it is then. A store that does not answer leaves the state unknown: the
sender is told ``unavailable``, and the log is read again before anything else is decided.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple, assert_never

import structlog
from msgspec.structs import replace

from server.errors import Refused
from server.fairness.seal import KeyChain
from server.match.clockwork import LATENESS_MS
from server.match.commands import AddBot, ChangeSettings, Sit, Start, Unseat
from server.match.decide import decide
from server.match.events import (
    ENTRY_VERSION,
    Back,
    Cause,
    Code,
    Entry,
    Event,
    Finished,
    Moved,
    SealAborted,
    Sealed,
)
from server.match.evolve import MATCH_EVENTS, evolve
from server.match.moment import Moment
from server.match.play import bot_move
from server.match.state import Table
from server.match.wake import Action, due, elapse, overdue, wake
from server.match.world import Presence, World
from server.protocol.outgoing import encode, with_ref
from server.tables.appends import change_by, next_wake
from server.tables.jobs import BotJob, Job, MovedJob, PlayerJob, WakeJob
from server.tables.means import Means
from server.tables.ports import Outcome
from server.tables.refusals import UNAVAILABLE, Unsure, refuse
from server.tables.stage import Answer, Stage, Step, acknowledge, sitting
from server.tables.telling import restore

KEEP_FOR_MS = 10_000
"""A table without viewers stays in memory when something happens to it this soon."""
QUIET_MS = 10_000
"""After a fault of ours nothing happens by itself for so long, lest it fails again and again."""
RETRY_MS = 500
"""What the store did not take, or could not tell, is tried again after this long."""
_SHOWN_BY_LOBBY = (Sit, AddBot, Unseat, ChangeSettings)

log = structlog.get_logger(__name__)


class Shell(NamedTuple):
    """What a live table needs of the worker that holds it; all of it returns at once and calls back later."""

    arm: Callable[[Code, int], None]
    reload: Callable[["LiveTable"], None]
    beat: Callable[["LiveTable"], None]
    think: Callable[["LiveTable"], None]
    open_next: Callable[["LiveTable"], None]
    answer_again: Callable[["LiveTable", PlayerJob, int], None]
    rest: Callable[["LiveTable"], None]


class LiveTable:
    """One table's state, keys and queue. Synchronous throughout: whatever waits is the ``Shell``'s."""

    __slots__ = (
        "_heard_to", "_jobs", "_keys", "_next_at", "_quiet_until", "_shell", "_unsure", "arriving", "code", "is_busy", "means",
        "stage", "table", "waiting_for",
    )  # fmt: skip

    def __init__(self, code: Code, means: Means, shell: Shell, presence: Presence) -> None:
        self.code = code
        self.means = means
        self.stage = Stage(code, presence)
        self.table: Table
        self.is_busy = False
        self.arriving = 0
        self.waiting_for: Action | None = None
        self._heard_to = 0
        self._next_at = 0
        self._quiet_until = 0
        self._unsure: Unsure | None = None
        self._keys: KeyChain | None = None
        self._shell = shell
        self._jobs: deque[Job] = deque()

    # --- what the worker asks ---

    def restore(self, entries: Sequence[Entry]) -> None:
        """Take over what the whole log of the table holds; ``unlock`` follows."""
        table, self.stage.tail = restore(entries)
        assert table is not None
        self.table = table
        self.stage.room.seat(sitting(table))

    def unlock(self, root: bytes | None) -> None:
        """Take the secret of the match under way; None where there is none."""
        match = self.table.match
        if root is None or match is None or match.finished is not None:
            self._keys = None
        else:
            self._keys = KeyChain(match.id_bytes, root, match.sealed.turns)

    def submit(self, job: Job) -> None:
        """Queue a job; it is decided at once if nothing is before it."""
        self._jobs.append(job)
        self.pump()

    def heard(self, length: int) -> None:
        """The log holds so many entries: another worker's are caught up with, now or after what is under way."""
        self._heard_to = max(self._heard_to, length)
        if not self.is_busy and self._heard_to > self.table.length:
            self._reload()

    def caught_up(self, entries: Sequence[Entry], root: bytes | None) -> None:
        """Apply the rest of the log, put there by others or by an append that got no answer, and go on."""
        unsure, self._unsure = self._unsure, None
        nonce = None if unsure is None else unsure.nonce
        for is_own, run in groupby(entries, lambda entry: entry.nonce == nonce):
            self._catch_up(list(run), None if unsure is None or not is_own else unsure.answer)
        self.unlock(root)
        if unsure is not None and not unsure.is_in(entries):
            refuse(unsure.job, UNAVAILABLE)
        self.resume()

    def _catch_up(self, entries: Sequence[Entry], answer: Answer | None) -> None:
        before = self.table
        steps = []
        for entry in entries:
            self.table = evolve(self.table, entry.event, entry.cause)
            steps.append(Step(entry, self.table))
        self.stage.show(before, steps, answer)

    def gone(self) -> None:
        """The log is no more: the table was closed, and everyone who is here is told."""
        self.table = replace(self.table, is_closed=True)
        self.stage.dismiss()
        self.is_busy = False
        self.pump()

    def pump(self) -> None:
        """Decide queued jobs until one has to wait, then set the alarm."""
        if self.means.is_stopped:
            self.refuse_waiting()
            return
        while self._jobs and not self.is_busy:
            if self.means.is_stale():
                self.is_busy = True
                self._shell.beat(self)
                return
            self._decide(self._jobs.popleft())
        if not self.is_busy:
            self.rearm()
            if self.is_idle:
                self._shell.rest(self)

    def refuse_waiting(self) -> None:
        """The store is away: tell everyone who waits for it. What happens by itself still has to."""
        unsure, self._unsure = self._unsure, None
        for job in (*(() if unsure is None else (unsure.job,)), *self._jobs):
            if isinstance(job, PlayerJob):
                refuse(job, UNAVAILABLE)
        self._jobs = deque(job for job in self._jobs if not isinstance(job, PlayerJob))

    def resume(self) -> None:
        """Go on after a wait, with what the log got meanwhile."""
        self.is_busy = False
        if self._heard_to > self.table.length:
            self._reload()
        else:
            self.pump()

    def rearm(self) -> None:
        """Set the alarm for the next thing that happens by itself."""
        if self.table.is_closed or self.means.is_stopped:
            return
        coming = wake(self.table, self.world())
        if coming is not None and coming.action == self.waiting_for:
            return
        next_at = next_wake(self.table, self.world(), self.means.clock.now_ms())
        assert next_at is not None
        self._next_at = max(next_at, self._quiet_until)
        self._shell.arm(self.code, self._next_at)

    def set_presence(self, presence: Presence) -> None:
        """Take over who is there, and tell everyone."""
        self.stage.presence = presence
        self.stage.show_presence(self.table)
        if not self.is_busy:
            self.rearm()
            if self.is_idle:
                self._shell.rest(self)

    def world(self) -> World:
        """Presence, outages and pace as they are now."""
        return World(self.stage.presence, self.means.log.outages(), self.means.pace)

    @property
    def is_idle(self) -> bool:
        """Whether nobody would miss this table if the worker forgot it for a while; a closed one is never missed."""
        if self.table.is_closed:
            return True
        is_wanted = self.is_busy or self._jobs or self.arriving or len(self.stage.room) or self.waiting_for is not None
        return not is_wanted and self._next_at > self.means.clock.now_ms() + KEEP_FOR_MS

    # --- deciding ---

    def _decide(self, job: Job) -> None:
        try:
            match job:
                case PlayerJob():
                    self._decide_command(job)
                case WakeJob():
                    self._decide_wake()
                case BotJob():
                    self._decide_bot(job)
                case MovedJob():
                    self._decide_moved(job)
                case _:
                    assert_never(job)
        except Refused as refused:
            assert isinstance(job, PlayerJob)
            refuse(job, refused)
        except Exception:
            log.exception("decision_failed", table=self.code, job=type(job).__name__)
            if isinstance(job, PlayerJob):
                refuse(job, Refused("unavailable", "Something went wrong on our side; send the same again."))
            else:
                self._quiet_until = self.means.clock.now_ms() + QUIET_MS

    def _decide_command(self, job: PlayerJob) -> None:
        if self.table.is_closed:
            raise Refused("wrong_phase", "This table is closed.")
        world = self.world()
        stamp = self._counted_stamp(job.stamp_ms, world)
        action = overdue(self.table, world, stamp)
        if action is not None and self._happens(action, stamp):
            self._jobs.insert(0, job)
            return
        known = self._applied_before(job)
        if known is not None:
            self._shell.answer_again(self, job, known)
            return
        fresh = self.means.fresh() if isinstance(job.command, Start) else None
        moment = Moment(stamp, world, self.means.policy, self._keys, fresh)
        events = decide(self.table, job.player, job.command, moment)
        if events:
            self._append(events, job, None if fresh is None else fresh.root)
        elif isinstance(job.command, _SHOWN_BY_LOBBY):
            job.viewer.send(with_ref(encode(self.stage.lobby(self.table)), job.command.id))
        else:
            acknowledge(Answer(job.viewer, job.command.id))

    def _counted_stamp(self, stamp_ms: int, world: World) -> int:
        """When a command counts as sent: its arrival, unless it had to wait past the grace that a deadline gives."""
        coming = wake(self.table, world)
        now = self.means.clock.now_ms()
        if coming is None or stamp_ms > coming.overdue_ms or now <= coming.overdue_ms + LATENESS_MS:
            return stamp_ms
        return now

    def _applied_before(self, job: PlayerJob) -> int | None:
        match = self.table.match
        if match is None or job.player is None or job.command.id is None:
            return None
        return match.event_caused_by(job.player, job.command.id)

    def _decide_wake(self) -> None:
        action = due(self.table, self.world(), self.means.clock.now_ms())
        if action is None or action == self.waiting_for:
            return
        if action == "bot":
            self.waiting_for = action
            self._shell.think(self)
        elif action == "open_next":
            self.waiting_for = action
            self._shell.open_next(self)
        else:
            self._happens(action, self.means.clock.now_ms())

    def _decide_bot(self, job: BotJob) -> None:
        self.waiting_for = None
        if self.table.phase != "playing":
            return  # the match ended while it thought
        keys, now_ms = self._keys, self.means.clock.now_ms()
        assert keys is not None
        try:
            events = bot_move(self.table, job.move, keys, now_ms)
        except Refused as refused:
            log.error("bot_refused", table=self.code, code=refused.code)
            events = bot_move(self.table, job.otherwise, keys, now_ms)
        self._append(events, job)

    def _decide_moved(self, job: MovedJob) -> None:
        self.waiting_for = None
        if not self.table.is_moved and not self.table.is_closed:
            self._append((Moved(at=self._at(), code=job.code),), job)

    def _happens(self, action: Action, at_ms: int) -> bool:
        """Append what is due by ``at_ms``; whether there was anything."""
        fresh = self.means.fresh() if action == "agree" else None
        events = elapse(self.table, action, Moment(at_ms, self.world(), self.means.policy, self._keys, fresh))
        self._append(events, WakeJob())
        return bool(events)

    # --- appending ---

    def _append(self, events: Sequence[Event], job: Job, root: bytes | None = None) -> None:
        if not events:
            return
        steps = self._steps(events, _cause_of(job))
        change = change_by(
            self.code,
            [step.entry for step in steps],
            before=self.table,
            after=steps[-1].after,
            world=self.world(),
            now_ms=self.means.clock.now_ms(),
            root=root,
        )
        future = self.means.log.append(self.code, self.table.length, change)
        self.is_busy = True
        future.add_done_callback(lambda done: self._appended(done, steps, job, root))

    def _steps(self, events: Sequence[Event], cause: Cause | None) -> list[Step]:
        nonce = self.means.entropy.nonce()
        caused = _caused_event(events)
        table = self.table
        steps = []
        for event in events:
            own = cause if event is caused else None
            table = evolve(table, event, own)
            steps.append(Step(Entry(version=ENTRY_VERSION, event=event, nonce=nonce, cause=own), table))
        return steps

    def _appended(self, done: "asyncio.Future[Outcome]", steps: Sequence[Step], job: Job, root: bytes | None) -> None:
        error = done.exception()
        if error is not None:
            log.warning("append_failed", table=self.code, error=repr(error))
            self.refuse_waiting()
            if isinstance(job, PlayerJob):
                self._unsure = Unsure(steps[0].entry.nonce, job)
            self._quiet_until = self.means.clock.now_ms() + RETRY_MS
            self._reload()
        elif done.result() == "conflict":
            if not isinstance(job, BotJob):
                self._jobs.appendleft(job)
            self._reload()
        else:
            self._shown(steps, job, root)
            self.resume()

    def _shown(self, steps: Sequence[Step], job: Job, root: bytes | None) -> None:
        """Show what is in the log by now; a fault in that must not keep the table from going on."""
        try:
            self._show(steps, job, root)
        except Exception:
            log.exception("showing_failed", table=self.code)

    def _show(self, steps: Sequence[Step], job: Job, root: bytes | None) -> None:
        before, self.table = self.table, steps[-1].after
        if any(isinstance(step.entry.event, Sealed | SealAborted | Finished) for step in steps):
            self.unlock(root)
        self.stage.show(before, steps, Answer(job.viewer, job.command.id) if isinstance(job, PlayerJob) else None)

    def _reload(self) -> None:
        self.is_busy = True
        if self.means.is_stopped:
            self.refuse_waiting()
        else:
            self._shell.reload(self)

    def _at(self) -> int:
        return max(self.means.clock.now_ms(), self.table.last_at)


def _cause_of(job: Job) -> Cause | None:
    if isinstance(job, PlayerJob) and job.player is not None and job.command.id is not None:
        return Cause(job.player, job.command.id)
    return None


def _caused_event(events: Sequence[Event]) -> Event:
    """The one event that a command is answered with: the first of the match that is more than a return."""
    hashed = [event for event in events if type(event) in MATCH_EVENTS]
    return next((event for event in hashed if not isinstance(event, Back)), (*hashed, *events)[0])
