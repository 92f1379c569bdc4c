"""Two workers at one log, each serving some of the people: the log decides who was first, and everybody sees the same."""

import asyncio

from server.match.commands import (
    ChangeSettings,
    Close,
    Commit,
    Leave,
    Rematch,
    Roll,
    Sit,
    Stand,
    Start,
)
from server.match.events import Moved, RematchAgreed
from server.protocol.incoming import Hold, Say
from server.tables.service import Tables
from tests.unit.tables.kit import CLOCK_MS, GatedLog, House, Plain, form, settle
from tests.unit.tables.people import ANA, BEN, CARLA, Person, by_turn, commit, finished, play_turn, playing, reveal, sit


async def two_workers(house: House) -> tuple[Tables, Tables]:
    return await house.worker(), await house.worker()


async def split(house: House) -> list[Person]:
    """A match under way: Ana is served by one worker, Ben by the other; the one on turn first."""
    one, other = await two_workers(house)
    code = await one.open(ANA, form())
    people = [*await sit(one, code, ANA), *await sit(other, code, BEN)]
    await people[0].do(Start())
    await commit(people)
    await reveal(people)
    return await by_turn(people)


async def test_people_of_two_workers_play_a_match_and_see_the_same_events(house: House) -> None:
    first, second = await split(house)
    while (await house.match(first.code)).finished is None:
        await play_turn([first, second])
    assert first.events == second.events
    assert [each["n"] for each in first.events] == list(range(len(first.events)))
    assert first.kinds[-1] == "finished"


async def test_of_two_who_take_one_seat_at_once_the_second_is_refused(house: House) -> None:
    one, other = await two_workers(house)
    code = await one.open(ANA, form())
    ana, ben = await Person(one, code, ANA).join(), await Person(other, code, BEN).join()
    ana.send_in(Sit(seat=0, id="a"))
    ben.send_in(Sit(seat=0, id="b"))
    await settle()
    table = await house.table(code)
    assert table.seat_of(ANA) == 0
    assert table.seat_of(BEN) is None
    assert ben.got[-1]["code"] == "seat_taken"
    assert ben.got[-1]["ref"] == "b"
    assert ana.got[-1]["ref"] == "a"


async def test_a_decision_that_came_second_is_taken_again_on_the_new_state(house: House) -> None:
    one, other = await two_workers(house)
    code = await one.open(ANA, form())
    ana, ben = await Person(one, code, ANA).join(), await Person(other, code, BEN).join()
    ana.send_in(Sit(id="a"))
    ben.send_in(Sit(id="b"))
    await settle()
    table = await house.table(code)
    assert (table.seat_of(ANA), table.seat_of(BEN)) == (0, 1)
    assert [message["ref"] for message in ben.got if "ref" in message] == ["b"]
    for person in (ana, ben):
        assert [seat["name"] for seat in person.all_of("lobby")[-1]["table"]["seats"]] == ["Ana", "Ben"]


async def test_of_two_tabs_at_two_workers_that_roll_at_once_one_rolls(house: House) -> None:
    first, second = await split(house)
    tab = await Person(second.tables, first.code, first.player).join()
    for person in (first, tab):
        person.send_in(Roll(held=(), expect=person.n, id="x" if person is first else "y"))
    await settle()
    assert first.kinds.count("rolled") == 1
    refused = [message for person in (first, tab) for message in person.all_of("error")]
    assert [message["code"] for message in refused] == ["stale"]


async def test_the_same_id_sent_to_two_workers_at_once_is_applied_once_and_answered_twice(house: House) -> None:
    first, second = await split(house)
    tab = await Person(second.tables, first.code, first.player).join()
    for person in (first, tab):
        person.send_in(Roll(held=(), expect=person.n, id="once"))
    await settle()
    answers = [message for person in (first, tab) for message in person.got if message.get("ref") == "once"]
    assert len(answers) == 2
    assert answers[0] == answers[1]
    assert second.kinds.count("rolled") == 1


async def test_two_workers_fire_the_same_wake_and_it_happens_once(house: House) -> None:
    first, second = await split(house)
    await house.pass_ms(CLOCK_MS + 1_000)
    assert first.kinds.count("scored") == 1
    assert first.events == second.events


async def test_holds_and_phrases_reach_the_other_worker_once(house: House) -> None:
    first, second = await split(house)
    await first.roll()
    await first.do(Hold(held=(1, 3), id="h"))
    await first.do(Say(phrase="hello", id="s"))
    for person in (first, second):
        assert [each["held"] for each in person.all_of("holding")] == [[1, 3]]
        assert [each["phrase"] for each in person.all_of("said")] == ["hello"]
    late = await Person(second.tables, first.code, CARLA).join()
    assert late.welcome["table"]["turn"]["held"] == [1, 3]


async def test_a_note_about_a_table_that_nobody_here_looks_at_is_let_go(house: House) -> None:
    one, other = await two_workers(house)
    people = await playing(one)
    await people[0].do(Say(phrase="hello", id="s"))
    assert people[1].all_of("said")
    assert await other.snapshot(people[0].code, None)


async def test_an_append_that_lands_while_a_worker_reads_another_is_not_missed(house: House) -> None:
    """The first is heard and read; the second comes while that answer is on its way."""
    slow = GatedLog(house.log)
    one, other = await house.worker(), await house.worker(log=slow)
    code = await one.open(ANA, form())
    [ana] = await sit(one, code, ANA)
    [watcher] = [await Person(other, code, None).join()]
    slow.answering.clear()
    await ana.do(ChangeSettings(clock=30))
    await ana.do(ChangeSettings(clock=45))
    slow.answering.set()
    await settle()
    assert watcher.all_of("lobby")[-1]["table"]["clock"] == 45


async def test_what_is_caught_up_with_at_once_is_shown_in_its_order(house: House) -> None:
    """A seat and the seal over it: a client commits only to a seal that equals the table it last showed."""
    slow = GatedLog(house.log)
    one, other = await house.worker(), await house.worker(log=slow)
    code = await one.open(ANA, form(seats=3))
    [ana] = await sit(one, code, ANA)
    [carla] = await sit(other, code, CARLA)
    slow.asking.clear()
    await sit(one, code, BEN)
    await ana.do(Start())
    mark = len(carla.got)
    slow.asking.set()
    await settle()
    assert [message["type"] for message in carla.got[mark:] if message["type"] != "presence"] == ["lobby", "event"]
    assert carla.got[mark]["table"]["seats"][2]["player"] == BEN
    assert carla.got[mark]["table"]["phase"] == "waiting"


async def test_a_seal_that_failed_and_the_next_are_shown_in_their_order(house: House) -> None:
    slow = GatedLog(house.log)
    one, other = await house.worker(), await house.worker(log=slow)
    code = await one.open(ANA, form(seats=3))
    ana, ben = await sit(one, code, ANA, BEN)
    [carla] = await sit(other, code, CARLA)
    await ana.do(Start())
    slow.asking.clear()
    await ben.do(Stand())
    await ana.do(Start())
    mark = len(carla.got)
    slow.asking.set()
    await settle()
    shown = [message for message in carla.got[mark:] if message["type"] != "presence"]
    assert [message["type"] for message in shown] == ["lobby", "event"]
    assert shown[0]["aborted"]["seats"] == [1]
    assert shown[1]["event"]["attempt"] == 2


async def test_a_table_that_was_closed_at_another_worker_is_closed_here_too(house: House) -> None:
    one, other = await two_workers(house)
    code = await one.open(ANA, form())
    [ana] = await sit(one, code, ANA)
    [ben] = await sit(other, code, BEN)
    await ana.do(Close())
    assert (ana.closed, ben.closed) == (4004, 4004)


async def test_a_command_to_a_table_that_was_just_closed_elsewhere_is_refused(house: House) -> None:
    one, other = await two_workers(house)
    code = await one.open(ANA, form())
    [ana] = await sit(one, code, ANA)
    [ben] = await sit(other, code, BEN)
    ana.send_in(Close())
    ben.send_in(Stand(id="s"))
    await settle()
    assert ben.closed == 4004
    assert [message["code"] for message in ben.all_of("error")] == ["wrong_phase"]


async def test_a_rematch_is_opened_once_and_everybody_is_moved_once(house: House) -> None:
    one, other = await two_workers(house)
    people = await finished(one)
    code = people[0].code
    watcher = await Person(other, code, CARLA).join()
    for person in people:
        await person.do(Rematch())
    assert [len(person.all_of("moved")) for person in (*people, watcher)] == [1, 1, 1]
    events = [entry.event for entry in await house.entries(code)]
    assert sum(isinstance(event, RematchAgreed) for event in events) == 1
    assert sum(isinstance(event, Moved) for event in events) == 1
    new = await house.table(watcher.all_of("moved")[0]["code"])
    assert (new.creator, new.seat_of(ANA), new.seat_of(BEN)) == (ANA, 0, 1)


async def test_an_append_that_lands_while_a_table_is_loaded_is_not_missed(house: House) -> None:
    slow = GatedLog(house.log)
    one, other = await house.worker(), await house.worker(log=slow)
    code = await one.open(ANA, form())
    [ana] = await sit(one, code, ANA)
    slow.answering.clear()
    watcher = Person(other, code, None)
    joining = asyncio.create_task(watcher.join())
    await settle()
    await ana.do(ChangeSettings(clock=45))
    slow.answering.set()
    await joining
    shown = [message["table"]["clock"] for message in watcher.got if "table" in message]
    assert shown[-1] == 45


async def test_resigning_at_one_worker_ends_the_match_at_the_other(house: House) -> None:
    first, second = await split(house)
    await first.do(Leave(id="l"))
    assert second.kinds[-2:] == first.kinds[-2:] == ["left", "finished"]
    answers = [message["event"]["type"] for message in first.got if message.get("ref") == "l"]
    assert answers == ["left"]


async def test_a_seal_begun_at_one_worker_is_gone_through_at_the_other(house: House) -> None:
    """The root comes from the store, not from who drew it."""
    first, second = await split(house)
    assert first.events == second.events
    assert first.kinds == ["sealed", "committed", "opened"]
    assert (await second.do(Commit(commitment="0" * 64, id="c")))["code"] == "wrong_phase"


async def test_a_bot_at_two_workers_plays_once(house: House) -> None:
    """Both workers think, one is first; the other's move is for a table that has moved on."""
    one, other = await two_workers(house)
    people = await playing(one, 1, bots=["medium"])
    watcher = await Person(other, people[0].code, CARLA).join()
    while people[0].kinds[-1] != "finished":
        await play_turn(people)
        await house.pass_ms(1_000)
    assert people[0].kinds.count("scored") == 22
    assert watcher.events == people[0].events[-len(watcher.events) :]
    assert all(isinstance(tables.means.advisor, Plain) and tables.means.advisor.asked for tables in (one, other))


async def test_a_wake_for_a_table_that_was_closed_elsewhere_is_let_go(house: House) -> None:
    one, other = await two_workers(house)
    code = await one.open(ANA, form())
    [ana] = await sit(other, code, ANA)
    await ana.do(Close())
    assert ana.closed == 4004
    await house.pass_ms(11 * 60_000)
    assert await house.entries(code) == []
