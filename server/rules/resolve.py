"""From the names that a creator chooses to the one rules value that a match carries."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from server.rules.model import Column, FaceSum, KeyedColumn, Layout, Rules, Sheet, Value
from server.rules.options import changed_layout, flat_options, invalid, nested
from server.rules.sheets import SHEETS

CUSTOM = "custom"
_KEPT_RULES = 1024
"""Rules kept for reuse, 6 to 11 KB each; there are more combinations of points than any memory holds."""

_canonical = msgspec.json.Encoder(order="sorted")


def resolve(sheet: str, preset: str | None = None, options: Mapping[str, Any] | None = None) -> Rules:
    """The rules of a sheet under a preset (None: the defaults); what ``options`` names goes before the preset's.

    The same input gives the same object. Its preset is the one that has these very options (the named one, if it has; else the
    first that has), or ``custom``; naming ``custom`` starts from the defaults. Raises ``Refused("invalid")`` with the field at
    fault: ``sheet``, ``preset``, ``options.joker``, ``options.points.full`` …
    """
    return resolve_sheet(_found_sheet(sheet), preset, options)


def resolve_sheet(sheet: Sheet, preset: str | None = None, options: Mapping[str, Any] | None = None) -> Rules:
    """The same for a sheet at hand."""
    flat = flat_options(sheet, _preset_options(sheet, preset), options or {})
    fitting = [known.id for known in sheet.presets if flat_options(sheet, known.options) == flat]
    name = preset if preset in fitting else next(iter(fitting), CUSTOM)
    return _rules(sheet, name or CUSTOM, tuple(flat.items()))


def fingerprint(rules: Rules) -> str:
    """8 hex digits of SHA-256 over the canonical JSON of the sheet's id and its layout under the house rules.

    Rules that play alike have the same one, whatever their preset is called.
    """
    resolved = {"sheet": rules.sheet, "layout": rules.layout}
    return hashlib.sha256(_canonical.encode(resolved)).hexdigest()[:8]


def _found_sheet(sheet: str) -> Sheet:
    for known in SHEETS:
        if known.id == sheet:
            return known
    raise invalid("sheet", f"Choose one of these sheets: {', '.join(known.id for known in SHEETS)}.")


def _preset_options(sheet: Sheet, preset: str | None) -> Mapping[str, Any]:
    if preset is None or preset == CUSTOM:
        return {}
    for known in sheet.presets:
        if known.id == preset:
            return known.options
    raise invalid("preset", f"Choose one of these presets: {', '.join(known.id for known in sheet.presets)}.")


@lru_cache(maxsize=_KEPT_RULES)
def _rules(sheet: Sheet, preset: str, flat: tuple[tuple[str, Value], ...]) -> Rules:
    options = dict(flat)
    layout = changed_layout(sheet, options)
    columns = tuple(_keyed(layout, column) for column in layout.columns)
    boxes = {key: box for column in columns for key, box in zip(column.keys, layout.boxes, strict=True)}
    return Rules(
        sheet=sheet.id,
        preset=preset,
        options=nested(options),
        layout=layout,
        columns=columns,
        boxes=boxes,
        column_of={key: column for column in columns for key in column.keys},
        box_keys=tuple(boxes),
        rounds=len(boxes),
        has_factors=any(column.factor != 1 for column in columns),
    )


def _keyed(layout: Layout, column: Column) -> KeyedColumn:
    keys = {box.id: f"{column.id}:{box.id}" if column.id else box.id for box in layout.boxes}
    return KeyedColumn(
        id=column.id,
        factor=column.factor,
        order=column.order,
        keys=tuple(keys.values()),
        upper=tuple(keys[box.id] for box in layout.boxes if box.group == "upper"),
        lower=tuple(keys[box.id] for box in layout.boxes if box.group == "lower"),
        faces={box.scorer.face: keys[box.id] for box in layout.boxes if isinstance(box.scorer, FaceSum)},
        needs=tuple((keys[box.id], keys[box.needs]) for box in layout.boxes if box.needs),
        repeat=keys[layout.repeat.box] if layout.repeat else "",
    )
