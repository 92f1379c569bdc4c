"""Heads: spelled out once by hand with SHA-256 alone, and sensitive to every event and its place."""

from hashlib import sha256

from server.fairness.transcript import first_head, next_head, short

MATCH = bytes(range(16))


def test_heads_are_the_hashes_that_the_page_spells_out() -> None:
    first = sha256(b"cubilete/1/log\x00" + MATCH + b'{"type":"sealed"}').digest()
    second = sha256(b"cubilete/1/log\x00" + first + b'{"type":"committed"}').digest()
    assert first_head(MATCH, b'{"type":"sealed"}') == first
    assert next_head(first, b'{"type":"committed"}') == second


def test_two_orders_of_the_same_events_have_different_heads() -> None:
    assert next_head(first_head(MATCH, b"{}"), b"[]") != next_head(first_head(MATCH, b"[]"), b"{}")


def test_the_short_form_is_the_first_sixteen_hex_digits() -> None:
    head = first_head(MATCH, b"{}")
    assert short(head) == head.hex()[:16]
    assert len(short(head)) == 16
