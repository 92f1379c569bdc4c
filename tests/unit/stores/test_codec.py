"""Entries as bytes."""

from types import UnionType
from typing import Any, get_args

import msgspec
import pytest

from server.match import events
from server.match.events import ENTRY_VERSION, Cause, Code, Entry, Event, MatchId, PlayerId
from server.stores.codec import decode, encode
from server.tables.ports import StoreUnavailable

ANA, MATCH, HEX = PlayerId("ana"), MatchId("1" * 32), "ab" * 32
OPTIONS: dict[str, Any] = {"joker": "forced", "points": {"full": 30}, "doble": True, "factors": [1, 2]}
SETTINGS = events.Settings(
    sheet="generala", preset="standard", options=OPTIONS, clock=45, seats=2, visibility="public", rated=True
)
SEATS = (events.SealedSeat(seat=0, kind="human", player=ANA), events.SealedSeat(seat=1, kind="bot", level="medium"))

EXAMPLES: list[Event] = [
    events.Sealed(
        at=1,
        match=MATCH,
        attempt=1,
        sheet="generala",
        preset="standard",
        options=OPTIONS,
        rated=True,
        clock=45,
        seats=SEATS,
        turns=22,
        anchor=HEX,
        format="cubilete/1",
    ),
    events.Committed(at=2, commitments={"0": HEX}),
    events.Opened(at=3, contributions={"0": HEX}, entropy=HEX, order=(1, 0)),
    events.Rolled(at=4, turn=1, seat=1, roll=2, held=(0, 4), dice=(1, 2, 3, 4, 5), auto=False),
    events.Scored(at=5, turn=1, seat=1, box="full", points=30, bonus=0, auto=True, key=HEX),
    events.Back(at=6, seat=0),
    events.Left(at=7, seat=0, reason="resigned"),
    events.ClockGiven(at=8, turn=2, seat=0, from_ms=1, to_ms=2**53 - 1, deadline=9, reason="outage"),
    events.Finished(at=9, reason="void", totals={"0": -1}, places={"0": 1}, root=HEX),
    events.TableOpened(at=10, creator=ANA, settings=SETTINGS, bots=("easy",)),
    events.Sat(at=11, seat=0, player=PlayerId("Ñandú \U0001f3b2")),
    events.Stood(at=12, seat=0),
    events.BotAdded(at=13, seat=1, level="hard"),
    events.SettingsChanged(at=14, settings=SETTINGS),
    events.SettingsChanged(at=15, settings=SETTINGS, bots=()),
    events.CreatorPassed(at=16, player=ANA),
    events.CommitmentTaken(at=17, seat=0, commitment=HEX),
    events.ContributionTaken(at=18, seat=0, contribution=HEX),
    events.SealAborted(at=19, match=MATCH, seats=(0,), root=HEX),
    events.RematchAsked(at=20, player=ANA),
    events.WalkedOff(at=21, player=ANA),
    events.RematchAgreed(at=22, code=Code("ABC234")),
    events.Moved(at=23, code=Code("ABC234")),
    events.Closed(at=24, reason="empty"),
]


def kinds(union: Any) -> set[type]:
    return {kind for part in get_args(union) for kind in (kinds(part) if isinstance(part, UnionType) else {part})}


def entry(event: Event, version: int = ENTRY_VERSION) -> Entry:
    return Entry(version=version, event=event, nonce="0f", cause=Cause(ANA, "c1"))


def test_every_event_has_an_example() -> None:
    assert {type(event) for event in EXAMPLES} == kinds(Event)


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: f"{type(event).__name__}-{event.at}")
def test_an_event_is_read_as_it_was_written(event: Event) -> None:
    new = (entry(event), Entry(version=ENTRY_VERSION, event=event, nonce=""))
    assert decode(encode(new)) == list(new)


def test_no_entries_are_read_as_none() -> None:
    assert decode(encode(())) == []


@pytest.mark.parametrize("value", [object(), 2**64, "\ud800"])
def test_what_no_log_can_hold_is_refused_when_it_is_written(value: object) -> None:
    unfit = events.Committed(at=1, commitments={"0": value})  # type: ignore[dict-item]
    with pytest.raises((TypeError, OverflowError, UnicodeEncodeError)):
        encode([entry(unfit)])


@pytest.mark.parametrize(
    "event",
    [{"type": "back", "at": 1, "seat": 0}, {"type": "teleported", "at": 1}, {"type": "back", "at": 1, "seat": 0, "why": "?"}],
    ids=["known", "unknown", "with more fields"],
)
def test_an_entry_of_a_newer_program_is_refused_whatever_its_event_is(event: dict[str, object]) -> None:
    newer = msgspec.msgpack.encode([entry(EXAMPLES[0]), {"version": ENTRY_VERSION + 1, "event": event, "nonce": "n"}])
    with pytest.raises(StoreUnavailable, match="newer program; update this one"):
        decode(newer)


@pytest.mark.parametrize(
    "blob",
    [
        b"",
        b"dice",
        encode([entry(EXAMPLES[3])])[:-1],
        msgspec.msgpack.encode([{"version": ENTRY_VERSION, "event": {"type": "teleported", "at": 1}, "nonce": "n"}]),
    ],
    ids=["nothing", "noise", "cut off", "unknown event of this version"],
)
def test_what_cannot_be_read_is_said_to_be_damaged(blob: bytes) -> None:
    with pytest.raises(StoreUnavailable, match="damaged"):
        decode(blob)
