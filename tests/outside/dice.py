"""Sealed dice and transcript heads, straight from the dice page: hashes, chain, opening, faces, canonical form.

Deliberately slow and literal, so that it can be read next to the page; nothing here is shared with the server.
"""

import hashlib
import hmac
import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Event = Mapping[str, Any]
HEX = frozenset("0123456789abcdef")


def hashed(label: str, *parts: bytes) -> bytes:
    """H of the page: SHA-256 over the protocol's name, a label, a zero byte and the parts."""
    return hashlib.sha256(b"cubilete/1/" + label.encode() + b"\x00" + b"".join(parts)).digest()


def u8(value: int) -> bytes:
    """One byte."""
    return struct.pack("!B", value)


def u32(value: int) -> bytes:
    """Four bytes, big-endian."""
    return struct.pack("!I", value)


def is_hex(text: object, digits: int) -> bool:
    """Whether ``text`` is a string of exactly so many lower-case hex digits."""
    return isinstance(text, str) and len(text) == digits and HEX.issuperset(text)


def link(match: bytes, turn: int, key: bytes) -> bytes:
    """What the key of ``turn`` hashes to: the key of the turn before, or the anchor."""
    return hashed("chain", match, u32(turn), key)


def chain(match: bytes, root: bytes, turns: int) -> list[bytes]:
    """K_0 (the anchor) to K_turns (the root)."""
    keys = [root]
    for turn in range(turns, 0, -1):
        keys.insert(0, link(match, turn, keys[0]))
    return keys


def reaches(match: bytes, key: bytes, turn: int, earlier: bytes, earlier_turn: int = 0) -> bool:
    """Whether the key of ``turn`` hashes down to ``earlier``, the key of ``earlier_turn`` (0: the anchor)."""
    while turn > earlier_turn:
        key, turn = link(match, turn, key), turn - 1
    return key == earlier


def commitment(match: bytes, seat: int, contribution: bytes) -> bytes:
    """C_i."""
    return hashed("commit", match, u8(seat), contribution)


def entropy(match: bytes, contributions: Mapping[int, bytes]) -> bytes:
    """E, over the human seats in ascending order."""
    return hashed("entropy", match, b"".join(u8(seat) + contributions[seat] for seat in sorted(contributions)))


def order(match: bytes, opening: bytes, seats: Iterable[int]) -> list[int]:
    """The seats as they take their turns."""
    return sorted(seats, key=lambda seat: hashed("order", match, opening, u8(seat)))


def draw(key: bytes, match: bytes, opening: bytes, turn: int, roll: int) -> list[int]:
    """One face for each of the five positions, whatever is held."""
    found: list[int] = []
    for block in range(256):
        message = b"cubilete/1/roll" + b"\x00" + match + opening + u32(turn) + u8(roll) + u8(block)
        for byte in hmac.new(key, message, hashlib.sha256).digest():
            if byte < 252:
                found.append(1 + byte % 6)
            if len(found) == 5:
                return found
    raise AssertionError("a stream without five faces")


def after_roll(held: Sequence[int], before: Sequence[int], drawn: Sequence[int]) -> list[int]:
    """The five dice once the held positions kept their face."""
    return [before[place] if place in held else drawn[place] for place in range(5)]


def canonical(value: object) -> bytes:
    """RFC 8785, for what an event may hold: objects, arrays, strings, booleans, integers."""
    return _text(value).encode("utf-8")


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        keys = sorted(value, key=lambda key: str(key).encode("utf-16-be"))
        return "{" + ",".join(f"{_text(key)}:{_text(value[key])}" for key in keys) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_text, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    raise TypeError(f"no event holds {value!r}")


def first_head(match: bytes, event: Event) -> bytes:
    """h_0."""
    return hashed("log", match, canonical(event))


def next_head(head: bytes, event: Event) -> bytes:
    """h_k from h_(k-1)."""
    return hashed("log", head, canonical(event))


def head_of(match: bytes, events: Sequence[Event]) -> bytes:
    """The head after all of ``events`` (at least one)."""
    head = first_head(match, events[0])
    for event in events[1:]:
        head = next_head(head, event)
    return head
