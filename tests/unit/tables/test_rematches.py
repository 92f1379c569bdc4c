"""A rematch: asked for by all who stayed, logged before it is opened, opened once through any crash."""

import pytest

from server.match.commands import Leave, Rematch
from server.match.events import Code, Moved, RematchAgreed
from server.tables.service import Tables
from server.tables.telling import Since
from tests.unit.tables.kit import House, settle
from tests.unit.tables.people import ANA, BEN, CARLA, Person, arrive, finished


async def test_when_all_who_stayed_asked_everybody_is_moved_to_a_table_like_the_old_one(house: House) -> None:
    tables = await house.worker()
    people = await finished(tables, clock=30, options={"doble": "off"}, bots=["medium"])
    watcher = await Person(tables, people[0].code, CARLA).join()
    assert (await people[0].do(Rematch(id="a")))["table"]["rematch"] == [[ANA, BEN].index(people[0].player)]  # type: ignore[arg-type]
    assert watcher.all_of("moved") == []
    await people[1].do(Rematch(id="b"))
    [moved] = {message["code"] for person in (*people, watcher) for message in person.all_of("moved")}
    new, old = await house.table(moved), await house.table(people[0].code)
    assert new.settings == old.settings
    assert [(seat.player, seat.level) for seat in new.seats if seat] == [(ANA, None), (BEN, None), (None, "medium")]
    assert new.creator == ANA


async def test_asking_twice_counts_once(house: House) -> None:
    people = await finished(await house.worker())
    await people[0].do(Rematch(id="a"))
    assert (await people[0].do(Rematch(id="b")))["type"] == "ok"
    assert people[0].all_of("moved") == []


async def test_a_rematch_does_not_wait_for_who_left(house: House) -> None:
    people = await finished(await house.worker(), 3)
    await people[0].do(Rematch())
    await people[1].do(Rematch())
    assert (await people[2].do(Leave(id="l")))["type"] == "lobby"
    [moved] = {message["code"] for message in people[2].all_of("moved")}
    new = await house.table(moved)
    assert new.seat_of(people[2].player) is None
    assert new.seat_of(people[0].player) is not None


async def test_who_was_away_when_the_others_moved_is_moved_on_coming_back_and_who_comes_to_look_is_not(house: House) -> None:
    people = await finished(await house.worker())
    last = people[1].events[-1]
    await people[0].do(Rematch())
    people[1].send_in(Rematch())
    people[1].part()
    await settle()
    tables, code = people[0].tables, people[0].code
    back = await Person(tables, code, people[1].player).join(Since(last["n"], people[1].events[0]["event"]["match"], last["h"]))
    assert back.all_of("moved") == people[0].all_of("moved")
    assert (await Person(tables, code, CARLA).join()).all_of("moved") == []


async def test_a_crash_between_the_agreement_and_the_next_table_loses_neither(house: House) -> None:
    people = await finished(await house.worker())
    code = people[0].code
    await people[0].do(Rematch())
    await stop_after(house, RematchAgreed, people[1], code)
    assert not (await house.table(code)).is_moved
    agreed = (await house.table(code)).next_code
    assert agreed is not None
    assert await house.entries(agreed) == []
    tables = await house.restart(away_ms=1_000)
    await settle()
    await house.pass_ms(1_000)
    await told_to_move(house, tables, code, agreed)


async def test_a_crash_between_the_next_table_and_the_move_loses_neither(house: House) -> None:
    people = await finished(await house.worker())
    code = people[0].code
    await people[0].do(Rematch())
    await stop_after(house, "table", people[1], code)
    agreed = (await house.table(code)).next_code
    assert agreed is not None
    assert len(await house.entries(agreed)) == 3
    tables = await house.restart(away_ms=1_000)
    await house.pass_ms(1_000)
    await told_to_move(house, tables, code, agreed)
    assert len(await house.entries(agreed)) == 3


async def stop_after(house: House, what: object, person: Person, code: Code) -> None:
    """The last one asks, and every append after ``what`` (the agreement, or the next table) is lost with the worker."""
    append = house.log.append
    is_over = False

    def until_then(at, expected, change):
        nonlocal is_over
        house.log.is_down = is_over
        kinds = {type(entry.event) for entry in change.entries}
        is_over = is_over or what in kinds or (what == "table" and at != code)
        return append(at, expected, change)

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(house.log, "append", until_then)
        person.send_in(Rematch())
        await settle()
    house.log.is_down = False


async def told_to_move(house: House, tables: Tables, code: Code, agreed: Code) -> None:
    table = await house.table(code)
    assert table.is_moved
    assert [entry.event.code for entry in await house.entries(code) if isinstance(entry.event, Moved)] == [agreed]
    new = await house.table(agreed)
    assert (new.seat_of(ANA), new.seat_of(BEN)) == (0, 1)
    [ana] = await arrive(tables, agreed, ANA)
    assert ana.welcome["you"]["seat"] == 0


async def test_a_rematch_that_everybody_left_before_it_opened_opens_for_nobody(house: House) -> None:
    people = await finished(await house.worker(), 1, bots=["medium"])
    people[0].send_in(Rematch(id="r"))
    people[0].send_in(Leave(id="l"))
    await settle()
    await house.pass_ms(2_000)
    assert people[0].kinds[-1] == "finished"
