"""What all tables of a worker share: the ports, what the service offers, and the worker's own pulse."""

from dataclasses import dataclass, field

from server.match.moment import Fresh, Policy
from server.match.world import OUTAGE_MS, Pace
from server.tables.ports import Advisor, Clock, Directory, Entropy, TableLog

NOTE_MARK_BYTES = 8


@dataclass(slots=True)
class Means:
    """Ports and house rules. ``beat_at_ms`` is the worker's newest beat; a stopped worker decides nothing more."""

    log: TableLog
    clock: Clock
    entropy: Entropy
    directory: Directory
    advisor: Advisor
    policy: Policy
    pace: Pace
    beat_at_ms: int = 0
    is_stopped: bool = False
    mark: bytes = field(default=b"")

    def __post_init__(self) -> None:
        self.mark = self.entropy.nonce().encode()[:NOTE_MARK_BYTES].ljust(NOTE_MARK_BYTES, b"-")

    def fresh(self) -> Fresh:
        """New secrets for one decision."""
        return Fresh(self.entropy.match_id(), self.entropy.root(), self.entropy.code())

    def is_stale(self) -> bool:
        """Whether an outage may have passed unnoticed."""
        return self.clock.now_ms() - self.beat_at_ms > OUTAGE_MS
