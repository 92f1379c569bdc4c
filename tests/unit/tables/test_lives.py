"""What happens to a table around its match: powers handed over, empty and old tables closed, cold ones forgotten."""

import pytest

from server.match.commands import AddBot, ChangeSettings, Close, Leave, Nudge, Sit, Stand, Start, Unseat
from server.match.events import Closed
from server.tables.appends import LOOK_AGAIN_MS
from server.tables.live import KEEP_FOR_MS
from server.tables.service import Tables, UnknownTable
from tests.unit.tables.kit import CLOCK_MS, LATENESS_MS, House, form, settle
from tests.unit.tables.people import ANA, BEN, CARLA, Person, arrive, commit, finished, play_turn, playing, seal, sit, waiting

MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS


def in_memory(tables: Tables) -> int:
    """How many tables a worker holds."""
    return len(tables._live)


def armed(tables: Tables) -> int:
    """How many tables a worker will wake."""
    return len(tables._wakes)


async def test_a_creator_gone_for_a_minute_hands_over_to_who_sat_longest(house: House) -> None:
    ana, ben, carla = await waiting(await house.worker(), 3)
    await ana.hang_up()
    await house.pass_ms(MINUTE_MS - 1_000)
    assert (await house.table(ana.code)).creator == ANA
    await house.pass_ms(1_000)
    assert (await house.table(ana.code)).creator == BEN
    assert carla.all_of("lobby")[-1]["table"]["creator"] == BEN
    assert (await ben.do(Start(id="s")))["event"]["type"] == "sealed"


async def test_a_creator_who_comes_back_within_the_minute_keeps_the_powers(house: House) -> None:
    tables = await house.worker()
    ana, ben = await waiting(tables)
    await ana.hang_up()
    await house.pass_ms(MINUTE_MS - 2_000)
    [again] = await arrive(tables, ana.code, ANA)
    await house.pass_ms(2 * MINUTE_MS)
    assert (await house.table(ana.code)).creator == ANA
    assert (await ben.do(Close(id="c")))["code"] == "not_creator"
    await again.hang_up()


async def test_a_creator_with_a_second_tab_is_not_gone(house: House) -> None:
    tables = await house.worker()
    ana, _ = await waiting(tables)
    await arrive(tables, ana.code, ANA)
    await ana.hang_up()
    await house.pass_ms(2 * MINUTE_MS)
    assert (await house.table(ana.code)).creator == ANA


async def test_nobody_gets_the_powers_of_a_creator_who_never_came_until_somebody_sits(house: House) -> None:
    tables = await house.worker()
    code = await tables.open(ANA, form())
    [ben] = await arrive(tables, code, BEN)
    await house.pass_ms(2 * MINUTE_MS)
    assert (await house.table(code)).creator == ANA
    await ben.do(Sit())
    await house.pass_ms(1_000)
    assert (await house.table(code)).creator == BEN


async def test_a_waiting_table_without_anybody_closes_after_ten_minutes(house: House) -> None:
    tables = await house.worker()
    people = await waiting(tables)
    for person in people:
        await person.hang_up()
    await house.pass_ms(10 * MINUTE_MS - 1_000)
    assert (await house.table(people[0].code)).phase == "waiting"
    await house.pass_ms(1_000)
    assert await house.entries(people[0].code) == []
    with pytest.raises(UnknownTable):
        await arrive(tables, people[0].code, ANA)
    assert (in_memory(tables), armed(tables)) == (0, 0)


async def test_a_table_that_nobody_ever_joined_closes_too(house: House) -> None:
    tables = await house.worker()
    code = await tables.open(ANA, form())
    assert in_memory(tables) == 0
    await house.pass_ms(10 * MINUTE_MS)
    assert await house.entries(code) == []


async def test_one_watcher_keeps_a_waiting_table_open(house: House) -> None:
    tables = await house.worker()
    code = await tables.open(ANA, form())
    [watcher] = await arrive(tables, code, None)
    await house.pass_ms(21 * MINUTE_MS)
    assert (await house.table(code)).phase == "waiting"
    await watcher.hang_up()
    await house.pass_ms(10 * MINUTE_MS)
    assert await house.entries(code) == []


async def test_the_ten_minutes_of_an_empty_table_go_on_after_an_outage_which_does_not_count(house: House) -> None:
    people = await waiting(await house.worker())
    for person in people:
        await person.hang_up()
    await house.pass_ms(4 * MINUTE_MS)
    await house.restart(away_ms=60 * MINUTE_MS)
    await house.pass_ms(5 * MINUTE_MS)
    assert (await house.table(people[0].code)).phase == "waiting"
    await house.pass_ms(MINUTE_MS)
    assert await house.entries(people[0].code) == []


async def test_a_finished_table_is_readable_for_a_day_and_then_gone(house: House) -> None:
    tables = await house.worker()
    people = await finished(tables)
    code, match = people[0].code, await house.match(people[0].code)
    for person in people:
        await person.hang_up()
    await settle()
    assert in_memory(tables) == 0
    ended = house.clock.now_ms()
    house.clock.advance(DAY_MS - 1)
    assert (await tables.snapshot(code, None)).table.phase == "finished"
    house.clock.advance(1)
    await settle()
    assert house.clock.now_ms() == ended + DAY_MS
    with pytest.raises(UnknownTable):
        await tables.snapshot(code, None)
    assert (in_memory(tables), armed(tables)) == (0, 0)
    entries = await house.log.matches(match.sealed.match)
    assert entries is not None
    assert not any(isinstance(entry.event, Closed) for entry in entries)


async def test_who_still_looks_at_a_table_that_expires_is_sent_away(house: House) -> None:
    tables = await house.worker()
    people = await finished(tables)
    house.clock.advance(DAY_MS)
    await settle()
    assert [person.closed for person in people] == [4004, 4004]
    assert in_memory(tables) == 0


async def test_a_table_its_creator_closes_is_gone_for_everyone_and_from_memory(house: House) -> None:
    tables = await house.worker()
    people = await waiting(tables)
    people[0].send_in(Close(id="c"))
    people[1].send_in(Stand(id="s"))
    await settle()
    assert [person.closed for person in people] == [4004, 4004]
    assert [message["code"] for message in people[1].all_of("error")] == ["wrong_phase"]
    assert (in_memory(tables), armed(tables)) == (0, 0)
    assert list(house.log.tables_of(BEN)) == []


async def test_a_table_that_closes_while_somebody_arrives_is_unknown_to_them(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = await house.worker()
    people = await waiting(tables)
    connected = house.log.connected

    async def close_meanwhile(*who):
        monkeypatch.undo()
        people[0].send_in(Close())
        await settle()
        return await connected(*who)

    monkeypatch.setattr(house.log, "connected", close_meanwhile)
    with pytest.raises(UnknownTable):
        await Person(tables, people[0].code, CARLA).join()
    assert in_memory(tables) == 0


async def test_a_table_without_viewers_leaves_memory_and_its_wake_brings_it_back(house: House) -> None:
    tables = await house.worker()
    people = await playing(tables)
    for person in people:
        await person.hang_up()
    await settle()
    assert in_memory(tables) == 0
    await house.pass_ms(CLOCK_MS)
    assert (await house.turn(people[0].code)).number == 1
    await house.pass_ms(LATENESS_MS)
    assert (await house.turn(people[0].code)).number == 2
    assert in_memory(tables) == 0


async def test_a_table_that_somebody_is_on_the_way_to_is_not_forgotten(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = await house.worker()
    [ana] = await waiting(tables, 1)
    connected = house.log.connected

    async def the_last_one_goes_meanwhile(*who):
        monkeypatch.undo()
        await ana.hang_up()
        return await connected(*who)

    monkeypatch.setattr(house.log, "connected", the_last_one_goes_meanwhile)
    ben = await Person(tables, ana.code, BEN).join()
    await sit(tables, ana.code, CARLA)
    assert ben.all_of("lobby")[-1]["table"]["seats"][1]["player"] == CARLA


async def test_a_table_where_something_happens_soon_stays_in_memory(house: House) -> None:
    tables = await house.worker()
    people = await playing(tables)
    await house.pass_ms(CLOCK_MS + LATENESS_MS - KEEP_FOR_MS)
    for person in people:
        await person.hang_up()
    await settle()
    assert in_memory(tables) == 1


async def test_a_table_that_somebody_plays_stays_in_memory(house: House) -> None:
    tables = await house.worker()
    people = await playing(tables)
    await people[1].hang_up()
    await play_turn([person for person in people if person.player == people[0].player])
    assert in_memory(tables) == 1


async def test_an_open_match_of_people_who_left_is_played_to_its_end(house: House) -> None:
    tables = await house.worker()
    people = await playing(tables)
    code = people[0].code
    for person in people:
        await person.hang_up()
    for _ in range(5):
        await house.pass_ms(CLOCK_MS + LATENESS_MS)
    match = await house.match(code)
    assert match.finished is not None
    assert match.finished.reason == "void"
    assert in_memory(tables) == 0
    appends = [entry.nonce for entry in await house.entries(code)]
    assert max(appends.count(nonce) for nonce in set(appends)) <= 40


async def test_the_store_knows_where_somebody_sits_until_they_stand_or_the_match_is_over(house: House) -> None:
    tables = await house.worker()
    people = await waiting(tables)
    await finished(tables)
    assert list(house.log.tables_of(BEN)) == [people[0].code]
    assert list(house.log.tables_of(CARLA)) == []
    await seal(people)
    assert list(house.log.tables_of(BEN)) == [people[0].code]
    other = await waiting(tables)
    await other[1].do(Stand())
    assert list(house.log.tables_of(BEN)) == [people[0].code]
    assert list(house.log.tables_of(ANA)) == [people[0].code, other[0].code]


async def test_a_seal_that_runs_out_clears_who_was_missing_and_shows_the_root(house: House) -> None:
    people = await waiting(await house.worker(), 3)
    await people[0].do(Start())
    await commit(people[:1])
    await house.pass_ms(10_000 + LATENESS_MS)
    told = people[2].all_of("lobby")[-1]
    assert told["aborted"]["seats"] == [1, 2]
    assert len(told["aborted"]["root"]) == 64
    assert "match" not in told["table"]
    assert (await people[1].do(Sit(id="s")))["code"] == "too_fast"
    await house.pass_ms(MINUTE_MS)
    assert (await people[1].do(Sit(id="s")))["type"] == "lobby"
    await seal([people[0], people[1]])
    assert (await house.match(people[0].code)).sealed.attempt == 2


async def test_a_seat_that_stands_in_the_seal_aborts_it(house: House) -> None:
    people = await waiting(await house.worker())
    await people[0].do(Start())
    answer = await people[1].do(Stand(id="s"))
    assert answer["aborted"]["seats"] == [1]
    assert people[0].all_of("lobby")[-1]["aborted"] == answer["aborted"]
    assert await house.log.is_running(answer["aborted"]["match"]) is False


async def test_a_gone_seat_at_a_table_without_a_clock_can_be_nudged_after_five_minutes(house: House) -> None:
    first, second = await playing(await house.worker(), clock=0, rated=False)
    await first.hang_up()
    await house.pass_ms(5 * MINUTE_MS - 1_000)
    assert (await second.do(Nudge(id="a")))["code"] == "wrong_phase"
    await house.pass_ms(1_000)
    assert (await second.do(Nudge(id="b")))["event"]["auto"]
    assert second.kinds[-2:] == ["rolled", "scored"]


async def test_a_gone_seat_at_a_table_without_a_clock_is_played_after_a_day(house: House) -> None:
    first, second = await playing(await house.worker(), clock=0, rated=False)
    await first.hang_up()
    await settle()
    house.clock.advance(DAY_MS - 1)
    await settle()
    assert second.kinds[-1] == "opened"
    house.clock.advance(1)
    await settle()
    assert second.kinds[-2:] == ["rolled", "scored"]


async def test_a_match_without_a_clock_is_looked_at_now_and_then(house: House) -> None:
    tables = await house.worker()
    people = await playing(tables, clock=0, rated=False)
    assert armed(tables) == 1
    house.clock.advance(3 * LOOK_AGAIN_MS)
    await settle()
    assert armed(tables) == 1
    assert people[0].kinds[-1] == "opened"


async def test_lobby_commands_that_change_nothing_are_answered_by_the_lobby(house: House) -> None:
    ana, ben = await waiting(await house.worker(), 2, seats=3)
    mark = len(ben.got)
    assert (await ana.do(Sit(id="a")))["type"] == "lobby"
    assert (await ana.do(Unseat(seat=2, id="b")))["type"] == "lobby"
    assert (await ana.do(AddBot(level="medium", id="c")))["table"]["seats"][2]["kind"] == "bot"
    assert (await ana.do(ChangeSettings(clock=30, id="d")))["table"]["clock"] == 30
    assert [message["type"] for message in ben.got[mark:]] == ["lobby", "lobby"]


async def test_leaving_before_a_match_gives_the_seat_back(house: House) -> None:
    ana, ben = await waiting(await house.worker())
    assert (await ben.do(Leave(id="l")))["table"]["seats"][1]["kind"] == "free"
    assert (await ana.do(Leave(id="l")))["table"]["seats"][0]["kind"] == "free"


async def test_public_tables_are_listed_while_they_wait_and_play(house: House) -> None:
    tables = await house.worker()
    people = await waiting(tables, visibility="public")
    assert len(list(house.log.lobby())) == 1
    await seal(people)
    assert b'"playing"' in next(iter(house.log.lobby()))
    while people[0].kinds[-1] != "finished":
        await play_turn(people)
    assert list(house.log.lobby()) == []
    await sit(tables, await tables.open(ANA, form()), ANA)
    assert list(house.log.lobby()) == []
