"""Whether the service lives, and whether it can serve."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from server.gateway.errors import describe
from server.gateway.who import TheGate
from server.match.events import PlayerId

router = APIRouter()


class Health(BaseModel):
    """The answer of a healthy service."""

    status: Literal["ok"] = "ok"


@router.get("/healthz")
async def alive() -> Health:
    """The process lives."""
    return Health()


@router.get("/readyz", responses=describe(503))
async def ready(gate: TheGate) -> Health:
    """The store and the database answer."""
    await gate.log.ping()
    await gate.guests.get(PlayerId(""))
    return Health()
