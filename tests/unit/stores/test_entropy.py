"""Values from the operating system."""

import re

from server.match.codes import CODE_LETTERS
from server.stores.entropy import SystemEntropy


def test_a_match_id_is_16_bytes_in_hex() -> None:
    assert re.fullmatch("[0-9a-f]{32}", SystemEntropy().match_id())


def test_a_root_is_32_bytes() -> None:
    assert len(SystemEntropy().root()) == 32


def test_a_code_is_6_characters_of_which_none_looks_like_another() -> None:
    assert len(set(CODE_LETTERS)) == len(CODE_LETTERS) == 30
    assert not set("01ILOU") & set(CODE_LETTERS)
    codes = [SystemEntropy().code() for _ in range(500)]
    assert all(len(code) == 6 for code in codes)
    # Each of 30 characters is missing from 3,000 draws less than once in 10^42 runs.
    assert set("".join(codes)) == set(CODE_LETTERS)


def test_nothing_comes_twice() -> None:
    ones = [SystemEntropy(), SystemEntropy()]
    for draw in ("match_id", "root", "nonce"):
        drawn = [getattr(one, draw)() for one in ones for _ in range(200)]
        assert len(set(drawn)) == 400
