"""A seat's part in the seal: what to send when, and what to check before sending it.

``Secrets`` is what all tabs of one player share; ``Sealing`` is one connection's part, without a socket: its methods return the
message to send, or None.
"""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from tests.outside import dice
from tests.outside.dice import Event
from tests.outside.witness import Lie, must_equal

Message = Mapping[str, Any]
Place = tuple[str, str, int]
SHOWN = ("sheet", "preset", "options", "rated", "clock")


class Secrets:
    """The contributions a player drew, by match, anchor and seat, and the anchor each match id was met with."""

    def __init__(self) -> None:
        self.drawn: dict[Place, bytes] = {}
        self.met: dict[str, str] = {}

    def contribution(self, place: Place) -> bytes:
        """The one contribution of this place, drawn when it is first asked for."""
        return self.drawn.setdefault(place, secrets.token_bytes(32))


def humans_of(seats: Sequence[Message]) -> dict[int, str]:
    """The player of each human seat; free seats and bots are left out."""
    return {seat["seat"]: seat["player"] for seat in seats if seat.get("player") and seat.get("kind") != "bot"}


def sitting(seats: Sequence[Message]) -> dict[int, object]:
    """Who sits where: a player's id or a bot's level."""
    who = {seat["seat"]: seat.get("level") if seat.get("kind") == "bot" else seat.get("player") for seat in seats}
    return {seat: name for seat, name in who.items() if name}


class Sealing:
    """One connection's part in the seals of one table, for the player ``me`` (None: somebody who watches)."""

    def __init__(self, me: str | None, secrets: Secrets) -> None:
        self.me, self.secrets = me, secrets
        self.place: Place | None = None
        self.humans: dict[int, str] = {}
        self.revealed: str | None = None

    def at_sealed(self, event: Event, table: Message) -> Message | None:
        """The commit, if the player sits there, and only if what is sealed is the table last shown."""
        for name in SHOWN:
            must_equal(f"sealed {name}", table[name], event[name])
        must_equal("sealed seats", sitting(table["seats"]), sitting(event["seats"]))
        return self._meet(event["match"], event["anchor"], humans_of(event["seats"]))

    def at_welcome(self, table: Message) -> Message | None:
        """What a connection that finds a seal under way owes it."""
        if table["phase"] != "sealing":
            return None
        commit = self._meet(table["match"], table["anchor"], humans_of(table["seats"]))
        if commit is None or not table.get("commitments"):
            return commit
        return self.at_committed({"commitments": table["commitments"]})

    def _meet(self, match: str, anchor: str, humans: dict[int, str]) -> Message | None:
        seat = next((seat for seat, player in humans.items() if player == self.me), None)
        is_new = self.secrets.met.setdefault(match, anchor) == anchor
        if seat is None or not is_new:
            self.place = None
            return None
        self.place, self.humans = (match, anchor, seat), humans
        return {"type": "commit", "commitment": self._commitment(self.place)}

    def _commitment(self, place: Place) -> str:
        match, _, seat = place
        return dice.commitment(bytes.fromhex(match), seat, self.secrets.contribution(place)).hex()

    def at_committed(self, event: Event) -> Message | None:
        """The reveal, if the list is whole and the player's own entry is the one that was sent."""
        if self.place is None:
            return None
        commitments = event["commitments"]
        must_equal("seats that committed", sorted(map(str, self.humans)), sorted(commitments))
        if not all(dice.is_hex(value, 64) for value in commitments.values()):
            raise Lie(f"commitments that are none: {commitments}")
        match, _, seat = self.place
        must_equal("own commitment", self._commitment(self.place), commitments[str(seat)])
        self.revealed = match
        return {"type": "reveal", "entropy": self.secrets.contribution(self.place).hex()}

    def at_opened(self, event: Event) -> None:
        """The player's own contribution is among those that made the opening."""
        if self.place and self.revealed == self.place[0]:
            own = event["contributions"].get(str(self.place[2]))
            must_equal("own contribution", self.secrets.contribution(self.place).hex(), own)
