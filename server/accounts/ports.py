"""What the accounts need from the records, as protocols; the adapter is ``server.records.players``.

Records that are away raise ``StoreUnavailable``, like every other store.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from server.match.events import PlayerId


class Player(Protocol):
    """A player as everybody may see them."""

    @property
    def id(self) -> PlayerId:
        """16 hex characters."""

    @property
    def name(self) -> str:
        """As ``clean_name`` gives it; another player may have the same (``names.tag`` tells the two apart)."""

    @property
    def is_guest(self) -> bool:
        """True for a player without an account."""


class PlayerRecords(Protocol):
    """The players that are kept."""

    async def add_guest(self, player: PlayerId, name: str, *, session: str, at_ms: int) -> Player:
        """Keep a new guest with their first session; done when it is in the records. Raises ``StoreUnavailable``."""

    async def find(self, players: Collection[PlayerId]) -> Sequence[Player]:
        """Those of ``players`` that exist, in any order. Raises ``StoreUnavailable``."""
