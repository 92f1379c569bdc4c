"""Entries of the log: how events are written, and that their fold is the state (dice.md, Transcript)."""

import json

import msgspec
import pytest

from server.fairness.transcript import first_head, next_head
from server.match.commands import ComeBack, Leave, Rematch, Sit
from server.match.events import (
    Back,
    Closed,
    Entry,
    Left,
    Opened,
    Rolled,
    Scored,
    Sealed,
    canonical,
)
from server.match.evolve import MATCH_EVENTS, evolve, fold
from tests.unit.match.kit import ANA, BEN, CARLA, playing, sealing

FIELDS = {
    "sealed": "anchor at attempt clock format match options preset rated seats sheet turns type",
    "committed": "at commitments type",
    "opened": "at contributions entropy order type",
    "rolled": "at auto dice held roll seat turn type",
    "scored": "at auto bonus box key points seat turn type",
    "back": "at seat type",
    "left": "at reason seat type",
    "clock": "at deadline from reason seat to turn type",
    "finished": "at places reason root totals type",
}


def eventful():
    """A match with every kind of event, a seal that failed before it, and a rematch after it."""
    game = sealing(3, seats=4)
    game.do(BEN, Leave())
    game.do(ANA, Sit(seat=3))
    game.now += 60_000
    game.do(BEN, Sit(seat=1))
    game.seal()
    for _ in range(2):
        for auto in (True, False, False):
            game.force_score(game.open_boxes[0], auto=auto)
    while game.turn.seat != 3:
        game.force_score(game.open_boxes[0], auto=True)
    game.outage(game.now + 1_000, game.now + 2_000)
    game.until(game.now)
    game.roll()
    game.score(game.open_boxes[0])
    for player in (BEN, CARLA):
        if game.match.is_away(game.match.seat_of(player)):
            game.do(player, ComeBack())
    game.leave(BEN)
    game.leave(CARLA)
    game.do(ANA, Rematch())
    game.until(game.now + 25 * 3_600_000)
    return game


def test_every_match_event_has_exactly_the_fields_of_the_page():
    game = eventful()
    seen = set()
    for event in game.events:
        if type(event) in MATCH_EVENTS:
            fields = json.loads(canonical(event))
            assert " ".join(sorted(fields, key=lambda name: (name == "type", name))) == FIELDS[fields["type"]]
            seen.add(fields["type"])
    assert seen == set(FIELDS)
    assert isinstance(game.events[-1], Closed)


def test_an_event_is_written_in_canonical_form():
    game = eventful()
    for event in game.events:
        written = canonical(event)
        again = json.dumps(json.loads(written), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert written == again.encode()
        assert b"null" not in written
        assert b"." not in written.replace(b"...", b"")


def test_n_and_head_follow_from_the_match_events_alone():
    game = playing(2)
    game.roll()
    game.score("ones")
    match = [event for event in game.events if type(event) in MATCH_EVENTS]
    head = first_head(game.match.id_bytes, canonical(match[0]))
    for event in match[1:]:
        head = next_head(head, canonical(event))
    assert (game.match.n, game.match.head) == (len(match) - 1, head)
    assert [type(event) for event in match[0:1] + match[2:]] == [Sealed, Opened, Rolled, Scored]


def test_entries_beside_the_match_are_never_counted():
    game = sealing(2)
    head = game.match.head
    game.do(ANA, game.commitment(0))
    assert (game.match.n, game.match.head) == (0, head)
    assert game.table.length == len(game.entries)


@pytest.mark.parametrize("form", [msgspec.json, msgspec.msgpack])
def test_the_fold_of_a_log_that_was_written_and_read_is_the_live_state(form):
    game = eventful()
    read = form.decode(form.encode(game.entries), type=list[Entry])
    assert read == game.entries
    assert fold(read) == game.table


def test_a_fold_may_go_on_from_a_state():
    game = eventful()
    half = len(game.entries) // 2
    assert fold(game.entries[half:], fold(game.entries[:half])) == game.table
    assert fold([]) is None


@pytest.mark.parametrize("field", ["extra", "seat"])
def test_an_event_with_a_field_too_many_or_too_few_is_not_read(field):
    plain = {"type": "back", "at": 1, "seat": 0}
    changed = plain | {"extra": 1} if field == "extra" else {name: plain[name] for name in ("type", "at")}
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(changed, Back)


def test_a_log_begins_with_the_opening_of_its_table():
    with pytest.raises(AssertionError):
        evolve(None, Left(at=0, seat=0, reason="resigned"))


def test_events_are_values_that_nobody_changes():
    game = playing(2)
    before = game.table
    events = game.roll()
    assert isinstance(events[0], Rolled)
    assert before.match is not None
    assert before.match.turn is not None
    assert before.match.turn.roll == 0
    with pytest.raises(AttributeError):
        events[0].roll = 2


def test_the_state_before_a_write_is_not_touched_by_it():
    game = playing(2)
    game.roll()
    before, sheets = game.table, game.match.sheets
    game.score("ones")
    assert before.match is not None
    assert before.match.sheets is sheets
    assert sheets[0].boxes == {}
    assert game.match.sheets[1] is sheets[1]
