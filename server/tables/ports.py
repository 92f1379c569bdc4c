"""What the tables need from the outside, as protocols; adapters are in ``stores``, ``accounts`` and ``strategy``.

The log is the truth. An append is *compare-and-append*: it goes in only if the log still has the expected length, and it is on
disk before its future is done. Publishing is a hint: a listener that sees a gap reads the log.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, Protocol

from msgspec import Struct

from server.match.events import Code, Entry, MatchId, PlayerId
from server.match.world import Outage, Presence
from server.rules.model import Rules, SheetState


class StoreUnavailable(Exception):
    """The store did not answer, or not in time. Whether an append went in is unknown: read the log and look for its nonce."""


class Append(Struct, frozen=True, kw_only=True):
    """What one append changes, all of it or nothing.

    ``entries`` go to the end of the log. ``wake_at_ms`` replaces the table's wake (None: nothing will happen by itself).
    ``secret`` is the root of ``match``: bytes store it, None leaves what is there, ``b""`` deletes it. ``card`` is the table's
    line in the lobby: bytes replace it, None leaves it, ``b""`` takes it off the list. ``finished`` marks ``match`` as ended,
    so that it is found by its id and waits for the recorder. ``is_closed`` frees the code: the table is gone from then on.
    ``players`` are those who sit and whose match is not over: a tuple replaces them, None leaves them.
    """

    entries: tuple[Entry, ...]
    wake_at_ms: int | None
    match: MatchId | None = None
    secret: bytes | None = None
    card: bytes | None = None
    finished: bool = False
    is_closed: bool = False
    players: tuple[PlayerId, ...] | None = None


Outcome = Literal["appended", "conflict"]
Listener = Callable[[Code, int, Sequence[Entry]], None]
"""Called with a table, the index of the first entry, and the entries, after they are in the log."""
NoteListener = Callable[[Code, bytes], None]


class TableLog(Protocol):
    """The logs of all tables and what is stored beside them."""

    def append(self, code: Code, expected: int, change: Append) -> asyncio.Future[Outcome]:
        """Append if the log of ``code`` holds exactly ``expected`` entries (0: the table does not exist and its code is free).

        Never blocks; the appends of one loop turn are written as one batch. Once done, the change is durable and every
        listener has been called or will be. Fails with ``StoreUnavailable``.
        """

    async def read(self, code: Code, start: int = 0) -> list[Entry]:
        """The entries from index ``start`` on; empty for an unknown or closed table. Raises ``StoreUnavailable``."""

    async def secret(self, code: Code, match: MatchId) -> bytes | None:
        """The root of a running match, or None."""

    def listen(self, listener: Listener, notes: NoteListener) -> Callable[[], None]:
        """Hear of every append, this worker's own included, and of every note; call the result to stop."""

    def note(self, code: Code, message: bytes) -> None:
        """Tell all workers' listeners something about a table that is not logged (holds, phrases)."""

    def wakes(self, until_ms: int) -> Iterable[tuple[Code, int]]:
        """The stored wakes at or before ``until_ms``."""

    def lobby(self) -> Iterable[bytes]:
        """The cards of the lobby, newest table first."""

    async def matches(self, match: MatchId) -> Sequence[Entry] | None:
        """The entries of the table's log up to and with the end of this match; None if no such match has ended here."""

    async def is_running(self, match: MatchId) -> bool:
        """Whether a match with this id is sealed and has not ended."""

    def tables_of(self, player: PlayerId) -> Iterable[Code]:
        """The tables where this player sits and whose match is not over."""

    async def connected(self, code: Code, player: PlayerId | None, change: int, now_ms: int) -> Presence:
        """Count a connection of ``player`` (None: a watcher) in (+1) or out (-1), and tell who is there then."""

    async def presence(self, code: Code) -> Presence:
        """Who is at the table. After a restart nobody is, and what lay between does not count as absence."""

    async def beat(self, now_ms: int) -> Outage | None:
        """Say that a worker lives. If none did for longer than an outage takes, store that outage first and return it."""

    def outages(self) -> tuple[Outage, ...]:
        """The stored outages that can still matter to a running turn, ascending."""

    async def ping(self) -> None:
        """Answer if the store can be used; raise ``StoreUnavailable`` if not."""

    async def close(self) -> None:
        """Finish what is being written and let go of the store."""


class Timer(Protocol):
    """A call that is due later."""

    def cancel(self) -> None:
        """Do not call."""


class Clock(Protocol):
    """The store's clock: milliseconds since the epoch that never run backwards."""

    def now_ms(self) -> int:
        """The time now."""

    def call_at(self, at_ms: int, callback: Callable[[], None]) -> Timer:
        """Call back on the loop at ``at_ms``, at once if that has passed."""

    async def sleep(self, for_ms: int) -> None:
        """Wait on this clock."""


class Entropy(Protocol):
    """Unguessable values from the operating system."""

    def match_id(self) -> MatchId:
        """16 bytes as 32 hex characters."""

    def root(self) -> bytes:
        """32 bytes."""

    def code(self) -> Code:
        """A table code: 6 characters without look-alikes."""

    def nonce(self) -> str:
        """Tells one worker's append from another's."""


class Directory(Protocol):
    """Names of players."""

    async def names(self, players: Iterable[PlayerId]) -> Mapping[PlayerId, str]:
        """The name of each player that exists."""


class Question(Struct, frozen=True):
    """What a seat on turn sees, for a bot or a hint: rules, its own sheet, dice (empty before the first roll), rolls used."""

    rules: Rules
    sheet: SheetState
    dice: tuple[int, ...]
    rolls_used: int


class Advice(Struct, frozen=True, kw_only=True):
    """One thing to do now: roll with ``held`` (positions) kept, or write ``box``; ``value`` is the final total it leads to."""

    action: Literal["roll", "score"]
    held: tuple[int, ...] = ()
    box: str | None = None
    value: float
    why: str


class Advisor(Protocol):
    """Plays for bots and advises people. Never holds a key, never runs on the loop."""

    levels: tuple[str, ...]

    async def advise(self, level: str, question: Question) -> Sequence[Advice]:
        """The best things to do, best first, at least one."""

    async def advise_sum(self, level: str, dice: tuple[int, ...], rolls_used: int) -> Sequence[Advice]:
        """The same for a roll-off turn, where the sum of the five dice counts and the box is ``roll_off``."""
