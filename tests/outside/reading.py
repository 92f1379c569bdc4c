"""Reading a transcript as hostile input: strict JSON, and the fields each event has. All that is wrong here is ``format``."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.outside.dice import is_hex

MOST_BYTES = 8 * 1024 * 1024
MOST_DEPTH = 8
MOST_TURNS = 6 * (39 + 10)
MOST_NUMBER = 2**53 - 1

Check = Callable[[Any], bool]


class Malformed(Exception):
    """The transcript is none: ``index`` is the event concerned, -1 for the whole."""

    def __init__(self, index: int, want: str, got: object = None) -> None:
        super().__init__(f"event {index}: {want}, not {got!r}")
        self.index, self.want, self.got = index, want, got


def read(data: bytes) -> Any:
    """The value that ``data`` spells, or ``Malformed``."""
    if len(data) > MOST_BYTES:
        raise Malformed(-1, f"at most {MOST_BYTES} bytes", len(data))
    try:
        value = json.loads(
            data.decode("utf-8"),
            parse_int=_whole,
            parse_float=_refuse,
            parse_constant=_refuse,
            object_pairs_hook=_without_repeats,
        )
        _measure(value, 1)
    except (ValueError, RecursionError) as error:
        raise Malformed(-1, "strict JSON", str(error)) from error
    return value


def _whole(token: str) -> int:
    if token == "-0" or len(token) > 17 or abs(int(token)) > MOST_NUMBER:
        raise ValueError(f"number {token[:20]}")
    return int(token)


def _refuse(token: str) -> Any:
    raise ValueError(f"number {token[:20]}")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found


def _measure(value: Any, depth: int) -> None:
    """Refuse nesting deeper than allowed, null, and strings that are no Unicode."""
    if value is None:
        raise ValueError("null")
    if isinstance(value, str):
        value.encode("utf-8")
    if isinstance(value, dict | list) and depth > MOST_DEPTH:
        raise ValueError(f"deeper than {MOST_DEPTH}")
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    for part in inner:
        _measure(part, depth + 1)


def is_count(value: object) -> bool:
    """An integer from 0 on (a boolean is none)."""
    return type(value) is int and value >= 0


def is_counts(value: object) -> bool:
    """An array of integers from 0 on."""
    return isinstance(value, list) and all(map(is_count, value))


def is_dice(value: object) -> bool:
    """Five dice, whatever they show."""
    return isinstance(value, list) and len(value) == 5 and is_counts(value)


def is_flag(value: object) -> bool:
    """A boolean."""
    return isinstance(value, bool)


def is_text(value: object) -> bool:
    """A string that says something."""
    return isinstance(value, str) and value != ""


def is_hash(value: object) -> bool:
    """32 bytes in hex."""
    return is_hex(value, 64)


def by_seat(check: Check) -> Check:
    """An object from seat numbers (decimal, no leading zeros) to what ``check`` accepts."""

    def is_by_seat(value: object) -> bool:
        return isinstance(value, dict) and all(key in "012345" and len(key) == 1 and check(part) for key, part in value.items())

    return is_by_seat


def one_of(*values: object) -> Check:
    """Exactly one of ``values``, of the same type."""
    return lambda value: any(type(value) is type(choice) and value == choice for choice in values)


def is_seats(value: object) -> bool:
    """The seats of ``sealed``: two to six, ascending, at least one human, each with what its kind has."""
    if not isinstance(value, list) or not 2 <= len(value) <= 6 or not all(map(_is_seat, value)):
        return False
    numbers = [seat["seat"] for seat in value]
    return numbers == sorted(set(numbers)) and any(seat["kind"] == "human" for seat in value)


def _is_seat(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    wanted = {"human": "player", "bot": "level"}.get(str(value.get("kind")))
    return wanted is not None and set(value) == {"seat", "kind", wanted} and _is_place(value["seat"]) and is_text(value[wanted])


def _is_place(value: object) -> bool:
    return is_count(value) and int(str(value)) < 6


_POINTS = {"escalera", "full", "generala", "poker"}
_OPTIONS: dict[str, dict[str, Check]] = {
    "generala": {
        "ace_high_straight": is_flag,
        "doble": one_of("on", "off"),
        "doble_needs_generala": is_flag,
        "points": lambda value: (
            isinstance(value, dict)
            and set(value) == {*_POINTS, "doble", "served_escalera", "served_full", "served_poker"}
            and all(map(is_count, value.values()))
        ),
        "served_generala": one_of("plain", "plus5", "points60", "points100", "wins"),
    },
    "yahtzee": {"extra_yahtzee": one_of(100, 0), "joker": one_of("forced", "free", "off")},
    "yatzy": {},
}
_OPTIONS |= {"yahtzee3": _OPTIONS["yahtzee"], "triple": _OPTIONS["yahtzee"], "yacht": {}}


def has_options(sheet: str, options: object) -> bool:
    """Whether ``options`` has all the keys that the sheet's rules have, and values they can take."""
    checks = {**_OPTIONS.get(sheet, {}), "tie": one_of("share", "roll_off")}
    if sheet not in _OPTIONS or not isinstance(options, dict) or set(options) != set(checks):
        return False
    return all(check(options[key]) for key, check in checks.items())


FIELDS: dict[str, dict[str, Check]] = {
    "sealed": {
        "format": one_of("cubilete/1"),
        "match": lambda value: is_hex(value, 32),
        "attempt": lambda value: is_count(value) and value > 0,
        "sheet": is_text,
        "preset": is_text,
        "options": lambda value: isinstance(value, dict),
        "rated": is_flag,
        "clock": is_count,
        "seats": is_seats,
        "turns": lambda value: is_count(value) and 0 < value <= MOST_TURNS,
        "anchor": is_hash,
    },
    "committed": {"commitments": by_seat(is_hash)},
    "opened": {"contributions": by_seat(is_hash), "entropy": is_hash, "order": is_counts},
    "rolled": {"turn": is_count, "seat": is_count, "roll": is_count, "held": is_counts, "dice": is_dice, "auto": is_flag},
    "scored": {
        "turn": is_count,
        "seat": is_count,
        "box": is_text,
        "points": is_count,
        "bonus": is_count,
        "auto": is_flag,
        "key": is_hash,
    },
    "back": {"seat": is_count},
    "left": {"seat": is_count, "reason": one_of("resigned")},
    "clock": {
        "turn": is_count,
        "seat": is_count,
        "from": is_count,
        "to": is_count,
        "deadline": is_count,
        "reason": one_of("outage"),
    },
    "finished": {
        "reason": one_of("full", "served_generala", "resigned", "void"),
        "totals": by_seat(is_count),
        "places": by_seat(is_count),
        "root": is_hash,
    },
}
OPENING = ("sealed", "committed", "opened")


def check_event(index: int, event: object) -> None:
    """``Malformed`` unless ``event`` has the fields of its type, no other ones, each of its kind."""
    if not isinstance(event, Mapping) or not is_text(event.get("type")) or event["type"] not in FIELDS:
        raise Malformed(index, "an event of a known type", event)
    checks = {**FIELDS[event["type"]], "at": is_count}
    if set(event) != {"type", *checks}:
        raise Malformed(index, f"the fields {sorted(checks)}", sorted(event))
    for field, check in checks.items():
        if not check(event[field]):
            raise Malformed(index, f"a proper {field}", event[field])
    if event["type"] == "sealed" and not has_options(event["sheet"], event["options"]):
        raise Malformed(index, f"the options of {event['sheet']}", event["options"])


def check_export(export: object) -> None:
    """``Malformed`` unless ``export`` is a whole match: envelope, opening, and ``finished`` at the end and only there."""
    if not isinstance(export, Mapping) or set(export) != {"format", "match", "events", "head"}:
        raise Malformed(-1, "the four fields of an export", export)
    proper = export["format"] == "cubilete-match/1" and is_hex(export["match"], 32) and is_hash(export["head"])
    if not proper or not isinstance(export["events"], list):
        raise Malformed(-1, "an export of this format", export["format"])
    events = export["events"]
    for index, event in enumerate(events):
        check_event(index, event)
    types = tuple(event["type"] for event in events)
    if types[:3] != OPENING or types[-1] != "finished":
        raise Malformed(-1, "sealed, committed, opened, ..., finished", types[:3] + types[-1:])
    again = next((index for index, kind in enumerate(types[3:-1], 3) if kind in (*OPENING, "finished")), None)
    if again is not None:
        raise Malformed(again, "an event of the play", types[again])
    if events[0]["match"] != export["match"]:
        raise Malformed(0, export["match"], events[0]["match"])
