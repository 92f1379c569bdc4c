"""Contract of ``TableLog``: who is at a table, and when the service was down."""

import asyncio

from server.match.world import Outage, PlayerPresence, Presence
from tests.contract.builders import ANA, BEN, CARLA, CODE, CODE_2, OPENED_MS, append
from tests.contract.harness import Store


async def test_a_table_that_nobody_came_to_is_empty_since_it_was_opened(store: Store) -> None:
    await append(store.log, CODE, 0)
    assert await store.log.presence(CODE) == Presence({}, OPENED_MS)
    await store.reopen()
    lost_ms = sum(outage.to_ms - outage.from_ms for outage in store.log.outages())
    assert await store.log.presence(CODE) == Presence({}, OPENED_MS + lost_ms)


async def test_a_player_who_comes_is_connected_since_then(store: Store) -> None:
    await append(store.log, CODE, 0)
    there = Presence({ANA: PlayerPresence(True, 1_000)}, None)
    assert await store.log.connected(CODE, ANA, 1, 1_000) == there
    assert await store.log.presence(CODE) == there
    assert await store.other.presence(CODE) == there


async def test_a_player_with_several_connections_is_gone_when_the_last_one_is(store: Store) -> None:
    await append(store.log, CODE, 0)
    await store.log.connected(CODE, ANA, 1, 1_000)
    await store.other.connected(CODE, ANA, 1, 2_000)
    assert (await store.log.connected(CODE, ANA, -1, 3_000)).players == {ANA: PlayerPresence(True, 1_000)}
    assert (await store.log.connected(CODE, ANA, -1, 4_000)).players == {ANA: PlayerPresence(False, 4_000)}
    assert (await store.log.connected(CODE, ANA, 1, 5_000)).players == {ANA: PlayerPresence(True, 5_000)}


async def test_a_table_is_empty_since_the_last_one_went_watchers_included(store: Store) -> None:
    await append(store.log, CODE, 0)
    assert (await store.log.connected(CODE, None, 1, 1_000)) == Presence({}, None)
    await store.log.connected(CODE, ANA, 1, 2_000)
    await store.log.connected(CODE, None, 1, 2_500)
    assert (await store.log.connected(CODE, ANA, -1, 3_000)).empty_since_ms is None
    assert (await store.log.connected(CODE, None, -1, 3_500)).empty_since_ms is None
    gone = await store.log.connected(CODE, None, -1, 4_000)
    assert gone == Presence({ANA: PlayerPresence(False, 3_000)}, 4_000)


async def test_a_connection_that_was_never_counted_in_is_not_counted_out(store: Store) -> None:
    await append(store.log, CODE, 0)
    await store.log.connected(CODE, ANA, -1, 1_000)
    assert (await store.log.connected(CODE, ANA, 1, 2_000)).players == {ANA: PlayerPresence(True, 2_000)}


async def test_each_table_has_its_own_presence(store: Store) -> None:
    await append(store.log, CODE, 0)
    await append(store.log, CODE_2, 0)
    await store.log.connected(CODE, ANA, 1, 1_000)
    await store.log.connected(CODE_2, BEN, 1, 1_000)
    assert (await store.log.presence(CODE)).players.keys() == {ANA}
    assert (await store.log.presence(CODE_2)).players.keys() == {BEN}


async def test_a_presence_once_told_does_not_change(store: Store) -> None:
    await append(store.log, CODE, 0)
    before = await store.log.connected(CODE, ANA, 1, 1_000)
    await store.log.connected(CODE, ANA, -1, 2_000)
    assert before == Presence({ANA: PlayerPresence(True, 1_000)}, None)


async def test_nobody_is_counted_at_a_table_that_does_not_exist(store: Store) -> None:
    assert await store.log.connected(CODE, ANA, 1, 1_000) == Presence({}, 1_000)
    assert await store.log.presence(CODE) == Presence({}, 0)
    await append(store.log, CODE, 0)
    assert await store.log.presence(CODE) == Presence({}, OPENED_MS)


async def test_the_tables_of_a_player_are_those_where_they_sit_until_they_are_closed(store: Store) -> None:
    await append(store.log, CODE, 0, players=(ANA,))
    await append(store.log, CODE_2, 0, players=(BEN, ANA))
    await append(store.log, CODE, 1)
    for _ in range(2):
        assert sorted(store.log.tables_of(ANA)) == [CODE, CODE_2]
        assert list(store.other.tables_of(BEN)) == [CODE_2]
        assert list(store.log.tables_of(CARLA)) == []
        await store.reopen()
    await append(store.log, CODE, 2, players=())
    assert list(store.log.tables_of(ANA)) == [CODE_2]
    await append(store.log, CODE_2, 1, is_closed=True)
    assert list(store.log.tables_of(ANA)) == []


async def test_time_in_which_no_worker_lived_is_nobodys_absence(store: Store) -> None:
    await append(store.log, CODE, 0)
    await store.log.connected(CODE, ANA, 1, 1_000)
    await store.log.connected(CODE, BEN, 1, 2_000)
    await store.log.connected(CODE, BEN, -1, 3_000)
    await store.log.beat(store.now_ms())
    await store.reopen()
    outage = store.log.outages()[-1]
    lost_ms = outage.to_ms - outage.from_ms
    expected = {ANA: PlayerPresence(False, outage.to_ms), BEN: PlayerPresence(False, 3_000 + lost_ms)}
    assert await store.log.presence(CODE) == Presence(expected, outage.to_ms)
    back = await store.log.connected(CODE, ANA, 1, outage.to_ms + 9_000)
    assert back.players[ANA] == PlayerPresence(True, outage.to_ms + 9_000)


async def test_an_absence_goes_on_after_reopening(store: Store) -> None:
    await append(store.log, CODE, 0)
    await store.log.connected(CODE, ANA, 1, 1_000)
    await store.log.connected(CODE, ANA, -1, 2_000)
    await store.reopen()
    await store.reopen()
    lost_ms = sum(outage.to_ms - outage.from_ms for outage in store.log.outages())
    assert await store.log.presence(CODE) == Presence({ANA: PlayerPresence(False, 2_000 + lost_ms)}, 2_000 + lost_ms)


async def test_a_new_store_knows_of_no_outage(store: Store) -> None:
    assert store.log.outages() == ()


async def test_beats_that_follow_each_other_closely_store_no_outage(store: Store) -> None:
    start_ms = store.now_ms() + 10_000
    await store.log.beat(start_ms)
    before = store.log.outages()
    assert await store.log.beat(start_ms + 1_000) is None
    assert await store.log.beat(start_ms + 4_000) is None
    assert store.log.outages() == before


async def test_a_beat_after_more_than_3_seconds_of_silence_stores_the_outage_first(store: Store) -> None:
    start_ms = store.now_ms() + 10_000
    await store.log.beat(start_ms)
    before = store.log.outages()
    outage = Outage(start_ms, start_ms + 3_001)
    assert await store.log.beat(start_ms + 3_001) == outage
    assert store.log.outages() == store.other.outages() == (*before, outage)
    assert await store.log.beat(start_ms + 4_000) is None


async def test_two_beats_at_once_after_a_silence_store_one_outage(store: Store) -> None:
    start_ms = store.now_ms() + 10_000
    await store.log.beat(start_ms)
    before = store.log.outages()
    found = list(await asyncio.gather(store.log.beat(start_ms + 9_000), store.log.beat(start_ms + 9_001)))
    assert found == [Outage(start_ms, start_ms + 9_000), None]
    assert store.log.outages() == (*before, Outage(start_ms, start_ms + 9_000))


async def test_a_beat_out_of_order_takes_nothing_back(store: Store) -> None:
    start_ms = store.now_ms() + 10_000
    await store.log.beat(start_ms)
    assert await store.log.beat(start_ms - 2_000) is None
    assert await store.log.beat(start_ms + 3_000) is None


async def test_outages_are_ascending_and_known_after_reopening(store: Store) -> None:
    start_ms = store.now_ms() + 10_000
    await store.log.beat(start_ms)
    await store.log.beat(start_ms + 5_000)
    await store.log.beat(start_ms + 15_000)
    before = store.log.outages()
    assert before[-2:] == (Outage(start_ms, start_ms + 5_000), Outage(start_ms + 5_000, start_ms + 15_000))
    await store.reopen()
    assert store.log.outages()[: len(before)] == before
    assert list(store.log.outages()) == sorted(store.log.outages(), key=lambda outage: outage.from_ms)
