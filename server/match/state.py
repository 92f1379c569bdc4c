"""The state of a table: what its log folds to.

Immutable: ``evolve`` makes a new value for every entry. It holds no secret: keys are arguments of ``decide``, never state.
"""

import hashlib
from typing import Literal

from msgspec import Struct

from server.match.events import Code, Finished, PlayerId, Sealed, Settings
from server.rules.model import Rules, SheetState

Phase = Literal["waiting", "sealing", "playing", "finished"]
ROLLS = 3
DICE = 5
AWAY_AFTER = 2
"""So many automatic writes in a row, and a seat is away."""
CAUSE_BYTES = 8


class Seat(Struct, frozen=True, gc=False):
    """Who sits: a player since ``sat_at``, or a bot of a level."""

    sat_at: int
    player: PlayerId | None = None
    level: str | None = None

    @property
    def is_human(self) -> bool:
        """Whether a person sits here."""
        return self.player is not None


class Turn(Struct, frozen=True, gc=False):
    """The turn under way: ``roll`` rolls are made, ``deadline`` is None without a clock.

    ``given_to`` is the end of the last outage that gave time back in this turn, 0 if none did.
    """

    number: int
    seat: int
    start: int
    deadline: int | None
    roll: int = 0
    dice: tuple[int, ...] = ()
    held: tuple[int, ...] = ()
    given_to: int = 0


class Match(Struct, frozen=True):
    """A match from its seal on. Dictionaries are keyed by seat number and never changed in place."""

    sealed: Sealed
    id_bytes: bytes
    seats: dict[int, Seat]
    n: int
    head: bytes
    causes: bytes
    commitments: dict[int, str]
    contributions: dict[int, str]
    committed_at: int | None = None
    entropy: bytes = b""
    order: tuple[int, ...] = ()
    sheets: dict[int, SheetState] = {}
    idle: dict[int, int] = {}
    resigned: tuple[int, ...] = ()
    is_by_hand: bool = False
    roll_offs: dict[int, tuple[int, ...]] = {}
    turn: Turn | None = None
    last_play_n: int = 0
    play_out_at: int | None = None
    finished: Finished | None = None
    rematch: frozenset[PlayerId] = frozenset()
    walked_off: frozenset[PlayerId] = frozenset()

    @property
    def humans(self) -> tuple[int, ...]:
        """The human seats, ascending."""
        return tuple(i for i, seat in self.seats.items() if seat.is_human)

    @property
    def staying(self) -> tuple[int, ...]:
        """The seats that have not resigned, ascending."""
        return tuple(i for i in self.seats if i not in self.resigned)

    def seat_of(self, player: PlayerId | None) -> int | None:
        """The seat of a player in this match, or None."""
        if player is not None:
            for i, seat in self.seats.items():
                if seat.player == player:
                    return i
        return None

    def is_away(self, seat: int) -> bool:
        """Whether a human seat that has not resigned is played automatically for now."""
        return self.idle.get(seat, 0) >= AWAY_AFTER and seat not in self.resigned

    def event_caused_by(self, player: PlayerId, command_id: str) -> int | None:
        """The index of the event that this command of this player caused, or None."""
        mark = cause_mark(player, command_id)
        at = self.causes.find(mark)
        while at % CAUSE_BYTES and at != -1:
            at = self.causes.find(mark, at + 1)
        return None if at == -1 else at // CAUSE_BYTES


class Table(Struct, frozen=True):
    """A table: settings, seats and, from the seal on, a match. ``length`` counts entries, ``version`` what the lobby shows."""

    length: int
    version: int
    opened_at: int
    last_at: int
    creator: PlayerId
    settings: Settings
    rules: Rules
    seats: tuple[Seat | None, ...]
    settings_felt_at: int | None = None
    barred: dict[PlayerId, int] = {}
    attempts: int = 0
    match: Match | None = None
    next_code: Code | None = None
    is_moved: bool = False
    is_closed: bool = False

    @property
    def phase(self) -> Phase:
        """Where the table is in its life."""
        if self.match is None:
            return "waiting"
        if self.match.finished is not None:
            return "finished"
        return "playing" if self.match.order else "sealing"

    def seat_of(self, player: PlayerId | None) -> int | None:
        """The seat a player has now, or None."""
        if player is not None:
            for i, seat in enumerate(self.seats):
                if seat is not None and seat.player == player:
                    return i
        return None


def cause_mark(player: PlayerId, command_id: str) -> bytes:
    """Eight bytes that stand for a command in ``Match.causes``, one place an event: a match's ids cost little memory."""
    return hashlib.sha256(f"{player} {command_id}".encode()).digest()[:CAUSE_BYTES]


NO_CAUSE = bytes(CAUSE_BYTES)
