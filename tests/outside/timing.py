"""The clock of a match: when each turn is due, and whether automatic and own moves keep to it. Checks ``clock``.

A deadline is kept as a pair, the earliest and the latest reading of the page; the two differ only when an away seat comes back
in a turn that an outage had lengthened.
"""

from tests.outside.course import Course
from tests.outside.dice import Event
from tests.outside.findings import Findings

TOLERANCE_MS = 1_000
AWAY_MS = 3_000
RESIGNED_MS = 1_000
AFTER_OUTAGE_MS = 10_000

Due = tuple[int, int] | None


class Timing:
    """Deadlines along a course. ``see`` judges an event before the course takes it, ``follow`` goes on from it afterwards."""

    def __init__(self, course: Course, found: Findings, opened: Event) -> None:
        self.course, self.found = course, found
        self.clock_ms: int = course.sealed["clock"] * 1000
        self.last_at: int = course.sealed["at"]
        self.start = opened["at"]
        self.played_out_from: int | None = None
        self.turn, self.seat = course.turn, course.seat
        self.given_back_ms = 0
        self.due = self._due_at_start()

    def see(self, event: Event) -> None:
        """Times never decrease; a move is on the right side of its deadline; time given back is as much as the outage took."""
        self.found.true("clock", event["at"] >= self.last_at, f"at least {self.last_at}", event["at"])
        self.last_at = event["at"]
        if event["type"] in ("rolled", "scored") and self.course.seat in self.course.humans:
            self._see_move(event)
        if event["type"] == "clock":
            self._see_outage(event)

    def _see_move(self, event: Event) -> None:
        if self.due is None:
            return
        if event["auto"]:
            least = self.due[0] - TOLERANCE_MS
            self.found.true("clock", event["at"] >= least, f"automatic at {least} or later", event["at"])
        else:
            most = self.due[1] + TOLERANCE_MS
            self.found.true("clock", event["at"] <= most, f"by hand at {most} or before", event["at"])

    def _see_outage(self, event: Event) -> None:
        is_real = max(event["from"], self.start) < event["to"] <= event["at"]
        self.found.true("clock", is_real, "an outage across a part of this turn, over by now", (event["from"], event["to"]))
        if self.found.true("clock", self.due is not None, "no time given back to a turn without a deadline", event["deadline"]):
            wanted = self._extended(event)
            self.found.true("clock", event["deadline"] in wanted, wanted, event["deadline"])

    def _extended(self, event: Event) -> tuple[int, int]:
        least, most = self.due or (0, 0)
        lost_ms = event["to"] - max(event["from"], self.start)
        soonest = event["to"] + AFTER_OUTAGE_MS
        return max(least + lost_ms, soonest), max(most + lost_ms, soonest)

    def follow(self, event: Event) -> None:
        """Set the deadline that holds after the event, which the course has taken."""
        course, kind = self.course, event["type"]
        is_first = course.is_played_out() and self.played_out_from is None
        self.played_out_from = (event["at"] if is_first else self.played_out_from) if course.is_played_out() else None
        if (course.turn, course.seat) != (self.turn, self.seat):
            self.turn, self.seat, self.start = course.turn, course.seat, event["at"]
            self.due = self._due_at_start()
        elif kind == "left" and is_first:
            self.due = (event["at"], event["at"])
        elif kind == "left" and event["seat"] == self.seat:
            soon = event["at"] + RESIGNED_MS
            self.due = (min(self.due[0], soon), min(self.due[1], soon)) if self.due else (soon, soon)
        elif kind == "back" and event["seat"] == self.seat:
            self._come_back()
        elif kind == "clock" and self.due:
            self.given_back_ms += max(0, event["to"] - max(event["from"], self.start))
            self.due = (event["deadline"], event["deadline"])

    def _come_back(self) -> None:
        whole = self.start + self.clock_ms
        if not self.clock_ms:
            self.due = None
        elif self.course.has_outage and self.due:
            self.due = (min(whole, self.due[0]), max(whole, self.due[1]))
        else:
            self.due = (whole, whole)

    def _due_at_start(self) -> Due:
        """The deadline of a turn that starts now; None for none."""
        seat = self.course.seat
        if self.played_out_from is not None:
            due = self.played_out_from
        elif seat in self.course.left:
            due = self.start + RESIGNED_MS
        elif self.course.is_away(seat):
            due = self.start + min(AWAY_MS, self.clock_ms or AWAY_MS)
        elif self.clock_ms:
            due = self.start + self.clock_ms
        else:
            return None
        return due, due
