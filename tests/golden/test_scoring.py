"""The right answers of scoring.json, which the browser's interpreter is bound by as well."""

import json
from pathlib import Path

import pytest

from server.rules import SheetState, Write, legal, resolve

GOLDEN = json.loads(Path(__file__).with_name("scoring.json").read_text(encoding="utf-8"))
GROUPS = GOLDEN["groups"]
NAMES = [f"{number}: {group['sheet']}, {group['why']}" for number, group in enumerate(GROUPS)]


def write_of(cell):
    points, _, bonus = cell.partition("+")
    return Write(int(points), int(bonus or 0))


def expected(sheet, row):
    cells = zip(GOLDEN["keys"][sheet].split(), row.split(), strict=True)
    return [(key, write_of(cell)) for key, cell in cells if cell != "-"]


@pytest.mark.parametrize("group", GROUPS, ids=NAMES)
def test_every_hand_offers_exactly_these_boxes_for_these_points(group):
    rules = resolve(group["sheet"], None, group["options"])
    state = SheetState(group["boxes"], group["bonus"])
    for dice, row in group["rows"].items():
        writes = legal(rules, state, [int(face) for face in dice], group["rolls_used"])
        assert list(writes.items()) == expected(group["sheet"], row), dice
