"""What is stored beside a table's log for those who are not at the table: its line in the lobby, and who sits there."""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from server.match.events import Code, Event, Finished, PlayerId, SealAborted, Sealed
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
    if _changes_nothing(events):
        return None
    if after.is_closed or after.phase == "finished" or after.settings.visibility != "public":
        return b""
    return _encoder.encode(_card(code, after))


def running_players(events: list[Event], after: Table) -> tuple[PlayerId, ...] | None:
    """Who sits and whose match is not over, if an append of ``events`` can have changed that; None if it cannot."""
    if _changes_nothing(events):
        return None
    is_over = after.is_closed or after.phase == "finished"
    return () if is_over else tuple(seat.player for seat in after.seats if seat is not None and seat.player is not None)


def read_card(stored: bytes) -> Card:
    """The card as it was stored."""
    return _decoder.decode(stored)


def _changes_nothing(events: list[Event]) -> bool:
    """Whether these are but moves in a match, which nobody sees from outside."""
    return all(type(event) in MATCH_EVENTS and not isinstance(event, _ENDS_OR_BEGINS) for event in events)


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
