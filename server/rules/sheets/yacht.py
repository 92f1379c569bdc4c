"""Yacht (rules.md, Yacht)."""

from server.rules.model import AllSum, Box, Full, Layout, NAlikeFixed, NAlikeSum, Names, Preset, Run, Sheet
from server.rules.parts import ONE_TO_FIVE, TIE, TWO_TO_SIX, UPPER

SHEET = Sheet(
    id="yacht",
    rank=4,
    names=Names(upper="numbers", lower="yacht"),
    layout=Layout(
        boxes=(
            *UPPER,
            Box("full_house", "lower", Full()),
            Box("four_kind", "lower", NAlikeSum(4)),
            Box("little_straight", "lower", Run((ONE_TO_FIVE,), 30)),
            Box("big_straight", "lower", Run((TWO_TO_SIX,), 30)),
            Box("choice", "lower", AllSum()),
            Box("yacht", "lower", NAlikeFixed(5, 50)),
        ),
    ),
    house_rules=(TIE,),
    presets=(Preset("standard"),),
)
