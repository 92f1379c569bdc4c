"""Finished matches: the record and the transcript, from the log."""

from fastapi import APIRouter, Response

from server.errors import Refused
from server.gateway.errors import describe
from server.gateway.means import Gate
from server.gateway.schema import json_of, shape
from server.gateway.who import TheGate
from server.match.events import MatchId
from server.tables.history import FinishedMatch, MatchRecord, Transcript, match_in, people_in, record, transcript

router = APIRouter()


@router.get("/api/matches/{match}", responses={**shape(MatchRecord), **describe(404, 409, 503)})
async def match_record(match: str, gate: TheGate) -> Response:
    """Who played, under which rules, and how it ended."""
    found = await _finished(gate, match)
    return json_of(record(found, await gate.directory.names(people_in(found))))


@router.get("/api/matches/{match}/transcript", responses={**shape(Transcript), **describe(404, 409, 503)})
async def match_transcript(match: str, gate: TheGate) -> Response:
    """Every event of the match, in the form that is hashed."""
    return json_of(transcript(await _finished(gate, match)))


async def _finished(gate: Gate, match: str) -> FinishedMatch:
    match_id = MatchId(match)
    is_running = await gate.log.is_running(match_id)  # asked first: a match can end in between, never begin again
    entries = await gate.log.matches(match_id)
    if entries is not None:
        return match_in(entries, match_id)
    if is_running:
        raise Refused("not_finished", "This match is still being played; it can be read from the moment it ends.")
    raise Refused("unknown", "There is no such match.")
