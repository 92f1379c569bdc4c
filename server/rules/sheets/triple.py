"""Triple Yahtzee: three columns that count once, twice and three times (rules.md, Several columns)."""

from msgspec.structs import replace

from server.rules.model import Column, Preset, Sheet
from server.rules.sheets.yahtzee import HOUSE_RULES, LAYOUT, NAMES

SHEET = Sheet(
    id="triple",
    rank=6,
    names=NAMES,
    layout=replace(LAYOUT, columns=(Column("x1"), Column("x2", factor=2), Column("x3", factor=3))),
    house_rules=HOUSE_RULES,
    presets=(Preset("standard"),),
)
