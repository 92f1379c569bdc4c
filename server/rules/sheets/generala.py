"""Generala, the default sheet (rules.md, Generala)."""

from server.rules.model import Amount, Box, Choice, Follow, Full, Layout, NAlikeFixed, Names, Pick, Preset, Run, Set, Sheet
from server.rules.parts import ONE_TO_FIVE, TIE, TWO_TO_SIX, UPPER

SHEET = Sheet(
    id="generala",
    rank=1,
    names=Names(upper="generala", lower="generala"),
    layout=Layout(
        boxes=(
            *UPPER,
            Box("escalera", "lower", Run((ONE_TO_FIVE, TWO_TO_SIX), 20), served=25),
            Box("full", "lower", Full(30), served=35),
            Box("poker", "lower", NAlikeFixed(4, 40), served=45),
            Box("generala", "lower", NAlikeFixed(5, 50), served=50),
            Box("doble", "lower", NAlikeFixed(5, 100), needs="generala"),
        ),
    ),
    house_rules=(
        Pick(
            "served_generala",
            (
                Choice("plain", (Set("boxes.generala.served", Follow("points.generala")),)),
                Choice("plus5", (Set("boxes.generala.served", Follow("points.generala", 5)),)),
                Choice("points60", (Set("boxes.generala.served", 60),)),
                Choice("points100", (Set("boxes.generala.served", 100),)),
                # Five alike on the first roll of a resigned seat is still written, as if plain.
                Choice("wins", (Set("boxes.generala.served", Follow("points.generala")), Set("served_win", "generala"))),
            ),
        ),
        Pick("doble", (Choice("on"), Choice("off", drops="doble"))),
        Pick("doble_needs_generala", (Choice(True), Choice(False, (Set("boxes.doble.needs", None),)))),
        Pick(
            "ace_high_straight",
            (
                Choice(False),
                Choice(True, (Set("boxes.escalera.scorer.runs", (ONE_TO_FIVE, TWO_TO_SIX, (3, 4, 5, 6, 1))),)),
            ),
        ),
        Amount("points.escalera", "boxes.escalera.scorer.points"),
        Amount("points.full", "boxes.full.scorer.points"),
        Amount("points.poker", "boxes.poker.scorer.points"),
        Amount("points.generala", "boxes.generala.scorer.points"),
        Amount("points.doble", "boxes.doble.scorer.points"),
        Amount("points.served_escalera", "boxes.escalera.served", Follow("points.escalera", 5)),
        Amount("points.served_full", "boxes.full.served", Follow("points.full", 5)),
        Amount("points.served_poker", "boxes.poker.served", Follow("points.poker", 5)),
        TIE,
    ),
    presets=(
        Preset("standard"),
        Preset("rio", {"served_generala": "wins"}),
        Preset("diez", {"doble": "off", "served_generala": "wins"}),
    ),
)
