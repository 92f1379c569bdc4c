"""Yahtzee, and Kniffel, the same sheet under German names (rules.md, Yahtzee)."""

from server.rules.model import (
    AllSum,
    Box,
    Choice,
    Full,
    Layout,
    NAlikeAllSum,
    NAlikeFixed,
    Names,
    Pick,
    Preset,
    Repeat,
    Run,
    Set,
    Sheet,
    UpperBonus,
)
from server.rules.parts import ONE_TO_FIVE, TIE, TWO_TO_SIX, UPPER

NAMES = Names(upper="numbers", lower="yahtzee")
LAYOUT = Layout(
    boxes=(
        *UPPER,
        Box("three_kind", "lower", NAlikeAllSum(3)),
        Box("four_kind", "lower", NAlikeAllSum(4)),
        Box("full_house", "lower", Full(25)),
        Box("small_straight", "lower", Run(((1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6)), 30)),
        Box("large_straight", "lower", Run((ONE_TO_FIVE, TWO_TO_SIX), 40)),
        Box("yahtzee", "lower", NAlikeFixed(5, 50)),
        Box("chance", "lower", AllSum()),
    ),
    upper_bonus=UpperBonus(at=63, points=35),
    repeat=Repeat("yahtzee", extra=100, joker="forced"),
)
HOUSE_RULES = (
    Pick("extra_yahtzee", (Choice(100), Choice(0, (Set("repeat.extra", 0),)))),
    Pick(
        "joker",
        (Choice("forced"), Choice("free", (Set("repeat.joker", "free"),)), Choice("off", (Set("repeat.joker", "off"),))),
    ),
    TIE,
)
SHEET = Sheet(
    id="yahtzee",
    rank=2,
    names=NAMES,
    layout=LAYOUT,
    house_rules=HOUSE_RULES,
    presets=(
        Preset("standard"),
        Preset("kniffel", names=Names(upper="kniffel", lower="kniffel")),
        Preset("europe", {"extra_yahtzee": 0, "joker": "off"}),
    ),
)
