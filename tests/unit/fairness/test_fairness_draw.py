"""Faces against the golden vectors, the mapping at its edges, and whether six faces are equally likely."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from server.fairness.draw import faces, faces_of_bytes, five_faces, keep

GOLDEN: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "golden" / "dice.json").read_text("utf-8"))
MATCH = bytes(range(16))
ROOT = bytes(range(32))
ENTROPY = bytes.fromhex("cc291bdf5261bcf59cf259536f6f7686a0fe4d269f2b31a6f3dbad02495d3acd")


class Blocks:
    """A stream handed out in given blocks, which remembers how many were asked for."""

    def __init__(self, *blocks: bytes) -> None:
        self.blocks = blocks
        self.asked: list[int] = []

    def __call__(self, number: int) -> bytes:
        self.asked.append(number)
        return self.blocks[number]


@pytest.mark.parametrize("vector", GOLDEN, ids=lambda vector: str(vector["match"])[:8])
def test_rolls_have_the_faces_of_the_vector(vector: dict[str, Any]) -> None:
    match, entropy = bytes.fromhex(vector["match"]), bytes.fromhex(vector["entropy"])
    for turn, roll, expected in vector["rolls"]:
        key = bytes.fromhex(vector["keys"][str(turn)])
        assert "".join(map(str, faces(key, match, entropy, turn, roll))) == expected


def test_the_three_rolls_of_known_bytes_are_the_known_ones() -> None:
    rolls = [faces(ROOT, MATCH, ENTROPY, 1, roll) for roll in (1, 2, 3)]
    assert rolls == [(5, 6, 4, 3, 6), (3, 5, 5, 1, 1), (6, 5, 1, 1, 2)]


def test_bytes_from_252_on_stand_for_no_face_and_the_tenth_byte_is_not_used() -> None:
    stream = bytes([251, 252, 253, 254, 255, 0, 5, 6, 7])
    assert five_faces(Blocks(stream + b"\x0b")) == (6, 1, 6, 1, 2)
    assert five_faces(Blocks(stream + b"\x00")) == (6, 1, 6, 1, 2)


def test_every_face_has_the_same_share_of_the_bytes() -> None:
    assert Counter(faces_of_bytes(bytes(range(256)))) == dict.fromkeys(range(1, 7), 42)


def test_a_block_that_holds_five_faces_is_the_only_one_asked_for() -> None:
    blocks = Blocks(bytes([0, 1, 2, 3, 4]), bytes(32))
    assert five_faces(blocks) == (1, 2, 3, 4, 5)
    assert blocks.asked == [0]


def test_a_block_with_too_few_faces_is_continued_by_the_next_ones() -> None:
    blocks = Blocks(bytes([255] * 30 + [4, 3]), b"\xff" * 32, bytes([2, 254, 1, 0, 5]))
    assert five_faces(blocks) == (5, 4, 3, 2, 1)
    assert blocks.asked == [0, 1, 2]


def test_a_million_dice_of_fixed_keys_show_six_equal_faces() -> None:
    seen: Counter[int] = Counter()
    for turn in range(200_000):
        seen.update(faces(ROOT, MATCH, ENTROPY, turn, 1))
    expected = seen.total() / 6
    assert seen.total() == 1_000_000
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < 20.5


def test_held_positions_keep_their_faces_and_the_others_take_the_new_ones() -> None:
    assert keep((1, 4), (6, 5, 4, 3, 2), (1, 1, 1, 1, 1)) == (1, 5, 1, 1, 2)


def test_a_first_roll_holds_nothing_and_needs_no_earlier_dice() -> None:
    assert keep((), (), (3, 1, 4, 1, 5)) == (3, 1, 4, 1, 5)


def test_holding_never_changes_what_the_other_dice_show() -> None:
    drawn = faces(ROOT, MATCH, ENTROPY, 1, 2)
    for held in ((), (0,), (2, 3), (0, 1, 2, 3)):
        dice = keep(held, (6, 6, 6, 6, 6), drawn)
        assert all(dice[place] == drawn[place] for place in range(5) if place not in held)
