"""Everything that can happen to a table, as it is logged.

*Match events* are what dice.md calls the transcript: they are hashed, numbered and shown to everyone exactly as they are here.
*Table entries* are what happens around a match (seats, settings, a seal under way, a rematch): they are logged beside the match
events, never hashed, never numbered, never shown as they are.

Every time is ``at``, milliseconds since the epoch on the store's clock. Seats count from 0, turns and rolls from 1.
"""

from typing import Any, Final, Literal, NewType

import msgspec
from msgspec import UNSET, Struct, UnsetType

PlayerId = NewType("PlayerId", str)
Code = NewType("Code", str)
MatchId = NewType("MatchId", str)
SeatKey = str
"""A seat number as a JSON key: decimal, without leading zeros."""

FORMAT: Final = "cubilete/1"
ENTRY_VERSION = 1
"""The version this program writes; a reader that meets a higher one must not guess (protocol: ``unavailable``)."""


class _Event(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", kw_only=True, gc=False):
    at: int


class SealedSeat(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A seat as the seal fixes it: a human with a player's id, or a bot with its level."""

    seat: int
    kind: Literal["human", "bot"]
    player: PlayerId | UnsetType = UNSET
    level: str | UnsetType = UNSET


class Sealed(_Event, frozen=True, tag="sealed"):
    """The dice are fixed by ``anchor``; rules, seats and clock are final (dice.md, 1)."""

    match: MatchId
    attempt: int
    sheet: str
    preset: str
    options: dict[str, Any]
    rated: bool
    clock: int
    seats: tuple[SealedSeat, ...]
    turns: int
    anchor: str
    format: Literal["cubilete/1"]


class Committed(_Event, frozen=True, tag="committed"):
    """Every human seat has committed; the whole list (dice.md, 2)."""

    commitments: dict[SeatKey, str]


class Opened(_Event, frozen=True, tag="opened"):
    """Every human seat has revealed; entropy and turn order follow from it (dice.md, 3)."""

    contributions: dict[SeatKey, str]
    entropy: str
    order: tuple[int, ...]


class Rolled(_Event, frozen=True, tag="rolled"):
    """Roll ``roll`` of turn ``turn``; the positions in ``held`` kept their faces."""

    turn: int
    seat: int
    roll: int
    held: tuple[int, ...]
    dice: tuple[int, ...]
    auto: bool


class Scored(_Event, frozen=True, tag="scored"):
    """The write that ends a turn, with the key that checks the turn's dice."""

    turn: int
    seat: int
    box: str
    points: int
    bonus: int
    auto: bool
    key: str


class Back(_Event, frozen=True, tag="back"):
    """An away seat is played by its owner again."""

    seat: int


class Left(_Event, frozen=True, tag="left"):
    """A seat resigned."""

    seat: int
    reason: Literal["resigned"]


class ClockGiven(_Event, frozen=True, tag="clock"):
    """Time given back to the seat on turn after an outage."""

    turn: int
    seat: int
    from_ms: int = msgspec.field(name="from")
    to_ms: int = msgspec.field(name="to")
    deadline: int
    reason: Literal["outage"]


FinishReason = Literal["full", "served_generala", "resigned", "void"]


class Finished(_Event, frozen=True, tag="finished"):
    """The end: totals and places of this moment, and the root of the key chain."""

    reason: FinishReason
    totals: dict[SeatKey, int]
    places: dict[SeatKey, int]
    root: str


MatchEvent = Sealed | Committed | Opened | Rolled | Scored | Back | Left | ClockGiven | Finished


class Settings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the creator chose, resolved: every option is there; ``preset`` is ``custom`` when they are nobody's preset."""

    sheet: str
    preset: str
    options: dict[str, Any]
    clock: int
    seats: int
    visibility: Literal["public", "private"]
    rated: bool


class TableOpened(_Event, frozen=True, tag="table_opened"):
    """A table was created, with its settings; the levels of ``bots`` take its last seats."""

    creator: PlayerId
    settings: Settings
    bots: tuple[str, ...]


class Sat(_Event, frozen=True, tag="sat"):
    """A player took a free seat."""

    seat: int
    player: PlayerId


class Stood(_Event, frozen=True, tag="stood"):
    """A seat became free again: its player stood up, or the creator cleared it."""

    seat: int


class BotAdded(_Event, frozen=True, tag="bot_added"):
    """A bot took a free seat."""

    seat: int
    level: str


class SettingsChanged(_Event, frozen=True, tag="settings_changed"):
    """The creator changed the settings; ``bots``, where given, replaces the bots that sat there."""

    settings: Settings
    bots: tuple[str, ...] | UnsetType = UNSET


class CreatorPassed(_Event, frozen=True, tag="creator_passed"):
    """The creator was gone; the powers passed to ``player``."""

    player: PlayerId


class CommitmentTaken(_Event, frozen=True, tag="commitment_taken"):
    """One seat's commitment is in; shown only with the full list."""

    seat: int
    commitment: str


class ContributionTaken(_Event, frozen=True, tag="contribution_taken"):
    """One seat's contribution is in; shown only when all are."""

    seat: int
    contribution: str


class SealAborted(_Event, frozen=True, tag="seal_aborted"):
    """The seal failed: ``seats`` are cleared and barred for a while, the root is shown, the seal's events do not count."""

    match: MatchId
    seats: tuple[int, ...]
    root: str


class RematchAsked(_Event, frozen=True, tag="rematch_asked"):
    """A player of the finished match asked for another one."""

    player: PlayerId


class WalkedOff(_Event, frozen=True, tag="walked_off"):
    """A player left the table after the end: no rematch waits for them."""

    player: PlayerId


class RematchAgreed(_Event, frozen=True, tag="rematch_agreed"):
    """Everybody asked: the next table will have this code (logged before that table exists)."""

    code: Code


class Moved(_Event, frozen=True, tag="moved"):
    """The next table exists; everyone here is sent to it."""

    code: Code


class Closed(_Event, frozen=True, tag="closed"):
    """The code is no longer a table."""

    reason: Literal["creator", "empty", "expired"]


TableEntry = (
    TableOpened
    | Sat
    | Stood
    | BotAdded
    | SettingsChanged
    | CreatorPassed
    | CommitmentTaken
    | ContributionTaken
    | SealAborted
    | RematchAsked
    | WalkedOff
    | RematchAgreed
    | Moved
    | Closed
)
Event = MatchEvent | TableEntry


class Cause(Struct, frozen=True, gc=False):
    """The command that caused an entry: whose it was and the id its sender gave it."""

    player: PlayerId
    id: str


class Entry(Struct, frozen=True, kw_only=True):
    """One row of a table's log. ``nonce`` and ``cause`` are the service's own and are never shown to anyone."""

    version: int
    event: Event
    nonce: str
    cause: Cause | None = None


_canonical = msgspec.json.Encoder(order="sorted")


def canonical(event: MatchEvent) -> bytes:
    """The event as RFC 8785 writes it (dice.md, Transcript): what is hashed, and what everyone is shown."""
    return _canonical.encode(event)
