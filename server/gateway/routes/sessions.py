"""Guests, their sessions and tickets."""

from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from server.accounts.names import clean_name
from server.accounts.ports import Player
from server.accounts.sessions import presented_token, session_cookie
from server.errors import Refused
from server.gateway.errors import describe
from server.gateway.who import MaybePlayer, TheGate, ThePlayer, TheSession, address_of, headers_of, is_own, peer_of

router = APIRouter()


class SessionForm(BaseModel):
    """Who the guest wants to be."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str | None = Field(default=None, description="1 to 24 visible characters; a friendly one is made up without it.")


class PlayerAnswer(BaseModel):
    """A player as everybody may see them."""

    id: str
    name: str
    guest: bool


class SessionAnswer(BaseModel):
    """The player, and the token that works as ``Authorization: Bearer``."""

    player: PlayerAnswer
    token: str


class MeAnswer(BaseModel):
    """The player who asks, and the codes of the tables where they sit or play."""

    player: PlayerAnswer
    preferences: dict[str, Any]
    tables: list[str]


class TicketAnswer(BaseModel):
    """A ticket, good once and for 30 seconds, as ``?ticket=`` of a WebSocket address."""

    ticket: str


@router.post(
    "/api/session", status_code=201, responses={200: {"model": SessionAnswer}, **describe(400, 403, 413, 422, 429, 503)}
)
async def begin_session(
    request: Request, response: Response, gate: TheGate, player: MaybePlayer, form: SessionForm | None = None
) -> SessionAnswer:
    """Begin a session as a new guest; with a valid session, the same player again (200). Sets the session cookie."""
    if not is_own(gate, request):
        raise Refused("forbidden", "Another page may not begin a session for you here.")
    if player is not None:
        response.status_code = 200
        token = presented_token(request.headers.get("authorization"), request.headers.get("cookie")) or ""
    else:
        name = None if form is None or form.name is None else clean_name(form.name)
        gate.limits.check("sessions", address_of(gate, request))
        player, token = await gate.guests.create(name)
    is_https = gate.origins.scheme(headers_of(request), request.url.scheme, peer_of(request)) == "https"
    response.headers["Set-Cookie"] = session_cookie(token, is_https=is_https)
    return SessionAnswer(player=_shown(player), token=token)


@router.get("/api/me", responses=describe(401, 503))
async def me(gate: TheGate, player: ThePlayer) -> MeAnswer:
    """The player who asks, and their running tables."""
    return MeAnswer(player=_shown(player), preferences={}, tables=list[str](gate.log.tables_of(player.id)))


@router.post("/api/ticket", status_code=201, responses=describe(401, 403, 503))
async def ticket(gate: TheGate, _player: ThePlayer, session: TheSession) -> TicketAnswer:
    """Lend the session to one WebSocket handshake."""
    if session is None:
        raise Refused("no_session", "Begin a session first: POST /api/session.")
    return TicketAnswer(ticket=await gate.tickets.give(session))


def _shown(player: Player) -> PlayerAnswer:
    return PlayerAnswer(id=player.id, name=player.name, guest=player.is_guest)
