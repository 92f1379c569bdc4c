"""Table codes as people type them (H069)."""

import pytest

from server.match.codes import CODE_LENGTH, CODE_LETTERS, read_code


def test_a_code_is_six_characters_none_of_which_looks_like_another():
    assert CODE_LENGTH == 6
    assert not set("01OILU") & set(CODE_LETTERS)
    assert len(set(CODE_LETTERS)) == len(CODE_LETTERS) == 30


@pytest.mark.parametrize("typed", ["ABC234", "abc234", "abc 234", " Abc-234 ", "a b c 2 3 4"])
def test_case_blanks_and_hyphens_do_not_matter(typed):
    assert read_code(typed) == "ABC234"


@pytest.mark.parametrize("typed", ["", "ABC23", "ABC2345", "ABC230", "ABCO23", "ABC23I", "ABC23!", "ábc234", "ABC\u200b234"])
def test_what_no_table_can_have_is_no_code(typed):
    assert read_code(typed) is None
