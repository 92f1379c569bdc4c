"""Names of players: which are accepted, how they are cleaned, what a guest is called at first, and the tag beside a name.

A name is 1 to 24 *visible characters*. One visible character is a base with at most four marks, a whole emoji (with variation
selector, skin tone, up to four pictures joined), a flag or a keycap, so that a name can neither hide anything nor grow out of
its line.

Python has no table of emoji properties, so every character is put into one of a dozen classes, one letter each, and a regular
expression over those letters finds the visible characters; whatever it does not match is dropped. The price: joiners of scripts
that use them (Persian, Sinhala) go, and so do the tags of the three flags made with them. Names are normalised to NFC, not to
NFKC: a guest who writes in full width keeps it.
"""

import re
import unicodedata

from server.errors import Refused
from server.match.events import PlayerId

MAX_VISIBLE = 24
MAX_GIVEN = 512
"""Code points looked at; 24 of the longest emoji are fewer, and normalising takes quadratic time in stacked marks."""
TAG_CHARACTERS = 4

_BLANK, _MARK, _PICTURE, _OTHER, _NOTHING, _BROKEN = "bmpo-!"
_CLASS_OF_CATEGORY = {
    "Zs": _BLANK,
    "Zl": _BLANK,
    "Zp": _BLANK,
    "Mn": _MARK,
    "Mc": _MARK,
    "Me": _MARK,
    "So": _PICTURE,
    "Cf": _NOTHING,
    "Co": _NOTHING,
    "Cn": _NOTHING,
    "Cc": _BROKEN,
    "Cs": _BROKEN,
}
_JOINER, _EMOJI_SELECTOR, _SKIN, _FLAG_LETTER, _KEY, _KEYCAP = "jvsrkc"
_BLANK_PATTERN = 0x2800
_ARROW_LEFT_RIGHT = 0x2194
_SPECIAL = {
    **dict.fromkeys(map(chr, range(0x1F000, 0x1FB00)), _PICTURE),  # also those that this Python's Unicode does not know yet
    **dict.fromkeys(map(chr, range(0x1F3FB, 0x1F400)), _SKIN),
    **dict.fromkeys(map(chr, range(0x1F1E6, 0x1F200)), _FLAG_LETTER),
    **dict.fromkeys("0123456789#*", _KEY),
    **dict.fromkeys(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))), _NOTHING),
    # Fillers, fixed blanks and selectors that have another category and still show nothing.
    **dict.fromkeys("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0\ufffc", _NOTHING),
    chr(_BLANK_PATTERN): _BLANK,
    chr(_ARROW_LEFT_RIGHT): _PICTURE,
    "\u200d": _JOINER,
    "\ufe0f": _EMOJI_SELECTOR,
    "\u20e3": _KEYCAP,
}
_VISIBLE = re.compile(r"(?:p[vs]?(?:jp[vs]?){0,3}|rr|kv(?=c)|[opkrs])[mc]{0,4}|b")

STARS = (
    "Adhara",
    "Alcor",
    "Algol",
    "Alphard",
    "Altair",
    "Antares",
    "Arcturus",
    "Atria",
    "Avior",
    "Bellatrix",
    "Canopus",
    "Capella",
    "Castor",
    "Deneb",
    "Electra",
    "Hadar",
    "Izar",
    "Luna",
    "Maia",
    "Merope",
    "Mira",
    "Mizar",
    "Nashira",
    "Nova",
    "Orion",
    "Polaris",
    "Regulus",
    "Rigel",
    "Sirius",
    "Spica",
    "Talitha",
    "Vega",
)
ANIMALS = (
    "Beluga",
    "Boa",
    "Bonobo",
    "Dingo",
    "Dodo",
    "Guanaco",
    "Husky",
    "Ibis",
    "Impala",
    "Jaguar",
    "Kea",
    "Kiwi",
    "Koala",
    "Kudu",
    "Lori",
    "Mamba",
    "Manta",
    "Mara",
    "Numbat",
    "Nyala",
    "Okapi",
    "Orca",
    "Panda",
    "Puma",
    "Quetzal",
    "Quokka",
    "Saiga",
    "Serval",
    "Tapir",
    "Tenrec",
    "Wombat",
    "Yak",
)


def clean_name(given: str) -> str:
    """A chosen name as it is kept: NFC, blanks trimmed and collapsed, nothing invisible in it. Cleaning again changes nothing.

    Raises ``Refused`` (``invalid``, field ``name``) for a name that is too long, has nothing visible in it, or holds control
    characters or halves of surrogate pairs.
    """
    if len(given) > MAX_GIVEN:
        raise _refusal(f"A name has at most {MAX_VISIBLE} characters.")
    classes = [_class_of(character) for character in given]
    if _BROKEN in classes:
        raise _refusal("A name cannot hold control characters or broken characters.")
    shown = "".join(character for character, kind in zip(given, classes, strict=True) if kind != _NOTHING)
    pieces = "".join(_visible(unicodedata.normalize("NFC", shown))).split()
    # What was dropped may have stood between two letters that compose (Hangul).
    name = unicodedata.normalize("NFC", " ".join(pieces))
    if not name:
        raise _refusal("A name needs at least one visible character.")
    if len(_visible(name)) > MAX_VISIBLE:
        raise _refusal(f"A name has at most {MAX_VISIBLE} characters.")
    return name


def generated_name(random: bytes) -> str:
    """A friendly name from two random bytes: a star and an animal that are called the same in Spanish, English and German."""
    return f"{STARS[random[0] % len(STARS)]} {ANIMALS[random[1] % len(ANIMALS)]}"


def tag(player: PlayerId) -> str:
    """The four characters shown beside a name that two players have: the first of the id, so that any client knows them."""
    return player[:TAG_CHARACTERS]


def _class_of(character: str) -> str:
    special = _SPECIAL.get(character)
    return special or _CLASS_OF_CATEGORY.get(unicodedata.category(character), _OTHER)


def _visible(text: str) -> list[str]:
    """The visible characters of the text, every blank as a space."""
    classes = "".join(map(_class_of, text))
    return [" " if found[0] == _BLANK else text[found.start() : found.end()] for found in _VISIBLE.finditer(classes)]


def _refusal(message: str) -> Refused:
    return Refused("invalid", message, field="name")
