"""What is told of a match that ended, from the log: its record, its transcript, its card in the lobby while it lasted."""

import json

import msgspec

from server.fairness.transcript import first_head, next_head
from server.match.commands import Rematch
from server.match.events import Finished, MatchEvent, MatchId, canonical
from server.tables.cards import read_card
from server.tables.history import match_in, people_in, record, transcript
from tests.unit.tables.kit import House
from tests.unit.tables.people import ANA, BEN, Person, finished, waiting


async def ended(house: House) -> tuple[Person, MatchId]:
    people = await finished(await house.worker(), 2, bots=["medium"])
    return people[0], (await house.match(people[0].code)).sealed.match


async def test_the_transcript_holds_every_event_as_it_was_shown_and_the_head_over_them_all(house: House) -> None:
    person, match = await ended(house)
    entries = await house.log.matches(match)
    assert entries is not None
    export = json.loads(msgspec.json.encode(transcript(match_in(entries, match))))
    assert (export["format"], export["match"]) == ("cubilete-match/1", match)
    assert export["events"] == [each["event"] for each in person.events]
    events: list[MatchEvent] = match_in(entries, match).events
    head = first_head(bytes.fromhex(match), canonical(events[0]))
    for event in events[1:]:
        head = next_head(head, canonical(event))
    assert export["head"] == head.hex()
    assert person.events[-1]["h"] == export["head"][:16]


async def test_the_record_names_people_and_levels_of_bots(house: House) -> None:
    person, match = await ended(house)
    entries = await house.log.matches(match)
    assert entries is not None
    found = match_in(entries, match)
    assert people_in(found) == [ANA, BEN]
    told = json.loads(msgspec.json.encode(record(found, {ANA: "Ana"})))
    assert told["seats"] == [
        {"seat": 0, "kind": "human", "player": "ana", "name": "Ana"},
        {"seat": 1, "kind": "human", "player": "ben"},
        {"seat": 2, "kind": "bot", "level": "medium"},
    ]
    last = person.events[-1]["event"]
    assert (told["totals"], told["places"], told["reason"]) == (last["totals"], last["places"], "full")
    assert (told["started_at"], told["ended_at"]) == (person.events[0]["event"]["at"], last["at"])
    assert told["order"] == person.events[2]["event"]["order"]


async def test_what_follows_at_the_table_is_not_in_the_match(house: House) -> None:
    person, match = await ended(house)
    await person.do(Rematch(id="r"))
    assert [type(event).__name__ for event in match_in(await house.entries(person.code), match).events][-1] == "Finished"


async def test_a_match_that_is_not_over_yet_is_told_as_far_as_it_went(house: House) -> None:
    person, match = await ended(house)
    entries = await house.entries(person.code)
    over = next(place for place, entry in enumerate(entries) if isinstance(entry.event, Finished))
    found = match_in(entries[:over], match)
    assert len(found.events) == len(person.events) - 1
    assert found.head.hex()[:16] == person.events[-2]["h"]


async def test_a_public_tables_card_tells_who_is_there_and_what_is_played(house: House) -> None:
    await waiting(await house.worker(), 1, seats=4, bots=["medium"], visibility="public")
    [card] = map(read_card, house.log.lobby())
    assert (card.phase, card.sheet, card.preset) == ("waiting", "generala", "standard")
    assert (card.seats, card.free, card.humans, card.bots) == (4, 2, 1, 1)
