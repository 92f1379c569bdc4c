import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from server.accounts.names import clean_name
from server.errors import Refused

NASTY = st.sampled_from(
    "aZ1# \u0301\u0338\u0323\u20e3\ufe0f\ufe0e\u200d\u200b\u202e\u2066\u00ad\u034f\u3164\u2800\ufffc\u3000"
    "\u1112\u1161\u11ab\u09c7\u09be"
    "\u05e9\u05bc\ufb2c\u2764\u2194\U0001f468\U0001f3fb\U0001f1e6\U0001f3b2\U0001faff\U000e0067\ue000\u0bc6\u0bbe\u1100\uac00"
)
ANYTHING = st.text(st.one_of(NASTY, st.characters(codec=None)), max_size=60)
VISIBLE_MOSTLY = st.text(st.one_of(NASTY, st.characters(exclude_categories=["Cc", "Cs"])), min_size=1, max_size=40)


def cleaned(text: str) -> str | None:
    try:
        return clean_name(text)
    except Refused:
        return None


@given(ANYTHING)
def test_any_text_is_cleaned_or_refused(text):
    name = cleaned(text)
    if name is not None:
        assert name.encode()


@given(VISIBLE_MOSTLY)
def test_cleaning_again_changes_nothing(text):
    name = cleaned(text)
    if name is not None:
        assert clean_name(name) == name


@given(VISIBLE_MOSTLY)
def test_a_cleaned_name_hides_nothing(text):
    name = cleaned(text)
    if name is None:
        return
    assert unicodedata.is_normalized("NFC", name)
    assert name == name.strip()
    assert "  " not in name
    categories = {unicodedata.category(character) for character in name.replace("\u200d", "")}
    assert categories.isdisjoint({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
    assert not re.search("\u200d(?![\u2190-\u2bff\U0001f000-\U0001faff])|^[\u200d\ufe0f]|[\u200d\ufe0f ]\u200d\u200d", name)


@given(VISIBLE_MOSTLY)
def test_a_cleaned_name_fits_a_line(text):
    name = cleaned(text)
    if name is None:
        return
    is_mark = [unicodedata.category(character)[0] == "M" and character != "\ufe0f" for character in name]
    marks = "".join("m" if mark else "x" for mark in is_mark)
    assert "mmmmm" not in marks
    assert not marks.startswith("m")
    assert 1 <= len(name) <= 24 * 16
