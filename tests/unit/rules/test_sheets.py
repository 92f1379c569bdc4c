"""Sheets are data: the same as JSON, true to their own defaults, and open to new ones."""

import msgspec
import pytest

from server.rules import EMPTY_SHEET, Write, ceiling, fingerprint, legal, possible_values, resolve, write
from server.rules.model import (
    Box,
    Column,
    FaceSum,
    Full,
    Layout,
    NAlikeFixed,
    NAlikeSum,
    Names,
    Pairs,
    Preset,
    Repeat,
    Run,
    Sheet,
)
from server.rules.options import changed_layout, flat_options
from server.rules.resolve import resolve_sheet
from server.rules.sheets import SHEETS
from tests.unit.rules.kit import dice

MADE_UP = Sheet(
    id="made_up",
    rank=99,
    names=Names("numbers", "made_up"),
    layout=Layout(
        boxes=(
            Box("sixes", "upper", FaceSum(6)),
            Box("five", "lower", NAlikeFixed(5, 70), served=80),
            Box("again", "lower", NAlikeSum(5), needs="five"),
            Box("full", "lower", Full(), served=99),
            Box("pairs", "lower", Pairs(2)),
            Box("odd", "lower", Run(((1, 3, 5),), 12)),
        ),
        columns=(Column("a", factor=4), Column("b", order="up")),
        repeat=Repeat("five", extra=7, joker="free"),
    ),
    house_rules=(),
    presets=(Preset("standard"),),
)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.id)
def test_a_sheet_is_the_same_after_a_journey_as_json(sheet):
    there = msgspec.json.encode(sheet)
    back = msgspec.json.decode(there, type=Sheet)
    assert msgspec.json.encode(back) == there
    assert back.layout == sheet.layout


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.id)
def test_the_layout_of_a_sheet_is_the_one_its_defaults_make(sheet):
    assert changed_layout(sheet, flat_options(sheet)) == sheet.layout


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.id)
def test_every_sheet_begins_its_presets_with_standard(sheet):
    assert sheet.presets[0] == Preset("standard")


def test_sheets_stand_in_the_order_of_their_ranks():
    assert [sheet.id for sheet in SHEETS] == ["generala", "yahtzee", "yatzy", "yacht", "yahtzee3", "triple"]


def test_a_new_sheet_of_known_scorers_needs_only_its_data():
    rules = resolve_sheet(MADE_UP)
    assert rules.rounds == 12
    state = write(EMPTY_SHEET, rules, "a:five", legal(rules, EMPTY_SHEET, dice("44444"), 1)["a:five"])
    assert state.boxes == {"a:five": 80}
    assert legal(rules, state, dice("66666"), 3) == {
        "a:sixes": Write(30, 7),
        "a:again": Write(30, 7),
        "a:full": Write(0, 7),
        "a:pairs": Write(0, 7),
        "a:odd": Write(0, 7),
        "b:odd": Write(0, 0),
    }
    assert legal(rules, EMPTY_SHEET, dice("13355"), 2)["b:odd"] == Write(12, 0)


def test_a_joker_pays_the_sum_where_a_box_has_no_points_of_its_own():
    rules = resolve_sheet(MADE_UP)
    state = EMPTY_SHEET
    for key in ("a:five", "a:sixes"):
        state = write(state, rules, key, Write(30, 0))
    assert legal(rules, state, dice("66666"), 3)["a:full"] == Write(30, 7)
    assert {99, 30, 28} <= set(possible_values(rules, "a:full"))


def test_the_ceiling_of_a_new_sheet_fills_needed_boxes_first():
    # Five, then sixes and "again" with another five alike, the two sums, and the run as a joker.
    any_order = 80 + (30 + 7) + (30 + 7) + 99 + 22 + (12 + 7)
    # Upwards "again" comes before "five" and can only be crossed off; only sixes can be another five alike.
    upwards = 12 + 22 + 99 + 0 + 80 + (30 + 7)
    assert ceiling(resolve_sheet(MADE_UP)) == 4 * any_order + upwards


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.id)
def test_a_fingerprint_is_8_hex_digits_and_the_same_for_every_sealed_copy(sheet):
    rules = resolve(sheet.id)
    assert len(fingerprint(rules)) == 8
    assert int(fingerprint(rules), 16) >= 0
    assert fingerprint(resolve(sheet.id, rules.preset, rules.options)) == fingerprint(rules)


def test_rules_that_play_alike_share_a_fingerprint_and_others_do_not():
    assert fingerprint(resolve("yahtzee", "kniffel")) == fingerprint(resolve("yahtzee"))
    prints = {fingerprint(resolve("yahtzee", None, {"joker": joker})) for joker in ("forced", "free", "off")}
    prints |= {fingerprint(resolve(sheet.id)) for sheet in SHEETS}
    assert len(prints) == 3 + len(SHEETS) - 1
