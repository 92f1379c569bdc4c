"""The chain of heads over a match's events: equal heads mean equal histories.

Owns the hashing only. The canonical bytes of an event are made where events are defined.
"""

from hashlib import sha256

from server.fairness.seal import PREFIX, digest

_LOG = PREFIX + b"log\0"
SHORT_DIGITS = 16
"""How much of a head travels with each event: enough to notice that two sides drifted apart, not to prove anything."""


def first_head(match: bytes, canonical: bytes) -> bytes:
    """``h_0``, 32 bytes, over the canonical form of the first event."""
    return digest("log", match, canonical)


def next_head(head: bytes, canonical: bytes) -> bytes:
    """The head after one more event, 32 bytes."""
    return sha256(_LOG + head + canonical).digest()


def short(head: bytes) -> str:
    """The hex digits of a head that are sent with its event."""
    return head.hex()[:SHORT_DIGITS]
