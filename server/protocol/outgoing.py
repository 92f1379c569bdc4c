"""What the server sends: structs for the rare messages, and the one frame that matters, an event, put together from bytes.

An event is encoded once and the same bytes go to every connection; ``with_ref`` adds the reference, as the last field, to the
copy for the connection whose command caused it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from server.match.events import Code, PlayerId, SeatKey
from server.match.view import TableView, TurnView


class You(Struct, frozen=True):
    """Who the server takes this connection to be; nobody, for a watcher without a session."""

    player: PlayerId | UnsetType = UNSET
    seat: int | UnsetType = UNSET


class Welcome(Struct, frozen=True, kw_only=True, tag_field="type", tag="welcome"):
    """The table as it is at ``n``. ``events`` are the ones missed since the client's last, contained in the state already."""

    you: You
    now: int
    n: int | None
    h: str | None
    table: TableView
    events: list[msgspec.Raw] | UnsetType = UNSET


class AbortedSeal(Struct, frozen=True):
    """A seal that failed: whose seats were missing, and the root that is worthless now."""

    match: str
    seats: Sequence[int]
    root: str


class Lobby(Struct, frozen=True, kw_only=True, tag_field="type", tag="lobby"):
    """Seats or settings changed before the seal, or a seal failed."""

    table: TableView
    aborted: AbortedSeal | UnsetType = UNSET


class SeatPresence(Struct, frozen=True, gc=False):
    """Whether a seat's player has a connection, and whether the seat is played automatically for now."""

    connected: bool
    away: bool


class PresenceChanged(Struct, frozen=True, kw_only=True, tag_field="type", tag="presence"):
    """Who is there; ``watching`` counts the connections of people who do not sit."""

    seats: dict[SeatKey, SeatPresence]
    watching: int


class Holding(Struct, frozen=True, kw_only=True, tag_field="type", tag="holding"):
    """What the seat on turn means to keep."""

    seat: int
    held: tuple[int, ...]


class Said(Struct, frozen=True, kw_only=True, tag_field="type", tag="said"):
    """A phrase of a seated player."""

    player: PlayerId
    phrase: str


class BestAction(Struct, frozen=True, omit_defaults=True):
    """One thing to do; ``value`` is the final total it leads to, ``why`` a key of the texts."""

    action: str
    value: float
    why: str
    held: tuple[int, ...] | None = None
    box: str | None = None


class Hints(Struct, frozen=True, kw_only=True, tag_field="type", tag="hint"):
    """The best things to do now, best first."""

    best: list[BestAction]


class MovedTo(Struct, frozen=True, kw_only=True, tag_field="type", tag="moved"):
    """The next table of the same people."""

    code: Code


class Pong(Struct, frozen=True, kw_only=True, tag_field="type", tag="pong"):
    """The server's time."""

    t: int | float
    now: int


class Ok(Struct, frozen=True, kw_only=True, tag_field="type", tag="ok"):
    """A command was taken and caused nothing that everyone sees; only ever sent with a ``ref``."""


class Error(Struct, frozen=True, kw_only=True, tag_field="type", tag="error"):
    """Why a command changed nothing, and how to be right again."""

    code: str
    message: str
    field: str | UnsetType = UNSET


Outgoing = Welcome | Lobby | PresenceChanged | Holding | Said | Hints | MovedTo | Pong | Ok | Error
_encoder = msgspec.json.Encoder()
_HOLDING = b'{"type":"holding"'


class EventParts(NamedTuple):
    """An event message before it is joined: its number, short head and canonical bytes, and the state that it led to."""

    n: int
    h: str
    canonical: bytes
    turn: TurnView | None
    totals: dict[SeatKey, int] | None


def encode(message: Outgoing) -> bytes:
    """The message as one JSON object."""
    return _encoder.encode(message)


def encode_event(parts: EventParts) -> bytes:
    """The ``event`` message, with the very bytes that the chain of heads hashes inside."""
    tail = b""
    if parts.turn is not None:
        tail += b',"turn":' + _encoder.encode(parts.turn)
    if parts.totals is not None:
        tail += b',"totals":' + _encoder.encode(parts.totals)
    return b'{"type":"event","n":%d,"h":"%b","event":%b%b}' % (parts.n, parts.h.encode(), parts.canonical, tail)


def read_holding(message: bytes) -> Holding | None:
    """The message, if it is one about dice being held; None for any other."""
    return msgspec.json.decode(message, type=Holding) if message.startswith(_HOLDING) else None


def with_ref(message: bytes, ref: str | None) -> bytes:
    """The message with ``ref`` as its last field, or as it is without one."""
    if ref is None:
        return message
    return b'%b,"ref":%b}' % (message[:-1], _encoder.encode(ref))


def encode_plain(value: Any) -> bytes:
    """Any plain value as JSON, for answers over HTTP that are made of the same structs."""
    return _encoder.encode(value)
