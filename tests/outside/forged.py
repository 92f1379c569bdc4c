"""Matches written by hand, honest unless a test makes them otherwise, with dice and heads from the outsider's own arithmetic.

Time is made up: every move says how long it took. Points are whatever a test says; ``finish`` is told totals and places or
counts the plain ones.
"""

import json
from typing import Any

from tests.outside import dice

MATCH = bytes(range(16))
ROOT = bytes(range(32))
START_MS = 1_700_000_000_000
GENERALA = {
    "ace_high_straight": False,
    "doble": "on",
    "doble_needs_generala": True,
    "points": {
        "doble": 100,
        "escalera": 20,
        "full": 30,
        "generala": 50,
        "poker": 40,
        "served_escalera": 25,
        "served_full": 35,
        "served_poker": 45,
    },
    "served_generala": "plain",
    "tie": "share",
}
YAHTZEE = {"extra_yahtzee": 100, "joker": "forced", "tie": "share"}
UPPER = ["ones", "twos", "threes", "fours", "fives", "sixes"]
BOXES = {
    "generala": [*UPPER, "escalera", "full", "poker", "generala", "doble"],
    "yahtzee": [*UPPER, "three_kind", "four_kind", "full_house", "small_straight", "large_straight", "yahtzee", "chance"],
}


class Forged:
    """A match being written. ``humans`` and ``bots`` are numbers of seats; keywords override options of the sheet."""

    def __init__(self, humans: int = 2, bots: int = 0, sheet: str = "generala", clock: int = 45, **options: object) -> None:
        self.sheet, self.clock_ms = sheet, clock * 1000
        self.boxes = BOXES[sheet]
        seats = humans + bots
        options = {**(GENERALA if sheet == "generala" else YAHTZEE), **options}
        turns = seats * (len(self.boxes) + (10 if options["tie"] == "roll_off" else 0))
        self.keys = dice.chain(MATCH, ROOT, turns)
        contributions = {seat: bytes([seat + 1]) * 32 for seat in range(humans)}
        self.opening = dice.entropy(MATCH, contributions)
        self.order = dice.order(MATCH, self.opening, range(seats))
        self.at = START_MS
        self.events: list[dict[str, Any]] = []
        people = [{"seat": seat, "kind": "human", "player": f"p{seat}"} for seat in range(humans)]
        others = [{"seat": seat, "kind": "bot", "level": "medium"} for seat in range(humans, seats)]
        self.add("sealed", 0, **self._rules(options, clock), seats=people + others, turns=turns, anchor=self.keys[0].hex())
        commitments = {str(seat): dice.commitment(MATCH, seat, value).hex() for seat, value in contributions.items()}
        self.add("committed", 2_000, commitments=commitments)
        shown = {str(seat): value.hex() for seat, value in contributions.items()}
        self.add("opened", 2_000, contributions=shown, entropy=self.opening.hex(), order=self.order)
        self.turn, self.rolls, self.dice, self.start = 1, 0, [0] * 5, self.at
        self.totals = dict.fromkeys(range(seats), 0)

    def _rules(self, options: dict[str, object], clock: int) -> dict[str, Any]:
        rules = {"sheet": self.sheet, "preset": "standard", "options": options, "rated": False, "clock": clock}
        return {"format": "cubilete/1", "match": MATCH.hex(), "attempt": 1, **rules}

    @property
    def seat(self) -> int:
        """The seat on turn while boxes are left."""
        return self.order[(self.turn - 1) % len(self.order)]

    def add(self, kind: str, after_ms: int = 0, **fields: object) -> None:
        """Any event, so much later than the last one."""
        self.at += after_ms
        self.events.append({"type": kind, "at": self.at, **fields})

    def roll(self, *held: int, auto: bool = False, after_ms: int = 1_000, seat: int | None = None) -> None:
        """The next roll of the turn, with these positions held."""
        self.rolls += 1
        drawn = dice.draw(self.keys[self.turn], MATCH, self.opening, self.turn, self.rolls)
        self.dice = dice.after_roll(held, self.dice, drawn)
        place = {"turn": self.turn, "seat": self.seat if seat is None else seat, "roll": self.rolls}
        self.add("rolled", after_ms, **place, held=list(held), dice=self.dice, auto=auto)

    def score(
        self,
        box: str | None = None,
        points: int = 0,
        *,
        bonus: int = 0,
        auto: bool = False,
        after_ms: int = 1_000,
        seat: int | None = None,
    ) -> None:
        """The write that ends the turn; by default 0 into the box of this round. ``seat`` names who plays a roll-off."""
        who = self.seat if seat is None else seat
        box = box or self.boxes[(self.turn - 1) // len(self.order)]
        place = {"turn": self.turn, "seat": who, "box": box, "points": points, "bonus": bonus}
        self.add("scored", after_ms, **place, auto=auto, key=self.keys[self.turn].hex())
        if box != "roll_off":
            self.totals[who] += points + bonus
        self.turn, self.rolls, self.dice, self.start = self.turn + 1, 0, [0] * 5, self.at

    def play(self, turns: int, points: int = 1) -> None:
        """So many turns by hand: three rolls with something held, and a write."""
        for _ in range(turns):
            self.roll()
            self.roll(1, 3)
            self.roll(0, 1, 3)
            self.score(points=points)

    def time_out(self, lasting_ms: int | None = None) -> None:
        """A turn that the server rolled and wrote at its deadline (``lasting_ms`` after its start; by default the clock)."""
        due = self.start + (self.clock_ms if lasting_ms is None else lasting_ms)
        self.roll(auto=True, after_ms=max(0, due - self.at))
        self.score(auto=True, after_ms=0)

    def finish(self, reason: str = "full", totals: dict[int, int] | None = None, places: dict[int, int] | None = None) -> None:
        """The end, at once."""
        totals = totals or self.totals
        places = places or {seat: 1 + sum(other > total for other in totals.values()) for seat, total in totals.items()}
        at_seats = [{str(seat): value for seat, value in values.items()} for values in (totals, places)]
        self.add("finished", reason=reason, totals=at_seats[0], places=at_seats[1], root=ROOT.hex())

    def export(self) -> dict[str, Any]:
        """The match as it is exported, with the head of its events as they are now."""
        head = dice.head_of(MATCH, self.events).hex()
        return {"format": "cubilete-match/1", "match": MATCH.hex(), "events": self.events, "head": head}

    def data(self) -> bytes:
        """The export in bytes."""
        return json.dumps(self.export()).encode()

    def messages(self) -> list[dict[str, Any]]:
        """The events as they travel, numbered and with the short form of their heads."""
        found: list[dict[str, Any]] = []
        head = dice.first_head(MATCH, self.events[0])
        for n, event in enumerate(self.events):
            head = dice.next_head(head, event) if n else head
            found.append({"type": "event", "n": n, "h": head.hex()[:16], "event": event})
        return found


def whole(humans: int = 2, bots: int = 0, sheet: str = "generala", **options: Any) -> Forged:
    """A whole match by hand with nothing special in it."""
    forged = Forged(humans, bots, sheet, **options)
    forged.play(len(forged.order) * len(forged.boxes))
    forged.finish()
    return forged
