"""Guests: players who are simply there, with an id, a name and a session, and no account.

Owns how they come into being and who is remembered in memory. Keeping them is the records' business.
"""

import os
from collections.abc import Callable, Iterable, Mapping

import structlog

from server.accounts.names import clean_name, generated_name
from server.accounts.ports import Player, PlayerRecords
from server.accounts.sessions import Session, SessionId, Sessions
from server.match.events import PlayerId
from server.tables.ports import StoreUnavailable

REMEMBERED = 10_000
"""Players kept in memory, the latest asked for: some 3 MB, and every seat of more tables than one worker holds."""

_log = structlog.get_logger()


class Guests:
    """Makes guests and knows players by their id; is the tables' ``Directory``."""

    def __init__(
        self,
        records: PlayerRecords,
        sessions: Sessions,
        now_ms: Callable[[], int],
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._records = records
        self._sessions = sessions
        self._now_ms = now_ms
        self._random = random
        self._remembered: dict[PlayerId, Player] = {}

    async def create(self, name: str | None) -> tuple[Player, str]:
        """A new guest, with a generated name if none is given, and the token of their session; both are kept by then.

        Raises ``Refused`` for a name that cannot be used and ``StoreUnavailable``.
        """
        chosen = generated_name(self._random(2)) if name is None else clean_name(name)
        session = Session(PlayerId(self._random(8).hex()), SessionId(self._random(8).hex()), self._now_ms())
        player = await self._records.add_guest(session.player, chosen, session=session.id, at_ms=session.issued_ms)
        self._remember(player)
        return player, self._sessions.token(session)

    async def get(self, player: PlayerId) -> Player | None:
        """The player with this id, or None. Raises ``StoreUnavailable``."""
        return (await self._known([player])).get(player)

    async def names(self, players: Iterable[PlayerId]) -> Mapping[PlayerId, str]:
        """The name of each player that exists.

        While the records are away, of each that is remembered: a match goes on without a name.
        """
        wanted = list(players)
        try:
            known = await self._known(wanted)
        except StoreUnavailable:
            known = self._recall(wanted)
            _log.warning("names_missing", players=len(set(wanted)) - len(known))
        return {player: known[player].name for player in known}

    async def _known(self, players: list[PlayerId]) -> dict[PlayerId, Player]:
        known = self._recall(players)
        missing = set(players) - known.keys()
        if missing:
            for player in await self._records.find(missing):
                self._remember(player)
                known[player.id] = player
        return known

    def _recall(self, players: list[PlayerId]) -> dict[PlayerId, Player]:
        known = {player: self._remembered[player] for player in players if player in self._remembered}
        for player in known.values():
            self._remember(player)
        return known

    def _remember(self, player: Player) -> None:
        self._remembered.pop(player.id, None)
        self._remembered[player.id] = player
        if len(self._remembered) > REMEMBERED:
            del self._remembered[next(iter(self._remembered))]
