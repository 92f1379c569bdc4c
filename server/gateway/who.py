"""Who asks: the player that a request's session stands for, over HTTP and for sockets alike."""

from typing import Annotated

from fastapi import Depends, Request

from server.accounts.ports import Player
from server.accounts.sessions import Session, presented_token
from server.errors import Refused
from server.gateway.connection import Headers
from server.gateway.means import Gate


def gate_of(request: Request) -> Gate:
    """The services behind this application."""
    gate: Gate = request.app.state.gate
    return gate


async def session_of(request: Request, gate: Annotated[Gate, Depends(gate_of)]) -> Session | None:
    """The session that the request presents; None without a good one. Refuses a foreign page that acts with the cookie."""
    authorization = request.headers.get("authorization")
    token = presented_token(authorization, request.headers.get("cookie"))
    if token is None:
        return None
    session = gate.sessions.read(token)
    if session is not None and authorization is None and request.method not in ("GET", "HEAD") and not is_own(gate, request):
        raise Refused("forbidden", "This page may not act for you here.")
    return session


def is_own(gate: Gate, request: Request) -> bool:
    """Whether a browser sends this from one of our own pages, or no browser sends it."""
    return gate.origins.allows(headers_of(request), request.url.scheme, peer_of(request))


def address_of(gate: Gate, request: Request) -> str:
    """What limits count this client by."""
    return gate.addresses.of(headers_of(request), peer_of(request))


def headers_of(request: Request) -> Headers:
    """The request's headers, as sockets know them too."""
    return Headers(request.headers.items())


def peer_of(request: Request) -> str | None:
    """The address at the other end of the wire; None for a local socket."""
    return request.client.host if request.client else None


async def player_if_any(
    session: Annotated[Session | None, Depends(session_of)], gate: Annotated[Gate, Depends(gate_of)]
) -> Player | None:
    """The player who asks; None without a good session, or when the player is gone."""
    return None if session is None else await gate.guests.get(session.player)


async def player_required(player: Annotated[Player | None, Depends(player_if_any)]) -> Player:
    """The player who asks. Refuses those without a session."""
    if player is None:
        raise Refused("no_session", "Begin a session first: POST /api/session.")
    return player


TheGate = Annotated[Gate, Depends(gate_of)]
TheSession = Annotated[Session | None, Depends(session_of)]
MaybePlayer = Annotated[Player | None, Depends(player_if_any)]
ThePlayer = Annotated[Player, Depends(player_required)]
