"""What a check found: for each code only the first place, with what should be there and what is."""

from typing import NamedTuple


class Failure(NamedTuple):
    """A check that failed: its code, the first event concerned (-1: the whole), what was wanted and what was there."""

    code: str
    event: int
    want: object
    got: object


class Findings:
    """Collects failures while a transcript is read; ``index`` is the event being looked at."""

    def __init__(self) -> None:
        self.index = -1
        self._first: dict[str, Failure] = {}

    def equal(self, code: str, want: object, got: object, index: int | None = None) -> bool:
        """Note a failure of ``code`` unless the two are equal; tell whether they are."""
        return self.true(code, want == got, want, got, index)

    def true(self, code: str, holds: bool, want: object, got: object, index: int | None = None) -> bool:
        """Note a failure of ``code`` unless ``holds``; tell whether it does."""
        if not holds:
            place = self.index if index is None else index
            self._first.setdefault(code, Failure(code, place, want, got))
        return holds

    def list(self) -> list[Failure]:
        """The first failure of each code, in the order of their events."""
        return sorted(self._first.values(), key=lambda failure: failure.event)
