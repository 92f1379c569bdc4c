"""The course of a match, as its events tell it: whose turn, which rolls, which boxes, who left, who won.

Checks ``shape``, ``held``, ``bonus``, ``score`` (roll-offs only), ``auto`` (who may move automatically), ``total``, ``places``.
Points of a box are taken as given: this reader knows no sheet but for what bonuses add up from.
"""

from collections.abc import Sequence
from itertools import groupby

from tests.outside.dice import Event
from tests.outside.findings import Findings

UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
UPPER_BONUS = {"yahtzee": 35, "yahtzee3": 35, "triple": 35, "yatzy": 50}
UPPER_AIM = 63
FACTOR = {"x1": 1, "x2": 2, "x3": 3}
TURNS_A_SEAT = {"generala": 11, "yahtzee": 13, "yatzy": 15, "yacht": 12, "yahtzee3": 39, "triple": 39}
ROLL_OFF = "roll_off"
MOST_ROUNDS = 10


def turns_a_seat(sealed: Event) -> int:
    """How many boxes each seat fills."""
    return TURNS_A_SEAT[sealed["sheet"]] - (sealed["options"].get("doble") == "off")


def most_turns(sealed: Event) -> int:
    """T of the dice page: boxes of all seats, and ten roll-offs a seat where the table plays them."""
    rounds = MOST_ROUNDS if sealed["options"]["tie"] == ROLL_OFF else 0
    return len(sealed["seats"]) * (turns_a_seat(sealed) + rounds)


class Course:
    """Where a match stands after the events taken so far. ``order`` is the recomputed one."""

    def __init__(self, sealed: Event, order: Sequence[int], found: Findings) -> None:
        self.sealed, self.order, self.found = sealed, list(order), found
        self.humans = {seat["seat"] for seat in sealed["seats"] if seat["kind"] == "human"}
        self.sheets: dict[int, dict[str, int]] = {seat: {} for seat in order}
        self.totals = dict.fromkeys(order, 0)
        self.rounds: dict[int, tuple[int, ...]] = dict.fromkeys(order, ())
        self.left: list[int] = []
        self.recent: dict[int, list[bool]] = {seat: [] for seat in order}
        self.queue: list[int] = []
        self.contenders: list[int] = []
        self.turn, self.seat, self.has_outage, self.was_dropped = 0, self.order[0], False, False
        self.rolls, self.dice, self.auto_roll = 0, [0] * 5, False
        self.ending: str | None = None
        self.winner: int | None = None
        self._next_turn()

    @property
    def is_roll_off(self) -> bool:
        """Whether the boxes are full and those level at the top play on."""
        return bool(self.contenders)

    def is_away(self, seat: int) -> bool:
        """Whether the seat's last two writes since it last came back were automatic."""
        return seat in self.humans and self.recent[seat][-2:] == [True, True]

    def is_out(self, seat: int) -> bool:
        """Whether a seat is played for: away or resigned."""
        return seat in self.left or self.is_away(seat)

    def is_played_out(self) -> bool:
        """Whether no human plays any more."""
        return all(map(self.is_out, self.humans))

    def take(self, event: Event) -> None:
        """Check the event against what may come next, then go on from it as far as it makes sense."""
        if self.ending and event["type"] != "finished":
            self.found.equal("shape", "finished", event["type"])
        getattr(self, f"_take_{event['type']}")(event)

    def _is_on_turn(self, event: Event) -> bool:
        if self.was_dropped and event["turn"] == self.turn + 1:
            self.turn, self.was_dropped = self.turn + 1, False
        return self.found.equal("shape", (self.turn, self.seat), (event["turn"], event["seat"]))

    def _moves_itself(self, event: Event) -> None:
        """An automatic move is a human seat's; one that is away or has resigned makes no other."""
        if event["seat"] not in self.humans:
            self.found.equal("auto", False, event["auto"])
        elif self.is_out(event["seat"]):
            self.found.equal("auto", True, event["auto"])

    def _take_rolled(self, event: Event) -> None:
        if not self._is_on_turn(event):
            return
        held = event["held"]
        self.found.equal("shape", (self.rolls + 1, True), (event["roll"], event["roll"] <= 3))
        self._moves_itself(event)
        if event["auto"]:
            self.found.equal("shape", 1, event["roll"])
        proper = held == sorted(set(held)) and all(place < 5 for place in held) and len(held) < (5 if self.rolls else 1)
        self.found.true("held", proper, "positions that can be held", held)
        self.rolls += 1
        self.auto_roll = event["auto"]
        self.dice = event["dice"]
        if self._wins_served(event):
            self.ending, self.winner = "served_generala", event["seat"]

    def _wins_served(self, event: Event) -> bool:
        wins = self.sealed["options"].get("served_generala") == "wins" and not self.is_roll_off
        return wins and event["roll"] == 1 and len(set(self.dice)) == 1 and event["seat"] not in self.left

    def _take_scored(self, event: Event) -> None:
        if not self._is_on_turn(event):
            return
        seat, box = self.seat, event["box"]
        self.found.true("shape", 1 <= self.rolls <= 3, "one to three rolls before a write", self.rolls)
        self._moves_itself(event)
        if self.auto_roll:
            self.found.equal("auto", True, event["auto"])
        if not self.has_outage:
            self.recent[seat].append(event["auto"])
        if self.is_roll_off:
            self._write_roll_off(event)
        else:
            self.found.true("shape", box not in self.sheets[seat] and box != ROLL_OFF, "an open box", box)
            self.found.equal("bonus", self._bonus(event), event["bonus"])
            self.sheets[seat][box] = event["points"]
            self.totals[seat] += (event["points"] + event["bonus"]) * FACTOR.get(box.partition(":")[0], 1)
        self._next_turn()

    def _write_roll_off(self, event: Event) -> None:
        self.found.equal("shape", ROLL_OFF, event["box"])
        self.found.equal("score", sum(self.dice), event["points"])
        self.found.equal("bonus", 0, event["bonus"])
        self.rounds[self.seat] += (sum(self.dice),)

    def _bonus(self, event: Event) -> int:
        """What this write adds beside its box: the upper bonus when it is reached, and the extra Yahtzee."""
        column, colon, name = event["box"].rpartition(":")
        before = self.sheets[self.seat]
        upper = sum(before.get(column + colon + box, 0) for box in UPPER)
        bonus = 0
        if name in UPPER and upper < UPPER_AIM <= upper + event["points"]:
            bonus += UPPER_BONUS.get(self.sealed["sheet"], 0)
        if len(set(self.dice)) == 1 and before.get(column + colon + "yahtzee") == 50:
            bonus += self.sealed["options"].get("extra_yahtzee", 0)
        return bonus

    def _take_back(self, event: Event) -> None:
        seat = event["seat"]
        if self.found.true("shape", seat in self.humans and seat not in self.left, "a human seat that stayed", seat):
            self.found.true("shape", self.is_away(seat), f"seat {seat} away before it is back", self.recent[seat])
            self.recent[seat] = []

    def _take_left(self, event: Event) -> None:
        seat = event["seat"]
        if not self.found.true("shape", seat in self.humans and seat not in self.left, "a human seat that stayed", seat):
            return
        self.left.append(seat)
        if len(self.left) >= len(self.order) - 1:
            self.ending = "resigned"
        elif self.is_roll_off and seat == self.seat:
            self.was_dropped = self.rolls > 0
            self._next_turn(same_number=True)
        elif self.is_roll_off and len(self._staying(self.contenders)) == 1:
            self.ending = "full"

    def _take_clock(self, event: Event) -> None:
        if self._is_on_turn(event):
            is_right = self.seat in self.humans and self.seat not in self.left
            self.found.true("shape", is_right, "time given back to a human seat that stayed", self.seat)
            self.has_outage = True

    def _take_finished(self, event: Event) -> None:
        if event["reason"] != "void":
            self.found.equal("shape", self.ending, event["reason"])
        self.found.equal("total", {str(seat): total for seat, total in self.totals.items()}, event["totals"])
        self.found.equal("places", {str(seat): place for seat, place in self.places().items()}, event["places"])

    def _next_turn(self, same_number: bool = False) -> None:
        """On to the turn after this one, or to the end when there is none."""
        self.rolls, self.dice, self.auto_roll, self.has_outage = 0, [0] * 5, False, False
        self.turn += not same_number
        if self.turn <= len(self.order) * turns_a_seat(self.sealed):
            self.seat = self.order[(self.turn - 1) % len(self.order)]
            return
        if not self._staying(self.queue):
            self._next_round()
        self.queue = self._staying(self.queue)
        if self.queue and len(self._staying(self.contenders)) > 1:
            self.seat = self.queue.pop(0)
        else:
            self.ending = self.ending or "full"

    def _next_round(self) -> None:
        """Who plays the next round of the roll-off: those level at the top so far, if they are several."""
        among = self._staying(self.contenders or self.order)
        played = max(map(len, self.rounds.values()))
        best = max((self._rank(seat) for seat in among), default=None)
        top = [seat for seat in among if self._rank(seat) == best]
        is_played = self.sealed["options"]["tie"] == ROLL_OFF and len(top) > 1 and played < MOST_ROUNDS
        self.contenders = top if is_played else []
        self.queue = list(self.contenders)

    def _staying(self, seats: Sequence[int]) -> list[int]:
        return [seat for seat in seats if seat not in self.left]

    def _rank(self, seat: int) -> tuple[int, ...]:
        """What puts one seat ahead of another: served win, staying (or leaving later), total, then round by round."""
        if seat in self.left:
            return (0, 0, self.left.index(seat))
        return (int(seat == self.winner), 1, self.totals[seat], *self.rounds[seat])

    def places(self) -> dict[int, int]:
        """1 + the number of seats ahead, by seat."""
        places: dict[int, int] = {}
        ranked = sorted(self.order, key=self._rank, reverse=True)
        for _, level in groupby(ranked, key=self._rank):
            place = 1 + len(places)
            places |= dict.fromkeys(level, place)
        return places
