"""Who sits where, by player: the index behind the list of someone's running tables."""

from collections.abc import Iterable

from server.match.events import Code, PlayerId


class Seats:
    """The tables of each player, in the order in which they sat down."""

    def __init__(self) -> None:
        self._players: dict[Code, tuple[PlayerId, ...]] = {}
        self._codes: dict[PlayerId, dict[Code, None]] = {}

    def set(self, code: Code, players: Iterable[PlayerId]) -> None:
        """Let these players, and no others, sit at a table."""
        for player in self._players.pop(code, ()):
            del self._codes[player][code]
            if not self._codes[player]:
                del self._codes[player]
        seated = tuple(players)
        for player in seated:
            self._codes.setdefault(player, {})[code] = None
        if seated:
            self._players[code] = seated

    def of(self, player: PlayerId) -> list[Code]:
        """The tables where a player sits."""
        return list(self._codes.get(player, ()))
