"""The dice of one roll: a keyed byte stream, mapped to faces without bias.

Owns the stream, the mapping and what holding does. Does not know whose turn it is or which rolls are allowed.
"""

from collections.abc import Callable, Sequence
from hmac import digest as hmac_digest
from struct import Struct

from server.fairness.seal import PREFIX

Dice = tuple[int, int, int, int, int]
"""Five faces, 1 to 6, by position."""

_LABEL = PREFIX + b"roll\0"
_TURN_AND_ROLL = Struct(">IB").pack
_FAIR = 252
"""The greatest multiple of 6 in a byte: only bytes below it give every face the same share."""
_FACE_OF_BYTE = bytes(1 + byte % 6 for byte in range(256))
_SKIPPED = bytes(range(_FAIR, 256))


def faces_of_bytes(stream: bytes) -> bytes:
    """The faces that the bytes of ``stream`` stand for, one byte a face, in order; bytes from 252 on stand for none."""
    return stream.translate(_FACE_OF_BYTE, _SKIPPED)


def five_faces(block: Callable[[int], bytes]) -> Dice:
    """The first five faces of the stream made of ``block(0)``, ``block(1)``, ...; a further block is asked for only at need."""
    found = faces_of_bytes(block(0))
    number = 0
    while len(found) < 5:
        number += 1
        found += faces_of_bytes(block(number))
    first, second, third, fourth, fifth = found[:5]
    return first, second, third, fourth, fifth


def faces(key: bytes, match: bytes, entropy: bytes, turn: int, roll: int) -> Dice:
    """A face for every position in roll ``roll`` (1 to 3) of ``turn``, as if nothing were held; ``key`` is that turn's."""
    message = _LABEL + match + entropy + _TURN_AND_ROLL(turn, roll)
    return five_faces(lambda number: hmac_digest(key, message + bytes((number,)), "sha256"))


def keep(held: Sequence[int], old: Sequence[int], new: Sequence[int]) -> tuple[int, ...]:
    """The dice after a roll: the ``held`` positions keep their ``old`` face, the others take the ``new`` one."""
    dice = list(new)
    for position in held:
        dice[position] = old[position]
    return tuple(dice)
