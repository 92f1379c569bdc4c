"""A table's line in the lobby, as stored beside its log."""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from server.match.events import Code, Event, Finished, SealAborted, Sealed
from server.match.evolve import MATCH_EVENTS
from server.match.settings import is_rated
from server.match.state import Table

_ENDS_OR_BEGINS = (Sealed, SealAborted, Finished)


class Card(Struct, frozen=True, kw_only=True):
    """What the list of public tables tells about one of them."""

    code: Code
    phase: Literal["waiting", "playing"]
    sheet: str
    preset: str
    options: dict[str, Any]
    clock: int
    rated: bool
    seats: int
    free: int
    humans: int
    bots: int
    opened_at: int
    average_rating: int | None = None


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Card)


def card_change(code: Code, events: list[Event], after: Table) -> bytes | None:
    """What an append of ``events`` does to the card: None leaves it, ``b""`` takes it off the list."""
    if all(type(event) in MATCH_EVENTS and not isinstance(event, _ENDS_OR_BEGINS) for event in events):
        return None
    if after.is_closed or after.phase == "finished" or after.settings.visibility != "public":
        return b""
    return _encoder.encode(_card(code, after))


def read_card(stored: bytes) -> Card:
    """The card as it was stored."""
    return _decoder.decode(stored)


def _card(code: Code, table: Table) -> Card:
    seated = [seat for seat in table.seats if seat is not None]
    humans = sum(seat.is_human for seat in seated)
    return Card(
        code=code,
        phase="waiting" if table.phase == "waiting" else "playing",
        sheet=table.settings.sheet,
        preset=table.settings.preset,
        options=table.settings.options,
        clock=table.settings.clock,
        rated=is_rated(table.settings, table.seats),
        seats=len(table.seats),
        free=len(table.seats) - len(seated),
        humans=humans,
        bots=len(seated) - humans,
        opened_at=table.opened_at,
    )
