"""The table as a client sees it: ``reduce(view, message)`` gives the view after a message, from the protocol page alone.

A view is what ``welcome`` holds: ``you``, ``n``, ``h`` and ``table``; ``watching`` and ``moved`` are added when they are told.
Messages that change nothing (answers, errors, phrases, hints, pongs, types not known) give an equal view.
"""

import copy
from collections.abc import Callable, Mapping
from typing import Any

from tests.outside.course import FACTOR

View = dict[str, Any]
Message = Mapping[str, Any]
OF_A_MATCH = ("match", "anchor", "attempt", "commitments", "entropy", "order", "places", "turn")


def reduce(view: View, message: Message) -> View:
    """The view after ``message``; the one given is not changed."""
    change = _CHANGES.get(message["type"])
    if change is None:
        return view
    changed = copy.deepcopy(view)
    change(changed, message)
    return changed


def reduce_all(view: View, messages: list[Message]) -> View:
    """The view after all of ``messages``."""
    for message in messages:
        view = reduce(view, message)
    return view


def settled(view: View) -> View:
    """What two clients of one table must agree on: the view without who is looking and from when."""
    table = {name: value for name, value in view["table"].items() if value not in (None, {}, [])}
    return {"n": view["n"], "h": view["h"], "table": table}


def seat_of(view: View, player: str | None) -> int | None:
    """The seat where ``player`` sits, or None."""
    return next((seat["seat"] for seat in view["table"]["seats"] if player and seat.get("player") == player), None)


def occupied(view: View) -> list[int]:
    """The seats where somebody, or a bot, sits."""
    return [seat["seat"] for seat in view["table"]["seats"] if seat.get("player") or seat.get("kind") == "bot"]


def _welcome(view: View, message: Message) -> None:
    view.clear()
    view.update({name: copy.deepcopy(message.get(name)) for name in ("you", "n", "h", "table")})


def _lobby(view: View, message: Message) -> None:
    view["table"] = copy.deepcopy(message["table"])
    view["aborted"] = message.get("aborted")
    if not message["table"].get("match"):
        view["n"], view["h"] = None, None


def _presence(view: View, message: Message) -> None:
    for seat in view["table"]["seats"]:
        seat.update(message["seats"].get(str(seat["seat"]), {}))
    if "watching" in message:
        view["watching"] = message["watching"]


def _holding(view: View, message: Message) -> None:
    turn = view["table"].get("turn")
    if turn and turn["seat"] == message["seat"]:
        turn["held"] = message["held"]


def _moved(view: View, message: Message) -> None:
    view["moved"] = message["code"]


def _event(view: View, message: Message) -> None:
    view["n"], view["h"] = message["n"], message["h"]
    table, event = view["table"], message["event"]
    _EVENTS[event["type"]](table, event)
    if "turn" in message:
        table["turn"] = copy.deepcopy(message["turn"])
    if "totals" in message:
        table["totals"] = dict(message["totals"])


def _sealed(table: View, event: Message) -> None:
    for name in OF_A_MATCH:
        table.pop(name, None)
    for name in ("match", "attempt", "anchor", "sheet", "preset", "options", "rated", "clock"):
        table[name] = copy.deepcopy(event[name])
    seats = [str(seat["seat"]) for seat in event["seats"]]
    table["phase"] = "sealing"
    table["scores"] = {seat: {} for seat in seats}
    table["bonus"] = dict.fromkeys(seats, 0)
    table["totals"] = dict.fromkeys(seats, 0)


def _committed(table: View, event: Message) -> None:
    table["commitments"] = dict(event["commitments"])


def _opened(table: View, event: Message) -> None:
    table["phase"] = "playing"
    table["entropy"], table["order"] = event["entropy"], list(event["order"])


def _rolled(table: View, event: Message) -> None:
    turn = table.get("turn") or {}
    table["turn"] = {**turn, **{name: event[name] for name in ("turn", "seat", "roll", "dice", "held")}}


def _scored(table: View, event: Message) -> None:
    if event["box"] == "roll_off":
        return
    seat = str(event["seat"])
    table["scores"].setdefault(seat, {})[event["box"]] = event["points"]
    table["bonus"][seat] = table["bonus"].get(seat, 0) + event["bonus"]
    factor = FACTOR.get(event["box"].partition(":")[0], 1)
    table["totals"][seat] = table["totals"].get(seat, 0) + (event["points"] + event["bonus"]) * factor


def _seat_is(field: str, value: bool) -> Callable[[View, Message], None]:
    def change(table: View, event: Message) -> None:
        for seat in table["seats"]:
            if seat["seat"] == event["seat"]:
                seat[field] = value

    return change


def _clock(table: View, event: Message) -> None:
    if table.get("turn"):
        table["turn"]["deadline"] = event["deadline"]


def _finished(table: View, event: Message) -> None:
    table["phase"] = "finished"
    table["totals"], table["places"] = dict(event["totals"]), dict(event["places"])
    table.pop("turn", None)


_CHANGES: dict[str, Callable[[View, Message], None]] = {
    "welcome": _welcome,
    "lobby": _lobby,
    "presence": _presence,
    "holding": _holding,
    "moved": _moved,
    "event": _event,
}
_EVENTS: dict[str, Callable[[View, Message], None]] = {
    "sealed": _sealed,
    "committed": _committed,
    "opened": _opened,
    "rolled": _rolled,
    "scored": _scored,
    "back": _seat_is("away", False),
    "left": _seat_is("left", True),
    "clock": _clock,
    "finished": _finished,
}
