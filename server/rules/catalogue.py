"""The sheets as other programs read them: all data of every sheet, what follows from it, and keys for its texts.

No words are in here. A ``text`` begins two keys of the catalogues ``sheets.json``: ``<text>.name``, and ``<text>.about``, which
explains it in a line. A preset may call the boxes otherwise: ``box_names`` has the keys of the names that hold under it.
"""

from typing import Any

import msgspec
from msgspec import Struct

from server.rules.bounds import greatest, possible_values
from server.rules.model import Box, Choice, HouseRule, Names, Pick, Preset, Rules, Sheet, Value
from server.rules.options import flat_options
from server.rules.resolve import resolve_sheet
from server.rules.sheets import SHEETS

_Json = dict[str, Any]


def catalogue() -> _Json:
    """Every sheet in the order of lists, as plain data for JSON, without any words. Takes some 40 ms the first time.

    ``boxes``, ``columns`` and what stands beside them are the layout under the defaults; a choice's ``sets`` and ``drops`` and
    an amount's ``path`` say how a house rule changes it. ``greatest`` and ``values`` are those of the defaults, factors not in
    them.
    """
    plain: _Json = msgspec.json.decode(msgspec.json.encode({"sheets": [_sheet(sheet) for sheet in SHEETS]}))
    return plain


def _sheet(sheet: Sheet) -> _Json:
    rules = resolve_sheet(sheet)
    defaults = flat_options(sheet)
    layout = _plain(sheet.layout)
    layout["columns"] = [_column(column) for column in layout["columns"]]
    layout["boxes"] = [_box(rules, sheet.names, key) for key in rules.columns[0].keys]
    return {
        "id": sheet.id,
        "text": f"sheet.{sheet.id}",
        "rounds": rules.rounds,
        **layout,
        "house_rules": [_house_rule(rule, defaults[rule.key]) for rule in sheet.house_rules],
        "presets": [_preset(sheet, preset) for preset in sheet.presets],
    }


def _column(column: _Json) -> _Json:
    """A sheet's only column has no id, and needs no name."""
    return {**column, "text": f"column.{column['id']}"} if column["id"] else column


def _box(rules: Rules, names: Names, key: str) -> _Json:
    box = rules.boxes[key]
    derived = {"text": _box_text(names, box), "greatest": greatest(rules, key), "values": possible_values(rules, key)}
    return _plain(box) | derived


def _box_text(names: Names, box: Box) -> str:
    return f"box.{names.upper if box.group == 'upper' else names.lower}.{box.id}"


def _house_rule(rule: HouseRule, default: Value) -> _Json:
    derived: _Json = {"text": f"rule.{rule.key}", "default": default}
    if isinstance(rule, Pick):
        derived["choices"] = [_choice(derived["text"], choice) for choice in rule.choices]
    return _plain(rule) | derived


def _choice(text: str, choice: Choice) -> _Json:
    """``True`` reads ``true`` in the key of its text, as in JSON."""
    return _plain(choice) | {"text": f"{text}.{str(choice.value).lower()}"}


def _preset(sheet: Sheet, preset: Preset) -> _Json:
    names = preset.names or sheet.names
    return {
        "id": preset.id,
        "text": f"preset.{sheet.id}.{preset.id}",
        "options": resolve_sheet(sheet, preset.id).options,
        "box_names": {box.id: f"{_box_text(names, box)}.name" for box in sheet.layout.boxes},
    }


def _plain(data: Struct) -> _Json:
    plain: _Json = msgspec.to_builtins(data)
    return plain
