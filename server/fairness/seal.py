"""The seal: a chain of turn keys that ends in a public anchor, and the opening that the human seats mix in.

Owns the hash ``H`` and everything derived with it before the first roll. Does not draw secrets and does not decide when one may
be shown. The theory: each key is the hash of the next turn's key, so publishing the anchor fixes all keys, and publishing a
turn's key tells nothing about a later turn. The dice also hang on the seats' contributions, each fixed by its commitment before
any is shown, so neither side alone can choose them.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256

PREFIX = b"cubilete/1/"
"""Starts everything that is hashed or keyed, so that no other use of SHA-256 can collide with it."""
KEY_BYTES = 32
MATCH_BYTES = 16


def digest(label: str, *parts: bytes) -> bytes:
    """``H(label, parts...)``: 32 bytes. ``label`` is ASCII; parts are joined as they are, so each use fixes their lengths."""
    return sha256(b"".join((PREFIX, label.encode("ascii"), b"\0", *parts))).digest()


def key_before(match: bytes, turn: int, key: bytes) -> bytes:
    """The key of ``turn - 1`` (the anchor before turn 1) that the key of ``turn`` hashes to."""
    return digest("chain", match, turn.to_bytes(4, "big"), key)


class KeyChain:
    """The keys of a whole match, secret but for the anchor; they take 32 bytes a turn. Never shown by ``repr``."""

    __slots__ = ("_keys",)

    def __init__(self, match: bytes, root: bytes, turns: int) -> None:
        """Derive all keys from ``root``, the key of turn ``turns`` (>= 1). Raises ValueError for lengths that no match has."""
        if len(match) != MATCH_BYTES or len(root) != KEY_BYTES or turns < 1:
            raise ValueError(f"a match id of {len(match)} bytes, a root of {len(root)} bytes, {turns} turns")
        keys = [root]
        for turn in range(turns, 0, -1):
            keys.append(key_before(match, turn, keys[-1]))
        self._keys = b"".join(reversed(keys))

    @property
    def turns(self) -> int:
        """The number of turns that have a key."""
        return len(self._keys) // KEY_BYTES - 1

    @property
    def anchor(self) -> bytes:
        """``K_0``, the public end of the chain."""
        return self._keys[:KEY_BYTES]

    @property
    def root(self) -> bytes:
        """``K_T``, from which all other keys follow."""
        return self._keys[-KEY_BYTES:]

    def key(self, turn: int) -> bytes:
        """``K_turn``, 1 <= turn <= turns. Anything else raises IndexError: with an empty key anyone could compute the dice."""
        if not 1 <= turn <= self.turns:
            raise IndexError(f"turn {turn} of {self.turns}")
        return self._keys[turn * KEY_BYTES : (turn + 1) * KEY_BYTES]


def commitment(match: bytes, seat: int, contribution: bytes) -> bytes:
    """Fixes a seat's contribution before it is shown. The seat is hashed too, so a copied commitment cannot be revealed."""
    return digest("commit", match, bytes((seat,)), contribution)


def entropy(match: bytes, contributions: Mapping[int, bytes]) -> bytes:
    """``E``: the contributions of all human seats together, in whatever order they are given."""
    return digest("entropy", match, *(bytes((seat,)) + contributions[seat] for seat in sorted(contributions)))


def turn_order(match: bytes, entropy: bytes, seats: Iterable[int]) -> tuple[int, ...]:
    """All seats, bots too, in the order in which they take their turns."""
    return tuple(sorted(seats, key=lambda seat: digest("order", match, entropy, bytes((seat,)))))


def key_reaches_anchor(match: bytes, turn: int, key: bytes, anchor: bytes) -> bool:
    """Whether ``key`` is the key of ``turn`` (>= 1) in the chain that ends in ``anchor``; costs one hash a turn."""
    for number in range(turn, 0, -1):
        key = key_before(match, number, key)
    return key == anchor
