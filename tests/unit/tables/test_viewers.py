"""What connections are sent: the snapshot and what was missed, everything once and in order, seats before watchers."""

import asyncio

import pytest

from server.match.commands import Commit, Leave, Start
from server.match.events import PlayerId
from server.protocol.incoming import Hold, Ping, Say
from server.tables.room import TABS, Room
from server.tables.telling import CATCH_UP, TAIL, Since
from tests.unit.tables.kit import CLOCK_MS, LATENESS_MS, GatedLog, House, settle
from tests.unit.tables.people import (
    ANA,
    BEN,
    CARLA,
    Message,
    Person,
    arrive,
    commit,
    finished,
    play_turn,
    playing,
    seal,
    waiting,
)


def since(person: Person, place: int = -1) -> Since:
    """The event at this place of what a person has, as they would ask for what came after."""
    told = person.events[place]
    return Since(told["n"], person.events[0]["event"]["match"], told["h"])


async def again(person: Person, asked: Since | None) -> Person:
    """A further connection of the same player, which asks for what it missed."""
    return await Person(person.tables, person.code, person.player).join(asked)


def missed(person: Person) -> list[Message] | None:
    events: list[Message] | None = person.welcome.get("events")
    return events


async def test_a_first_connection_gets_the_snapshot_alone(house: House) -> None:
    first, _ = await playing(await house.worker())
    late = await again(first, None)
    assert missed(late) is None
    assert late.welcome["n"] == 2
    assert late.welcome["you"] == {"player": first.player, "seat": late.welcome["table"]["turn"]["seat"]}
    assert late.welcome["now"] == house.clock.now_ms()


async def test_who_has_everything_has_missed_nothing(house: House) -> None:
    first, _ = await playing(await house.worker())
    assert missed(await again(first, since(first))) == []


async def test_what_was_missed_is_in_the_welcome_as_it_was_sent(house: House) -> None:
    first, second = await playing(await house.worker())
    asked = since(second)
    await first.roll()
    await first.score("ones")
    await second.roll()
    back = await again(second, asked)
    assert missed(back) == second.events[3:]


async def test_what_is_older_than_the_tail_is_read_from_the_log(house: House) -> None:
    people = await playing(await house.worker())
    while people[0].n < TAIL + 10:
        await play_turn(people)
    assert missed(await again(people[0], since(people[0], 0))) == people[0].events[1:]


async def test_the_tail_alone_is_enough_for_a_short_gap(house: House) -> None:
    log = GatedLog(house.log)
    people = await playing(await house.worker(log=log))
    while people[0].n < TAIL + 10:
        await play_turn(people)
    log.asking.clear()
    assert missed(await again(people[0], since(people[0], -TAIL))) == people[0].events[1 - TAIL :]


async def test_events_that_come_while_the_log_is_read_are_missed_by_nobody(house: House) -> None:
    log = GatedLog(house.log)
    people = await playing(await house.worker(log=log))
    while people[0].n < TAIL + 4:
        await play_turn(people)
    log.answering.clear()
    late = Person(people[0].tables, people[0].code, CARLA)
    joining = asyncio.create_task(late.join(since(people[0], 1)))
    await settle()
    await play_turn(people)
    log.answering.set()
    await joining
    assert missed(late) == people[0].events[2:]
    await play_turn(people)
    assert late.events == people[0].events[-2:]


async def test_a_gap_that_the_tail_cannot_close_gets_the_snapshot_alone(house: House) -> None:
    log = GatedLog(house.log)
    people = await playing(await house.worker(log=log))
    while people[0].n < TAIL + 4:
        await play_turn(people)
    log.answering.clear()
    late = Person(people[0].tables, people[0].code, CARLA)
    joining = asyncio.create_task(late.join(since(people[0], 1)))
    await settle()
    for _ in range(TAIL):
        if people[0].kinds[-1] != "finished":
            await play_turn(people)
    log.answering.set()
    await joining
    assert missed(late) is None
    assert late.welcome["n"] == people[0].n


async def test_more_than_two_hundred_events_are_too_many(house: House) -> None:
    people = await playing(await house.worker(), 6)
    while people[0].n < CATCH_UP + 1:
        for _ in range(2):
            await rolling(people)
        await play_turn(people)
    place = people[0].n - CATCH_UP
    assert len(missed(await again(people[0], since(people[0], place))) or []) == CATCH_UP
    assert missed(await again(people[0], since(people[0], place - 1))) is None


async def rolling(people: list[Person]) -> None:
    seat = people[0].events[-1]["turn"]["seat"]
    await next(person for person in people if person.welcome["you"].get("seat", seat_of(person)) == seat).roll()


def seat_of(person: Person) -> int:
    seats = person.all_of("lobby")[-1]["table"]["seats"]
    return next(seat["seat"] for seat in seats if seat["player"] == person.player)


@pytest.mark.parametrize("wrong", ["match", "head", "beyond", "negative"])
async def test_a_since_that_fits_nothing_here_gets_the_snapshot_alone(house: House, wrong: str) -> None:
    first, _ = await playing(await house.worker())
    good = since(first)
    asked = {
        "match": good._replace(match="0" * 32),
        "head": good._replace(h="0" * 16),
        "beyond": good._replace(n=good.n + 1),
        "negative": good._replace(n=-1),
    }[wrong]
    assert missed(await again(first, asked)) is None


async def test_a_since_from_before_a_failed_seal_gets_the_snapshot_alone(house: House) -> None:
    people = await waiting(await house.worker())
    await people[0].do(Start())
    asked = since(people[0])
    await people[1].do(Leave())
    assert missed(await again(people[0], asked)) is None


async def test_a_since_from_before_a_failed_seal_fits_no_later_match(house: House) -> None:
    people = await waiting(await house.worker(), 3)
    await people[0].do(Start())
    asked = since(people[0])
    await people[2].do(Leave())
    await seal(people[:2])
    assert missed(await again(people[0], asked)) is None


async def test_a_since_of_the_match_after_a_failed_seal_is_caught_up_with(house: House) -> None:
    people = await waiting(await house.worker(), 3)
    await people[0].do(Start())
    await commit(people)
    await people[2].do(Leave())
    await people[0].do(Start())
    sealed = people[0].events[-1]
    asked = Since(0, sealed["event"]["match"], sealed["h"])
    await commit(people[:2])
    assert missed(await again(people[0], asked)) == people[0].events[-1:]


async def test_a_match_that_changes_while_somebody_arrives_is_not_mixed_with_the_old_one(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = await waiting(await house.worker(), 3)
    await people[0].do(Start())
    asked = since(people[0])
    connected = house.log.connected

    async def meanwhile(*who):
        monkeypatch.undo()
        await people[2].do(Leave())
        await people[0].do(Start())
        await commit(people[:2])
        return await connected(*who)

    monkeypatch.setattr(house.log, "connected", meanwhile)
    late = await again(people[1], asked)
    assert missed(late) is None
    assert late.welcome["n"] == 1


async def test_the_end_of_a_match_can_be_caught_up_with(house: House) -> None:
    people = await finished(await house.worker())
    last = await again(people[0], since(people[0], -2))
    assert [each["event"]["type"] for each in missed(last) or []] == ["finished"]
    assert last.welcome["table"]["places"]


async def test_answers_go_to_the_sender_alone_and_the_reference_comes_last(house: House) -> None:
    first, second = await playing(await house.worker())
    tab = await again(first, None)
    answer = await first.roll(ref="mine")
    assert list(answer)[-1] == "ref"
    assert [message for person in (second, tab) for message in person.got if message.get("ref") == "mine"] == []
    assert first.events[-1] == second.events[-1] == tab.events[-1]


async def test_a_command_without_an_id_gets_no_reference(house: House) -> None:
    people = await waiting(await house.worker())
    await people[0].do(Start())
    await commit(people)
    assert [message for person in people for message in person.got if "ref" in message] == []
    assert people[0].kinds == people[1].kinds == ["sealed", "committed"]


async def test_the_last_commitment_is_answered_once_by_the_list_and_an_earlier_one_by_a_word(house: House) -> None:
    people = await waiting(await house.worker())
    await people[0].do(Start())
    for person, command_id in zip(people, ("a", "b"), strict=True):
        await person.do(Commit(commitment=command_id * 64, id=command_id))
    answers = [[(each["type"], each["ref"]) for each in person.got if "ref" in each] for person in people]
    assert answers == [[("ok", "a")], [("event", "b")]]


async def test_five_tabs_are_live_and_a_sixth_replaces_the_oldest(house: House) -> None:
    first, _ = await playing(await house.worker())
    tabs = [first, *[await again(first, None) for _ in range(TABS - 1)]]
    assert [tab.closed for tab in tabs] == [None] * TABS
    await first.roll()
    assert [tab.events[-1]["event"]["type"] for tab in tabs] == ["rolled"] * TABS
    sixth = await again(first, None)
    assert [tab.closed for tab in tabs] == [4009, *[None] * (TABS - 1)]
    await tabs[1].score("ones")
    assert sixth.events[-1]["event"]["type"] == "scored"
    assert tabs[0].events[-1]["event"]["type"] == "rolled"


async def test_a_player_whose_oldest_tab_was_replaced_is_still_there(house: House) -> None:
    first, second = await playing(await house.worker())
    for _ in range(TABS):
        await again(first, None)
    seat = str(first.events[-1]["turn"]["seat"])
    assert second.all_of("presence")[-1]["seats"][seat] == {"connected": True, "away": False}


async def test_any_number_of_people_without_a_session_may_watch(house: House) -> None:
    first, _ = await playing(await house.worker())
    watchers = await arrive(first.tables, first.code, *[None] * (TABS + 2))
    assert [watcher.closed for watcher in watchers] == [None] * (TABS + 2)
    assert first.all_of("presence")[-1]["watching"] == TABS + 2
    await watchers[0].hang_up()
    assert first.all_of("presence")[-1]["watching"] == TABS + 1


async def test_presence_tells_who_came_and_went(house: House) -> None:
    first, second = await playing(await house.worker())
    seat = str(second.welcome["you"].get("seat", seat_of(second)))
    await second.hang_up()
    assert first.all_of("presence")[-1]["seats"][seat]["connected"] is False
    await again(second, None)
    assert first.all_of("presence")[-1]["seats"][seat]["connected"] is True


async def test_names_are_known_of_those_who_sit_or_look(house: House) -> None:
    people = await waiting(await house.worker())
    live = await people[0].tables.get(people[0].code)
    watcher, tab = await arrive(people[0].tables, people[0].code, CARLA, CARLA)
    await tab.hang_up()
    await people[1].hang_up()
    assert set(live.stage.names) == {ANA, BEN, CARLA}
    await watcher.hang_up()
    assert set(live.stage.names) == {ANA, BEN}


async def test_a_connection_that_is_gone_already_is_let_go_of_once(house: House) -> None:
    first, second = await playing(await house.worker())
    live = await first.tables.get(first.code)
    await second.hang_up()
    mark = len(first.got)
    first.tables.part(live, second)
    await settle()
    assert first.got[mark:] == []


async def test_a_seat_that_becomes_away_and_comes_back_is_told_to_all(house: House) -> None:
    first, second = await playing(await house.worker())
    seat = str(seat_of(first))
    await house.pass_ms(CLOCK_MS + LATENESS_MS)
    await play_turn([second])
    assert not any(message["seats"].get(seat, {}).get("away") for message in first.all_of("presence"))
    await house.pass_ms(CLOCK_MS + LATENESS_MS)
    assert second.all_of("presence")[-1]["seats"][seat]["away"] is True
    await play_turn([second])
    await first.roll()
    assert second.kinds[-2:] == ["back", "rolled"]
    assert second.all_of("presence")[-1]["seats"][seat]["away"] is False


class Ear:
    """A viewer that notes when it is sent something, among others."""

    def __init__(self, player: str | None, heard: "list[Ear]") -> None:
        self.player = None if player is None else PlayerId(player)
        self.heard = heard

    def send(self, message: bytes) -> None:
        assert message == b"{}"
        self.heard.append(self)

    def close(self, code: int, reason: str) -> None:
        raise AssertionError((code, reason))


def test_seats_are_served_before_watchers_also_after_somebody_sat_down() -> None:
    heard: list[Ear] = []
    watcher, ana, ben = ears = [Ear(None, heard), Ear("ana", heard), Ear("ben", heard)]
    room = Room()
    for ear in ears:
        room.add(ear)
    room.seat(frozenset({ANA}))
    room.broadcast(b"{}")
    assert heard == [ana, watcher, ben]
    assert (room.watching, len(room)) == (2, 3)
    heard.clear()
    room.seat(frozenset({BEN}))
    room.broadcast(b"{}")
    assert heard == [ben, ana, watcher]


def test_a_room_forgets_a_viewer_once() -> None:
    room = Room()
    ear = Ear("ana", [])
    room.add(ear)
    assert room.remove(ear)
    assert not room.remove(ear)
    assert not len(room)


async def test_holds_are_shown_to_all_restored_on_reload_and_gone_after_the_roll(house: House) -> None:
    first, second = await playing(await house.worker())
    assert (await first.do(Hold(held=(0,), id="a")))["code"] == "roll_first"
    assert (await second.do(Hold(held=(0,), id="b")))["code"] == "not_your_turn"
    await first.roll()
    assert (await first.do(Hold(held=(4, 1), id="c")))["code"] == "bad_held"
    assert (await first.do(Hold(held=(1, 4), id="d")))["held"] == [1, 4]
    assert second.all_of("holding")[-1] == {"type": "holding", "seat": seat_of(first), "held": [1, 4]}
    assert (await again(first, None)).welcome["table"]["turn"]["held"] == [1, 4]
    await first.roll(0)
    assert (await again(first, None)).welcome["table"]["turn"]["held"] == [0]
    await first.roll(0)
    assert (await first.do(Hold(held=(1,), id="e")))["code"] == "no_rolls_left"


async def test_what_is_held_is_told_along_with_events_that_do_not_end_the_turn(house: House) -> None:
    first, *others = await playing(await house.worker(), 3)
    await first.roll()
    await first.do(Hold(held=(2,)))
    house.clock.set(house.clock.now_ms() + 5_000)
    house.clock.advance(0)
    await settle()
    await others[0].do(Leave())
    told = [(each["event"]["type"], each["turn"]["held"]) for each in first.events[-2:]]
    assert told == [("clock", [2]), ("left", [2])]


async def test_phrases_are_from_the_list_and_from_those_who_sit(house: House) -> None:
    first, second = await playing(await house.worker())
    watcher, nobody = await arrive(first.tables, first.code, CARLA, None)
    assert (await first.do(Say(phrase="hello", id="a")))["player"] == first.player
    assert (await first.do(Say(phrase="<b>hello", id="b")))["code"] == "bad_message"
    for person in (watcher, nobody):
        assert (await person.do(Say(phrase="hello", id="c")))["code"] == "not_seated"
    assert second.all_of("said") == watcher.all_of("said") == [{"type": "said", "player": first.player, "phrase": "hello"}]


async def test_a_ping_is_answered_with_the_servers_time(house: House) -> None:
    first, _ = await playing(await house.worker())
    assert await first.do(Ping(t=1.5, id="p")) == {"type": "pong", "t": 1.5, "now": house.clock.now_ms(), "ref": "p"}


async def test_commands_of_watchers_are_refused_and_change_nothing(house: House) -> None:
    first, _ = await playing(await house.worker())
    before = await house.entries(first.code)
    for watcher in await arrive(first.tables, first.code, CARLA, None):
        assert (await watcher.roll())["code"] == "not_seated"
        assert (await watcher.do(Start(id="s")))["code"] == "not_creator"
    assert await house.entries(first.code) == before
