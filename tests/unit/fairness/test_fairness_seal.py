"""The seal against the golden vectors, and the places where it could quietly go wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from server.fairness.seal import KeyChain, commitment, digest, entropy, key_before, key_reaches_anchor, turn_order

GOLDEN: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "golden" / "dice.json").read_text("utf-8"))
each_vector = pytest.mark.parametrize("vector", GOLDEN, ids=lambda vector: str(vector["match"])[:8])

MATCH = bytes(range(16))
ROOT = bytes(range(32))
ANCHOR = bytes.fromhex("11df37b99bded2436ee0d25a92dfeec2ad43d2cd0e9d52874367ff766f2179ea")
ENTROPY = bytes.fromhex("cc291bdf5261bcf59cf259536f6f7686a0fe4d269f2b31a6f3dbad02495d3acd")


def contributions_of(vector: dict[str, Any]) -> dict[int, bytes]:
    return {int(seat): bytes.fromhex(value) for seat, value in vector["contributions"].items()}


@each_vector
def test_the_chain_has_the_keys_and_the_anchor_of_the_vector(vector: dict[str, Any]) -> None:
    chain = KeyChain(bytes.fromhex(vector["match"]), bytes.fromhex(vector["root"]), vector["turns"])
    assert chain.turns == vector["turns"]
    assert chain.anchor.hex() == vector["anchor"]
    assert chain.root.hex() == vector["root"]
    assert {turn: chain.key(int(turn)).hex() for turn in vector["keys"]} == vector["keys"]


@each_vector
def test_commitments_entropy_and_order_are_those_of_the_vector(vector: dict[str, Any]) -> None:
    match, contributions = bytes.fromhex(vector["match"]), contributions_of(vector)
    committed = {str(seat): commitment(match, seat, value).hex() for seat, value in contributions.items()}
    assert committed == vector["commitments"]
    opened = entropy(match, contributions)
    assert opened.hex() == vector["entropy"]
    assert list(turn_order(match, opened, vector["seats"])) == vector["order"]


@each_vector
def test_every_published_key_leads_to_the_anchor(vector: dict[str, Any]) -> None:
    match, anchor = bytes.fromhex(vector["match"]), bytes.fromhex(vector["anchor"])
    for turn, key in vector["keys"].items():
        assert key_reaches_anchor(match, int(turn), bytes.fromhex(key), anchor)


def test_one_turn_of_known_bytes_gives_the_known_anchor_entropy_and_order() -> None:
    assert KeyChain(MATCH, ROOT, 1).anchor == ANCHOR
    assert entropy(MATCH, {0: b"\xaa" * 32, 1: bytes(32)}) == ENTROPY
    assert turn_order(MATCH, ENTROPY, (0, 1)) == (0, 1)


def test_entropy_does_not_depend_on_who_revealed_first() -> None:
    assert entropy(MATCH, {1: bytes(32), 0: b"\xaa" * 32}) == ENTROPY


def test_the_same_contribution_commits_differently_for_another_seat_or_match() -> None:
    kinds = {commitment(MATCH, 0, ROOT), commitment(MATCH, 1, ROOT), commitment(MATCH[::-1], 0, ROOT)}
    assert len(kinds) == 3


def test_a_key_of_another_turn_or_a_changed_key_does_not_reach_the_anchor() -> None:
    chain = KeyChain(MATCH, ROOT, 5)
    assert key_reaches_anchor(MATCH, 4, chain.key(4), chain.anchor)
    assert not key_reaches_anchor(MATCH, 3, chain.key(4), chain.anchor)
    assert not key_reaches_anchor(MATCH, 4, bytes([chain.key(4)[0] ^ 1]) + chain.key(4)[1:], chain.anchor)


def test_each_key_hashes_to_the_one_before() -> None:
    chain = KeyChain(MATCH, ROOT, 3)
    assert [key_before(MATCH, turn, chain.key(turn)) for turn in (1, 2, 3)] == [chain.anchor, chain.key(1), chain.key(2)]


@pytest.mark.parametrize("turn", [-1, 0, 4])
def test_a_turn_outside_the_match_has_no_key(turn: int) -> None:
    with pytest.raises(IndexError):
        KeyChain(MATCH, ROOT, 3).key(turn)


@pytest.mark.parametrize(("match", "root", "turns"), [(MATCH[1:], ROOT, 3), (MATCH, ROOT[1:], 3), (MATCH, ROOT, 0)])
def test_a_chain_of_wrong_lengths_is_not_made(match: bytes, root: bytes, turns: int) -> None:
    with pytest.raises(ValueError, match="turns"):
        KeyChain(match, root, turns)


def test_the_text_of_a_chain_shows_no_key() -> None:
    chain = KeyChain(MATCH, ROOT, 3)
    assert ROOT.hex() not in f"{chain!r}{chain}"
    assert repr(ROOT) not in f"{chain!r}{chain}"


def test_labels_keep_hashes_of_the_same_bytes_apart() -> None:
    assert digest("chain", MATCH) != digest("commit", MATCH)
    assert digest("chain", MATCH, ROOT) == digest("chain", MATCH + ROOT)
