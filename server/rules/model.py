"""The words of the rules: what a sheet is made of, what a match carries, what a seat has written.

A ``Sheet`` is data alone, the same for every interpreter: boxes that name a scorer of a small closed vocabulary, columns, and
house rules whose choices are changes to that data. Resolved, it is one immutable ``Rules`` value. Nothing here scores anything;
``server.rules.scoring`` does.

A *hand* is five faces in ascending order. A *key* names a box of a seat's paper: ``full`` on a sheet of one column,
``down:full_house`` on a sheet of several.
"""

from typing import Any, Literal, NamedTuple

from msgspec import Struct

Hand = tuple[int, ...]
Value = bool | int | str
"""What an option can hold."""
Group = Literal["upper", "lower"]


class _Data(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A piece of a sheet: immutable, hashable, the same as JSON."""


class FaceSum(_Data, frozen=True, tag_field="kind", tag="face_sum"):
    """The sum of the dice that show ``face``."""

    face: int


class AllSum(_Data, frozen=True, tag_field="kind", tag="all_sum"):
    """The sum of all five dice, whatever they show."""


class NAlikeSum(_Data, frozen=True, tag_field="kind", tag="n_alike_sum"):
    """``n`` or more alike: the sum of ``n`` of them."""

    n: int


class NAlikeAllSum(_Data, frozen=True, tag_field="kind", tag="n_alike_all_sum"):
    """``n`` or more alike: the sum of all five dice."""

    n: int


class NAlikeFixed(_Data, frozen=True, tag_field="kind", tag="n_alike_fixed"):
    """``n`` or more alike: always ``points``."""

    n: int
    points: int


class Full(_Data, frozen=True, tag_field="kind", tag="full"):
    """Exactly three of one face and two of another: ``points``, or the sum of all five dice where that is None."""

    points: int | None = None


class Run(_Data, frozen=True, tag_field="kind", tag="run"):
    """Every face of one of ``runs`` is there: ``points``."""

    runs: tuple[tuple[int, ...], ...]
    points: int


class Pairs(_Data, frozen=True, tag_field="kind", tag="pairs"):
    """``n`` pairs of different faces: the sum of the highest ``n``."""

    n: int


Scorer = FaceSum | AllSum | NAlikeSum | NAlikeAllSum | NAlikeFixed | Full | Run | Pairs


class Box(_Data, frozen=True):
    """One box. ``served`` replaces its points on a served hand; it pays only once the box ``needs`` holds any score but 0."""

    id: str
    group: Group
    scorer: Scorer
    served: int | None = None
    needs: str | None = None


class Column(_Data, frozen=True):
    """One column of all boxes: its total counts ``factor`` times, and it is filled in any order, downwards or upwards."""

    id: str = ""
    factor: int = 1
    order: Literal["any", "down", "up"] = "any"


class UpperBonus(_Data, frozen=True):
    """``points`` once, as soon as the upper boxes of a column together reach ``at``."""

    at: int
    points: int


class Repeat(_Data, frozen=True):
    """Five alike once ``box`` is filled: ``extra`` points if it holds any score but 0, and what ``joker`` allows.

    A joker pays a lower box in full, whatever its pattern, when the upper box of its face is filled. ``forced``: that upper box
    if it is open, else a lower box, else any box. ``free``: any open box. ``off``: no joker.
    """

    box: str
    extra: int
    joker: Literal["forced", "free", "off"]


class Layout(_Data, frozen=True):
    """All that decides play and points. ``served_win`` names the box whose pattern, on a first roll, wins the match at once."""

    boxes: tuple[Box, ...]
    columns: tuple[Column, ...] = (Column(),)
    upper_bonus: UpperBonus | None = None
    repeat: Repeat | None = None
    served_win: str | None = None
    roll_off: bool = False


class Follow(_Data, frozen=True):
    """A number that follows another option: its value and ``plus`` more."""

    option: str
    plus: int = 0


class Set(_Data, frozen=True):
    """A change: the part of the layout at ``path`` (names joined by dots, a box by its id) becomes ``value``."""

    path: str
    value: Value | tuple[tuple[int, ...], ...] | Follow | None


class Choice(_Data, frozen=True):
    """One value of a house rule, and what it changes; ``drops`` names a box that is not on the sheet then."""

    value: Value
    sets: tuple[Set, ...] = ()
    drops: str | None = None


class Pick(_Data, frozen=True, tag_field="kind", tag="choice"):
    """A house rule with a few values; the first is the default."""

    key: str
    choices: tuple[Choice, ...]


class Amount(_Data, frozen=True, tag_field="kind", tag="amount"):
    """A house rule that is a whole number from ``low`` to ``high``, put at ``path`` of the layout.

    Not given, it is what ``follows`` makes of another option, else what the layout has there.
    """

    key: str
    path: str
    follows: Follow | None = None
    low: int = 0
    high: int = 500


HouseRule = Pick | Amount


class Names(_Data, frozen=True):
    """Where the texts of a sheet's boxes stand in the catalogues, by group: ``box.<prefix>.<box id>``."""

    upper: str
    lower: str


class Preset(Struct, frozen=True, forbid_unknown_fields=True):
    """House rules under one name: the options that differ from the defaults, and other names for the boxes if it has them."""

    id: str
    options: dict[str, Any] = {}
    names: Names | None = None


class Sheet(Struct, frozen=True, forbid_unknown_fields=True, eq=False):
    """A sheet as its file states it: the layout under its defaults, and every way to change it. Equal and hashed by identity.

    ``rank`` orders the sheets in lists. An amount may follow an amount that stands before it.
    """

    id: str
    rank: int
    names: Names
    layout: Layout
    house_rules: tuple[HouseRule, ...]
    presets: tuple[Preset, ...]


class KeyedColumn(Struct, frozen=True):
    """A column with the keys of its boxes worked out, all in sheet order.

    ``faces`` has the key of each face's box; ``needs`` pairs a key with the key it depends on; ``repeat`` is the key of the box
    that, once filled, makes another five alike special (empty: none).
    """

    id: str
    factor: int
    order: Literal["any", "down", "up"]
    keys: tuple[str, ...]
    upper: tuple[str, ...]
    lower: tuple[str, ...]
    faces: dict[int, str]
    needs: tuple[tuple[str, str], ...]
    repeat: str


class Rules(Struct, frozen=True, eq=False):
    """The rules of one match: a sheet with every house rule decided. Equal and hashed by identity; build it with ``resolve``.

    ``options`` holds every key (dice.md, Transcript) and is never changed. ``boxes`` maps each key to its box, in sheet order.
    ``rounds`` is the number of boxes, and so of turns, a seat has.
    """

    sheet: str
    preset: str
    options: dict[str, Any]
    layout: Layout
    columns: tuple[KeyedColumn, ...]
    boxes: dict[str, Box]
    column_of: dict[str, KeyedColumn]
    box_keys: tuple[str, ...]
    rounds: int
    has_factors: bool

    @property
    def has_roll_off(self) -> bool:
        """Whether those level at the top play on, instead of sharing the place."""
        return self.layout.roll_off


class SheetState(Struct, frozen=True):
    """What a seat has written. Never changed: a write makes a new one.

    ``boxes``: the points in each filled box, by key. ``bonus``: what each column earned beside its boxes, by column id (``""``
    on a sheet of one column), a column's factor not applied; a column without any is absent.
    """

    boxes: dict[str, int] = {}
    bonus: dict[str, int] = {}


EMPTY_SHEET = SheetState()


class Write(NamedTuple):
    """What a write pays: ``points`` into the box, ``bonus`` beside it; a column's factor is applied to neither."""

    points: int
    bonus: int
