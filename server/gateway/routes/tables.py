"""Tables: the sheets to choose from, opening one, the list, a snapshot."""

from typing import Any, Literal

import msgspec
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from server.gateway.errors import describe
from server.gateway.schema import json_of, shape
from server.gateway.texts import SheetsDocument
from server.gateway.who import MaybePlayer, TheGate, ThePlayer, address_of, headers_of, peer_of
from server.match.codes import read_code
from server.match.commands import SettingsForm
from server.protocol.outgoing import Welcome
from server.protocol.phrases import PHRASES
from server.tables.cards import Card, read_card
from server.tables.service import UnknownTable

router = APIRouter()


class TableForm(BaseModel):
    """What the creator of a table chooses; ``GET /api/sheets`` lists sheets, presets and options."""

    model_config = ConfigDict(extra="forbid", strict=True)

    sheet: str
    preset: str | None = None
    options: dict[str, Any] | None = Field(default=None, description="House rules that differ from the preset's.")
    clock: int | None = Field(default=None, description="Seconds a turn, 45 by default; 0 for none, private and unrated only.")
    seats: int | None = Field(default=None, description="2 to 6; 2 by default, more if the bots need them.")
    bots: list[str] | None = Field(default=None, description="Levels of the bots, which take the last seats.")
    visibility: Literal["public", "private"] | None = Field(default=None, description="Public by default.")
    rated: bool | None = Field(default=None, description="Rated by default where the match can be.")


class TableAnswer(BaseModel):
    """The code of a table and the link to it."""

    code: str
    url: str


class TableList(msgspec.Struct, frozen=True):
    """The public tables, those waiting for people first, then the newest first."""

    tables: list[Card]


class Phrases(BaseModel):
    """The keys of the phrases that a seat may ``say``."""

    phrases: list[str]


@router.get("/api/sheets", responses=shape(SheetsDocument))
async def sheets(gate: TheGate) -> Response:
    """Every sheet with its boxes, house rules, presets, and all their names and explanations in each language."""
    return Response(gate.sheets, media_type="application/json")


@router.get("/api/phrases")
async def phrases() -> Phrases:
    """What a seat may say."""
    return Phrases(phrases=list(PHRASES))


@router.post("/api/tables", status_code=201, responses=describe(400, 401, 403, 413, 422, 429, 503))
async def open_table(request: Request, gate: TheGate, player: ThePlayer, form: TableForm) -> TableAnswer:
    """Open a table; the creator then sits, and starts, over its socket."""
    wishes = SettingsForm(**form.model_dump(exclude_none=True))
    gate.tables.check(player.id, wishes)
    gate.limits.check("tables", address_of(gate, request))
    code = await gate.tables.open(player.id, wishes)
    own = gate.origins.own(headers_of(request), request.url.scheme, peer_of(request)) or str(request.base_url).rstrip("/")
    return TableAnswer(code=code, url=f"{own}/t/{code}")


@router.get("/api/tables", responses=shape(TableList))
async def list_tables(gate: TheGate) -> Response:
    """The public tables."""
    cards = [read_card(card) for card in gate.log.lobby()]
    cards.sort(key=lambda card: (card.phase != "waiting" or not card.free, -card.opened_at))
    return json_of(TableList(cards))


@router.get("/api/tables/{code}", responses={**shape(Welcome), **describe(404, 429, 503)})
async def table(request: Request, code: str, gate: TheGate, player: MaybePlayer) -> Response:
    """One table as its socket would welcome this player."""
    address = address_of(gate, request)
    known = read_code(code)
    if player is None or known is None or known not in gate.log.tables_of(player.id):
        gate.limits.check("unknown_codes", address, take=False)
    try:
        if known is None:
            raise UnknownTable(code)
        return json_of(await gate.tables.snapshot(known, None if player is None else player.id))
    except UnknownTable:
        gate.limits.check("unknown_codes", address)
        raise
