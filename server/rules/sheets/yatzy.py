"""Yatzy, the Nordic sheet (rules.md, Yatzy)."""

from server.rules.model import AllSum, Box, Full, Layout, NAlikeFixed, NAlikeSum, Names, Pairs, Preset, Run, Sheet, UpperBonus
from server.rules.parts import ONE_TO_FIVE, TIE, TWO_TO_SIX, UPPER

SHEET = Sheet(
    id="yatzy",
    rank=3,
    names=Names(upper="numbers", lower="yatzy"),
    layout=Layout(
        boxes=(
            *UPPER,
            Box("one_pair", "lower", Pairs(1)),
            Box("two_pairs", "lower", Pairs(2)),
            Box("three_kind", "lower", NAlikeSum(3)),
            Box("four_kind", "lower", NAlikeSum(4)),
            Box("small_straight", "lower", Run((ONE_TO_FIVE,), 15)),
            Box("large_straight", "lower", Run((TWO_TO_SIX,), 20)),
            Box("full_house", "lower", Full()),
            Box("chance", "lower", AllSum()),
            Box("yatzy", "lower", NAlikeFixed(5, 50)),
        ),
        upper_bonus=UpperBonus(at=63, points=50),
    ),
    house_rules=(TIE,),
    presets=(Preset("standard"),),
)
