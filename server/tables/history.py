"""Finished matches, from the log: the record that people look at, and the transcript that anyone can verify."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from server.fairness.transcript import first_head, next_head
from server.match.events import Entry, Finished, MatchEvent, MatchId, Opened, PlayerId, Sealed, canonical
from server.match.evolve import MATCH_EVENTS

EXPORT_FORMAT = "cubilete-match/1"


class SeatRecord(Struct, frozen=True):
    """Who sat where; a person has a player id and, while they exist, a name."""

    seat: int
    kind: str
    player: PlayerId | UnsetType = UNSET
    name: str | UnsetType = UNSET
    level: str | UnsetType = UNSET


class MatchRecord(Struct, frozen=True, kw_only=True):
    """A finished match in short. Times are milliseconds since the epoch; ``head`` is the whole last head."""

    match: MatchId
    sheet: str
    preset: str
    options: dict[str, Any]
    rated: bool
    clock: int
    attempt: int
    seats: list[SeatRecord]
    order: tuple[int, ...]
    reason: str
    totals: dict[str, int]
    places: dict[str, int]
    started_at: int
    ended_at: int
    head: str


class Transcript(Struct, frozen=True, kw_only=True):
    """The verifiable export (dice.md, Transcript)."""

    format: str
    match: MatchId
    events: list[msgspec.Raw]
    head: str


class FinishedMatch(Struct, frozen=True):
    """The events of one finished match, first to last, and the head over them all."""

    events: list[MatchEvent]
    head: bytes


def match_in(entries: Iterable[Entry], match: MatchId) -> FinishedMatch:
    """The match with this id in a table's log that holds its end. Nothing is folded: there is no more to it than that."""
    events: list[MatchEvent] = []
    head = b""
    for entry in entries:
        event = entry.event
        if isinstance(event, Sealed) and event.match == match:
            events, head = [event], first_head(bytes.fromhex(match), canonical(event))
        elif events and type(event) in MATCH_EVENTS:
            events.append(event)  # type: ignore[arg-type]
            head = next_head(head, canonical(event))  # type: ignore[arg-type]
            if isinstance(event, Finished):
                break
    return FinishedMatch(events, head)


def transcript(match: FinishedMatch) -> Transcript:
    """The export, with every event in its canonical form."""
    return Transcript(
        format=EXPORT_FORMAT,
        match=_sealed(match).match,
        events=[msgspec.Raw(canonical(event)) for event in match.events],
        head=match.head.hex(),
    )


def record(match: FinishedMatch, names: Mapping[PlayerId, str]) -> MatchRecord:
    """The record, with the names that people have now."""
    sealed = _sealed(match)
    finished = match.events[-1]
    assert isinstance(finished, Finished)
    opened = next(event for event in match.events if isinstance(event, Opened))
    return MatchRecord(
        match=sealed.match,
        sheet=sealed.sheet,
        preset=sealed.preset,
        options=sealed.options,
        rated=sealed.rated,
        clock=sealed.clock,
        attempt=sealed.attempt,
        seats=[
            SeatRecord(
                seat=seat.seat,
                kind=seat.kind,
                player=seat.player,
                name=UNSET if seat.player is UNSET else names.get(seat.player, UNSET),
                level=seat.level,
            )
            for seat in sealed.seats
        ],
        order=opened.order,
        reason=finished.reason,
        totals=finished.totals,
        places=finished.places,
        started_at=sealed.at,
        ended_at=finished.at,
        head=match.head.hex(),
    )


def people_in(match: FinishedMatch) -> list[PlayerId]:
    """The players who sat."""
    return [seat.player for seat in _sealed(match).seats if seat.player is not UNSET]


def _sealed(match: FinishedMatch) -> Sealed:
    sealed = match.events[0]
    assert isinstance(sealed, Sealed)
    return sealed
