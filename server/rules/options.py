"""House rules: what a creator names, checked and filled up; and the layout that follows from it.

Options come nested as on the wire (``{"points": {"full": 33}}``) and are flat in here, one value for each house rule's key
(``{"points.full": 33}``). Everything that is wrong with them is ``Refused("invalid")`` with the field's name.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from server.errors import Refused
from server.rules.model import Amount, Choice, Follow, HouseRule, Layout, Pick, Set, Sheet, Value

Flat = dict[str, Value]
_Tree = dict[str, Any]


def flat_options(sheet: Sheet, *layers: Mapping[str, Any]) -> Flat:
    """The value of every house rule of the sheet: as the last of ``layers`` that names it has it, else its default."""
    given: dict[str, Any] = {}
    for options in layers:
        given |= _flattened(sheet, options)
    tree = _tree(sheet.layout)
    resolved: Flat = {}
    for rule in sheet.house_rules:
        default = _default(rule, resolved, tree)
        resolved[rule.key] = _checked(rule, given[rule.key], default) if rule.key in given else default
    return resolved


def nested(flat: Mapping[str, Value]) -> dict[str, Any]:
    """The options as they are written into a match: all keys, in alphabetical order, those with a dot one level down."""
    result: dict[str, Any] = {}
    for key in sorted(flat):
        group, dot, name = key.partition(".")
        if dot:
            result.setdefault(group, {})[name] = flat[key]
        else:
            result[key] = flat[key]
    return result


def changed_layout(sheet: Sheet, flat: Mapping[str, Value]) -> Layout:
    """The sheet's layout under these options."""
    tree = _tree(sheet.layout)
    for change in _changes(sheet, flat):
        node, last = _place(tree, change.path)
        node[last] = _followed(change.value, flat) if isinstance(change.value, Follow) else change.value
    dropped = {choice.drops for choice in _chosen(sheet, flat)}
    tree["boxes"] = [box for name, box in tree["boxes"].items() if name not in dropped]
    return msgspec.convert(tree, Layout)


def invalid(field: str, sentence: str) -> Refused:
    """The refusal of one field of a form."""
    return Refused("invalid", sentence, field)


def _flattened(sheet: Sheet, options: Mapping[str, Any]) -> dict[str, Any]:
    keys = [rule.key for rule in sheet.house_rules]
    groups = {key.partition(".")[0] for key in keys if "." in key}
    flat: dict[str, Any] = {}
    for key, value in options.items():
        if key not in groups:
            flat[key] = value
        elif isinstance(value, Mapping):
            flat |= {f"{key}.{name}": inner for name, inner in value.items()}
        else:
            raise invalid(f"options.{key}", f"{key} is an object of whole numbers.")
    for field in flat:
        # A dotted key at the top would pass for a nested one.
        if field not in keys or ("." in field and field in options):
            raise invalid(f"options.{field}", f"There is no such option here; choose from {', '.join(sorted(keys))}.")
    return flat


def _default(rule: HouseRule, resolved: Mapping[str, Value], tree: _Tree) -> Value:
    if isinstance(rule, Pick):
        return rule.choices[0].value
    if rule.follows:
        return _followed(rule.follows, resolved)
    node, last = _place(tree, rule.path)
    return int(node[last])


def _checked(rule: HouseRule, value: Any, default: Value) -> Value:
    """The value, if the rule allows it; 1, 1.0 and True are three different things here."""
    if isinstance(rule, Pick):
        allowed = [choice.value for choice in rule.choices]
        fits = any(type(value) is type(choice) and value == choice for choice in allowed)
        wish = f"Choose one of {', '.join(msgspec.json.encode(choice).decode() for choice in allowed)}."
    else:
        # A served amount that follows its box may reach 505, and must be readable again from a match.
        fits = type(value) is int and (rule.low <= value <= rule.high or value == default)
        wish = f"Give a whole number from {rule.low} to {rule.high}."
    if not fits:
        raise invalid(f"options.{rule.key}", wish)
    checked: Value = value
    return checked


def _followed(follow: Follow, flat: Mapping[str, Value]) -> int:
    return int(flat[follow.option]) + follow.plus


def _chosen(sheet: Sheet, flat: Mapping[str, Value]) -> Iterator[Choice]:
    for rule in sheet.house_rules:
        if isinstance(rule, Pick):
            yield from (choice for choice in rule.choices if choice.value == flat[rule.key])


def _changes(sheet: Sheet, flat: Mapping[str, Value]) -> Iterator[Set]:
    yield from (Set(rule.path, flat[rule.key]) for rule in sheet.house_rules if isinstance(rule, Amount))
    for choice in _chosen(sheet, flat):
        yield from choice.sets


def _tree(layout: Layout) -> _Tree:
    """The layout as plain data, its boxes by their ids."""
    tree: _Tree = msgspec.to_builtins(layout)
    return tree | {"boxes": {box["id"]: box for box in tree["boxes"]}}


def _place(tree: _Tree, path: str) -> tuple[_Tree, str]:
    """The part of the tree that holds the last name of the path, and that name."""
    *way, last = path.split(".")
    for step in way:
        tree = tree[step]
    return tree, last
