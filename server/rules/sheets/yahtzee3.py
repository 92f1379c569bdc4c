"""Yahtzee in three columns: downwards, upwards, free (rules.md, Several columns)."""

from msgspec.structs import replace

from server.rules.model import Column, Preset, Sheet
from server.rules.sheets.yahtzee import HOUSE_RULES, LAYOUT, NAMES

SHEET = Sheet(
    id="yahtzee3",
    rank=5,
    names=NAMES,
    layout=replace(LAYOUT, columns=(Column("down", order="down"), Column("up", order="up"), Column("free"))),
    house_rules=HOUSE_RULES,
    presets=(Preset("standard"),),
)
