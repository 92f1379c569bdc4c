"""What a decision needs to know beyond the table's own log: who is connected, and when the whole service was down."""

from msgspec import Struct

from server.match.events import PlayerId

OUTAGE_MS = 3_000
"""When no worker has said for longer than this that it lives, nobody was served."""


class Outage(Struct, frozen=True, gc=False):
    """The whole service was down from ``from_ms`` to ``to_ms`` (store's clock)."""

    from_ms: int
    to_ms: int


class PlayerPresence(Struct, frozen=True, gc=False):
    """Whether a player has a connection to the table, and since when that is so."""

    is_connected: bool
    since_ms: int


class Presence(Struct, frozen=True):
    """Who is at a table. ``empty_since_ms`` is None while anyone, watchers included, is connected."""

    players: dict[PlayerId, PlayerPresence]
    empty_since_ms: int | None


class Pace(Struct, frozen=True, gc=False):
    """How long a bot takes a step, in milliseconds: somewhere between the two."""

    least_ms: int
    most_ms: int


class World(Struct, frozen=True):
    """Presence, outages (ascending) and pace at one moment."""

    presence: Presence
    outages: tuple[Outage, ...]
    pace: Pace
