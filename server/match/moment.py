"""What a decision is given besides the state and the command: the time, the world, the house policy, secrets it may use."""

from typing import NamedTuple

from server.fairness.seal import KeyChain
from server.match.events import Code, MatchId
from server.match.world import World


class Policy(NamedTuple):
    """What this service offers: clocks in seconds, and levels of bots."""

    clocks: tuple[int, ...]
    levels: tuple[str, ...]


class Fresh(NamedTuple):
    """What a decision may need that nobody can guess: a match id never used before, a root of 32 bytes, a table code."""

    match: MatchId
    root: bytes
    code: Code


class Moment(NamedTuple):
    """``at_ms`` is the stamp of the command or wake.

    ``keys`` are those of the running match; ``fresh`` is there where new secrets begin.
    """

    at_ms: int
    world: World
    policy: Policy
    keys: KeyChain | None = None
    fresh: Fresh | None = None

    @property
    def secret(self) -> KeyChain:
        """The keys, where a match is under way and has them."""
        assert self.keys is not None
        return self.keys
