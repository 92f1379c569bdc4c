"""What a client sends: one JSON object a frame, told apart by ``type``. Commands to the table are the core's own structs.

A frame is read strictly: unknown fields, wrong types, a key given twice, numbers that are no integers are all ``BadMessage``.
"""

import json
from typing import Any

import msgspec

from server.errors import BadMessage
from server.match.commands import ChangeSettings, Command, CommandId


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", kw_only=True):
    id: CommandId | None = None


class Hold(_Message, frozen=True, tag="hold"):
    """The positions a player means to keep, shown to all at once."""

    held: tuple[int, ...]


class Say(_Message, frozen=True, tag="say"):
    """One of the fixed phrases."""

    phrase: str


class Hint(_Message, frozen=True, tag="hint"):
    """Ask for the best things to do."""


class Ping(_Message, frozen=True, tag="ping"):
    """Ask for the server's time; ``t`` comes back as it is."""

    t: int | float


Incoming = Command | Hold | Say | Hint | Ping
DEPTH = 4
_decoder = msgspec.json.Decoder(Incoming)


def parse(frame: bytes) -> Incoming:
    """The message in a text frame. Raises ``BadMessage`` with a sentence that says where it is wrong."""
    try:
        message = _decoder.decode(frame)
        json.loads(frame, object_pairs_hook=_each_key_once)
        if isinstance(message, ChangeSettings) and isinstance(message.options, dict):
            _check_depth(message.options, DEPTH - 1)
    except (ValueError, RecursionError) as error:
        raise BadMessage(str(error) or type(error).__name__) from error
    return message


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found


def _check_depth(value: object, left: int) -> None:
    """Options are the one place where the types do not bound the depth."""
    if isinstance(value, dict | list):
        if not left:
            raise ValueError(f"nested deeper than {DEPTH}")
        for inner in value.values() if isinstance(value, dict) else value:
            _check_depth(inner, left - 1)


def id_of(frame: bytes) -> str | None:
    """The ``id`` of a frame that is no message, so that the error can refer to it; None if it has none that could be one."""
    try:
        return msgspec.json.decode(frame, type=_OnlyId).id
    except (msgspec.DecodeError, RecursionError):
        return None


class _OnlyId(msgspec.Struct):
    id: CommandId | None = None
