"""What a client checks while a match runs: the numbering and heads of its events, the opening, each key, each turn's dice.

Sockets are somebody else's: feed it every ``welcome`` and every ``event`` message in order; it raises ``Lie`` at the first
thing that does not fit. Someone who came late checks from there on, and knows no full head.
"""

from collections.abc import Mapping
from typing import Any

from tests.outside import dice
from tests.outside.dice import Event

Message = Mapping[str, Any]


class Lie(AssertionError):
    """Something shown does not follow from what was shown before."""


def must_equal(what: str, want: object, got: object) -> None:
    """``Lie`` unless the two are equal."""
    if want != got:
        raise Lie(f"{what}: should be {want!r}, is {got!r}")


class Witness:
    """One client's memory of one match after another."""

    def __init__(self) -> None:
        self.log: list[Event] = []
        """The events met, in order; from the start if ``head`` is known."""
        self.n: int | None = None
        self.h: str | None = None
        self.head: bytes | None = None
        self.match = b""
        self.turns: int | None = None
        self.opening: bytes | None = None
        self.commitments: dict[str, str] = {}
        self.checked = (0, b"")
        """The latest turn whose key is known, with that key; at first 0 and the anchor."""
        self.pending: dict[int, list[Event]] = {}
        """The rolls of each turn whose key is still to come."""
        self.base: dict[int, tuple[int, list[int]]] = {}
        """For a turn joined in its middle: the roll that was met, and its dice."""
        self.turns_checked = 0
        self.is_ahead = False
        """The server has forgotten events that this client knows."""

    def welcome(self, message: Message) -> None:
        """Go on from a snapshot: through the events it brings, or from its own place when they are not there."""
        table = message["table"]
        match = bytes.fromhex(table.get("match") or "")
        events = message.get("events")
        if match and match == self.match and self.n is not None:
            self.is_ahead = message["n"] < self.n
            for missed in events or []:
                self.event(missed)
            if message["n"] == self.n:
                must_equal(f"h at {self.n} on coming back", self.h, message["h"])
                return
        self._start_at(table, match, message)

    def _start_at(self, table: Message, match: bytes, message: Message) -> None:
        is_known = match == self.match and self.checked[1]
        self.log, self.head, self.pending, self.base = [], None, {}, {}
        self.n, self.h, self.match = message["n"], message["h"], match
        if not match:
            return
        if not is_known:
            self.checked = (0, bytes.fromhex(table["anchor"]))
            self.turns = None
        self.commitments = dict(table.get("commitments") or {})
        self.opening = bytes.fromhex(table["entropy"]) if table.get("entropy") else None
        turn = table.get("turn")
        if turn and turn.get("dice"):
            self.base[turn["turn"]] = (turn["roll"], list(turn["dice"]))

    def event(self, message: Message) -> None:
        """Take the next event, and check all that can be checked with it."""
        event, n = message["event"], message["n"]
        if event["type"] == "sealed":
            self._begin(event)
        if self.n is None and n != 0:
            raise Lie(f"event {n} of a match that never began")
        must_equal("n", 0 if self.n is None else self.n + 1, n)
        self._hash(event, message["h"])
        self.n, self.h = n, message["h"]
        self.log.append(event)
        check = getattr(self, f"_check_{event['type']}", None)
        if check:
            check(event)

    def _begin(self, sealed: Event) -> None:
        must_equal("a new match id", True, bytes.fromhex(sealed["match"]) != self.match)
        self.log, self.n, self.head = [], None, None
        self.match, self.turns = bytes.fromhex(sealed["match"]), sealed["turns"]
        self.checked = (0, bytes.fromhex(sealed["anchor"]))
        self.opening, self.commitments, self.pending, self.base = None, {}, {}, {}
        self.turns_checked, self.is_ahead = 0, False

    def _hash(self, event: Event, shown: str) -> None:
        if event["type"] == "sealed":
            self.head = dice.first_head(self.match, event)
        elif self.head is not None:
            self.head = dice.next_head(self.head, event)
        if self.head is not None:
            must_equal(f"h of {event['type']}", self.head.hex()[:16], shown)

    def _check_committed(self, event: Event) -> None:
        self.commitments = dict(event["commitments"])

    def _check_opened(self, event: Event) -> None:
        contributions = {int(seat): bytes.fromhex(value) for seat, value in event["contributions"].items()}
        made = {str(seat): dice.commitment(self.match, seat, value).hex() for seat, value in contributions.items()}
        must_equal("commitments of what was revealed", self.commitments, made)
        self.opening = dice.entropy(self.match, contributions)
        must_equal("entropy", self.opening.hex(), event["entropy"])
        must_equal("order", dice.order(self.match, self.opening, event["order"]), event["order"])

    def _check_rolled(self, event: Event) -> None:
        self.pending.setdefault(event["turn"], []).append(event)

    def _check_scored(self, event: Event) -> None:
        turn, key = event["turn"], bytes.fromhex(event["key"])
        before, earlier = self.checked
        if not before < turn or not dice.reaches(self.match, key, turn, earlier, before):
            raise Lie(f"the key of turn {turn} does not lead to that of turn {before}")
        self.checked = turn, key
        self._check_turn(turn, key)

    def _check_turn(self, turn: int, key: bytes) -> None:
        roll, shown = self.base.pop(turn, (0, []))
        for event in self.pending.pop(turn, []):
            if event["roll"] != roll + 1 or self.opening is None:
                raise Lie(f"roll {event['roll']} of turn {turn} after roll {roll}")
            roll = event["roll"]
            shown = dice.after_roll(event["held"], shown, dice.draw(key, self.match, self.opening, turn, roll))
            must_equal(f"dice of turn {turn}, roll {roll}, held {event['held']}", shown, event["dice"])
        self.turns_checked += 1

    def _check_finished(self, event: Event) -> None:
        if self.turns is None:
            return
        keys = dice.chain(self.match, bytes.fromhex(event["root"]), self.turns)
        turn, key = self.checked
        must_equal(f"key of turn {turn} from the root", key.hex(), keys[turn].hex())
        for left in list(self.pending):
            self._check_turn(left, keys[left])
