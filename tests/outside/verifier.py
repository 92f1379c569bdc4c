"""An independent check of an exported match. ``verify(bytes)`` gives the failures, none for an honest match.

It recomputes all it can from the root and the contributions; what is left to trust is what the page says cannot be known from a
transcript. Points of boxes are not checked, for that needs the sheets.
"""

from collections.abc import Sequence
from typing import Any

from tests.outside.course import Course, most_turns
from tests.outside.dice import Event, after_roll, chain, commitment, draw, entropy, head_of, order, reaches
from tests.outside.findings import Failure, Findings
from tests.outside.reading import Malformed, check_export, read
from tests.outside.timing import Timing


def verify(data: bytes) -> list[Failure]:
    """The failed checks of an export, the first place of each, in the order of events; of an unreadable one only ``format``."""
    try:
        export = read(data)
        check_export(export)
    except Malformed as error:
        return [Failure("format", error.index, error.want, error.got)]
    return Verifier(export).failures()


class Verifier:
    """One check of one well-formed export."""

    def __init__(self, export: dict[str, Any]) -> None:
        self.export = export
        self.events: Sequence[Event] = export["events"]
        self.match = bytes.fromhex(export["match"])
        self.sealed, self.committed, self.opened = self.events[:3]
        self.humans = [seat["seat"] for seat in self.sealed["seats"] if seat["kind"] == "human"]
        self.found = Findings()
        self.opening = b""
        self.keys: dict[int, bytes] = {}
        self.shown: list[int] = []
        self.checked = (0, bytes.fromhex(self.sealed["anchor"]))

    def failures(self) -> list[Failure]:
        """All checks, one after another."""
        last = len(self.events) - 1
        self.found.equal("head", self.export["head"], head_of(self.match, self.events).hex(), last)
        self.found.equal("shape", most_turns(self.sealed), self.sealed["turns"], 0)
        self._check_root(last)
        if self._check_opening():
            self._check_course()
        return self.found.list()

    def _check_root(self, last: int) -> None:
        """The root leads to the anchor, or the keys of the turns are all there is to go by."""
        keys = chain(self.match, bytes.fromhex(self.events[last]["root"]), self.sealed["turns"])
        if self.found.equal("root", self.sealed["anchor"], keys[0].hex(), last):
            self.keys = dict(enumerate(keys))
        else:
            shown = (event for event in self.events if event["type"] == "scored")
            self.keys = {event["turn"]: bytes.fromhex(event["key"]) for event in shown}

    def _check_opening(self) -> bool:
        """False when contributions are missing, so that neither order nor dice can be known."""
        humans = list(map(str, self.humans))
        has_all = self.found.equal("commitment", humans, sorted(self.committed["commitments"]), 1)
        if not self.found.equal("contribution", humans, sorted(self.opened["contributions"]), 2):
            return False
        contributions = {int(seat): bytes.fromhex(value) for seat, value in self.opened["contributions"].items()}
        if has_all:
            made = {str(seat): commitment(self.match, seat, value).hex() for seat, value in contributions.items()}
            self.found.equal("contribution", self.committed["commitments"], made, 2)
        self.opening = entropy(self.match, contributions)
        self.found.equal("entropy", self.opening.hex(), self.opened["entropy"], 2)
        self.found.equal("order", self._order(), self.opened["order"], 2)
        return True

    def _order(self) -> list[int]:
        return order(self.match, self.opening, (seat["seat"] for seat in self.sealed["seats"]))

    def _check_course(self) -> None:
        course = Course(self.sealed, self._order(), self.found)
        timing = Timing(course, self.found, self.opened)
        for index, event in enumerate(self.events):
            self.found.index = index
            timing.see(event)
            if index < 3:
                continue
            if event["type"] == "scored":
                self._check_key(event)
            course.take(event)
            timing.follow(event)
            if event["type"] == "rolled" and (event["turn"], event["seat"]) == (course.turn, course.seat):
                self._check_faces(event, course)

    def _check_key(self, event: Event) -> None:
        """A shown key leads to the last one that did, or to the anchor."""
        turn, key = event["turn"], bytes.fromhex(event["key"])
        before, earlier = self.checked
        is_in_chain = before < turn <= self.sealed["turns"] and reaches(self.match, key, turn, earlier, before)
        want = self.keys[turn].hex() if turn in self.keys else "a key that leads to the anchor"
        if self.found.true("key", is_in_chain, want, event["key"]):
            self.checked = turn, key

    def _check_faces(self, event: Event, course: Course) -> None:
        """The roll that the course has just taken shows what its key and the dice before it give."""
        key = self.keys.get(course.turn)
        if key is None or course.rolls > 3:
            return
        drawn = draw(key, self.match, self.opening, course.turn, course.rolls)
        before = self.shown if course.rolls > 1 else drawn
        self.shown = after_roll(event["held"], before, drawn)
        free = [place for place in range(5) if place not in event["held"]]
        self.found.true("faces", all(self.shown[place] == event["dice"][place] for place in free), self.shown, event["dice"])
        kept = [place for place in event["held"] if place < 5]
        self.found.true("held", all(self.shown[place] == event["dice"][place] for place in kept), self.shown, event["dice"])
