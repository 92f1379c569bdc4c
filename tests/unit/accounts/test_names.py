import hashlib
import unicodedata

import pytest

from server.accounts.names import ANIMALS, STARS, clean_name, generated_name, tag
from server.errors import Refused
from server.match.events import PlayerId

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
COUPLE = "\U0001f468\U0001f3fb\u200d\u2764\ufe0f\u200d\U0001f48b\u200d\U0001f468\U0001f3ff"
HEAD_SHAKE = "\U0001f642\u200d\u2194\ufe0f"
THUMB = "\U0001f44d\U0001f3fe"
KEYCAP = "1\ufe0f\u20e3"
FLAG = "\U0001f1e6\U0001f1f7"


def refusal(name: str) -> Refused:
    with pytest.raises(Refused) as caught:
        clean_name(name)
    return caught.value


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("  Ana ", "Ana"),
        ("Ana\u3000\u2003Luz", "Ana Luz"),
        ("Ana\u2028Luz\u2029", "Ana Luz"),
        ("\u2800Ana\u2800", "Ana"),
        ("A\u200bna", "Ana"),
        ("Ana\u2060", "Ana"),
        ("Ana\u00ad", "Ana"),
        ("Ana\u202e", "Ana"),
        ("\u2066Ana\u2069", "Ana"),
        ("A\u3164na\u034f\ufffc", "Ana"),
        ("A\ue000n\U000e0041a\ufdd0", "Ana"),
        ("A\u200dn\ufe0fa\ufe0e", "Ana"),
        ("a \u200d b", "a b"),
    ],
)
def test_blanks_are_collapsed_and_what_is_invisible_goes(given, kept):
    assert clean_name(given) == kept


@pytest.mark.parametrize(
    "name",
    [
        "\uff21\uff4e\uff41",
        "=1+1",
        '=HYPERLINK("http://x")',
        "<img src=x onerror=a()>",
        "{{7*7}}",
        "Íñigo",
        "שָׁלוֹם",
        "ヤーツィー",
        "نور",
    ],
)
def test_text_stays_as_typed(name):
    assert clean_name(name) == unicodedata.normalize("NFC", name)


def test_a_letter_and_its_accent_become_one():
    assert clean_name("I\u0301n\u0303igo") == "Íñigo"


def test_a_letter_and_its_accent_become_one_across_what_is_invisible():
    assert clean_name("I\u200b\u034f\u0301\u00adn\ue000\u0303igo") == "Íñigo"


def test_syllables_that_compose_once_a_joiner_is_gone_compose():
    assert clean_name("\u1112\u200d\u1161\u200d\u11ab") == "한"


@pytest.mark.parametrize("emoji", ["\U0001f3b2", FAMILY, COUPLE, HEAD_SHAKE, THUMB, KEYCAP, FLAG, "\u2764\ufe0f"])
def test_a_whole_emoji_is_kept_and_is_one_character(emoji):
    assert clean_name(f"Ana {emoji}") == f"Ana {emoji}"
    assert clean_name(emoji * 24) == emoji * 24
    assert refusal(emoji * 25).code == "invalid"


def test_at_most_four_pictures_are_joined():
    picture = "\U0001f468"
    assert clean_name("\u200d".join([picture] * 5)) == "\u200d".join([picture] * 4) + picture


def test_a_base_carries_at_most_four_marks():
    assert clean_name("Z" + "\u0338" * 100 + "a") == "Z" + "\u0338" * 4 + "a"


def test_marks_without_a_base_go():
    assert clean_name("\u0301\u0301Ana \u0301Luz") == "Ana Luz"


@pytest.mark.parametrize("name", ["A\x00na", "Ana\n", "\t=1", "A\x7fna", "A\x85na", "\ud83c", "\udfb2\ud83c", "A\ud800"])
def test_control_characters_and_broken_pairs_are_refused(name):
    assert "control characters or broken characters" in refusal(name).message


@pytest.mark.parametrize("name", ["", "   ", "\u200b\u2060", "\u0301", "\u3164\u2800"])
def test_a_name_with_nothing_to_see_is_refused(name):
    assert "at least one visible character" in refusal(name).message


@pytest.mark.parametrize("name", ["n" * 25, "n" * 10_000, "e" + "\u0301" * 2_000])
def test_a_name_that_is_too_long_is_refused(name):
    assert "at most 24 characters" in refusal(name).message


def test_length_is_counted_in_what_is_seen():
    assert clean_name("e\u0323\u0302" * 24) == unicodedata.normalize("NFC", "e\u0323\u0302") * 24
    assert clean_name("n" * 24 + " " * 100) == "n" * 24


def test_a_refusal_names_the_field():
    refused = refusal("")
    assert (refused.code, refused.field) == ("invalid", "name")


def test_two_random_bytes_make_the_same_name_every_time():
    assert generated_name(b"\x00\x00") == "Adhara Beluga"
    assert generated_name(b"\xff\x21") == "Vega Boa"


def test_every_generated_name_is_equally_likely_and_a_good_name():
    assert 256 % len(set(STARS)) == 256 % len(set(ANIMALS)) == 0
    names = {generated_name(bytes([star, animal])) for star in range(len(STARS)) for animal in range(len(ANIMALS))}
    assert len(names) == 1024
    assert all(clean_name(name) == name for name in names)


def test_the_tag_is_short_and_comes_from_the_id_alone():
    ids = [PlayerId(hashlib.sha256(bytes([n])).hexdigest()[:16]) for n in range(20)]
    assert all(tag(player) == tag(player) == player[:4] for player in ids)
    assert len({tag(player) for player in ids}) == 20
