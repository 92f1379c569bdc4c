"""Contract of ``TableLog``: what is stored beside the logs, and what is left of a table that is closed."""

from server.match.events import Code
from server.tables.ports import Append
from tests.contract.builders import (
    ANA,
    CODE,
    CODE_2,
    FAR_MS,
    MATCH,
    MATCH_2,
    OPENED_MS,
    ROOT,
    append,
    change,
    entries,
    match_entries,
)
from tests.contract.harness import Store


async def test_a_wake_is_found_from_its_time_on(store: Store) -> None:
    await append(store.log, CODE, 0, wake_at_ms=1_000)
    assert list(store.log.wakes(999)) == []
    assert list(store.log.wakes(1_000)) == [(CODE, 1_000)]


async def test_every_append_replaces_the_wake_of_its_table(store: Store) -> None:
    await append(store.log, CODE, 0, wake_at_ms=1_000)
    await append(store.log, CODE_2, 0, wake_at_ms=3_000)
    await append(store.log, CODE, 1, wake_at_ms=2_000)
    assert list(store.log.wakes(1_500)) == []
    assert sorted(store.log.wakes(FAR_MS)) == [(CODE, 2_000), (CODE_2, 3_000)]


async def test_an_append_without_a_wake_removes_it(store: Store) -> None:
    await append(store.log, CODE, 0, wake_at_ms=1_000)
    await append(store.log, CODE, 1, wake_at_ms=None)
    assert list(store.log.wakes(FAR_MS)) == []


async def test_wakes_are_known_after_reopening(store: Store) -> None:
    await append(store.log, CODE, 0, wake_at_ms=1_000)
    await append(store.log, CODE, 1, wake_at_ms=2_000)
    await append(store.log, CODE_2, 0, wake_at_ms=3_000)
    await append(store.log, CODE_2, 1, wake_at_ms=None)
    await store.reopen()
    assert list(store.log.wakes(FAR_MS)) == [(CODE, 2_000)]


async def test_a_secret_is_kept_under_its_table_and_match(store: Store) -> None:
    await append(store.log, CODE, 0, match=MATCH, secret=ROOT)
    await append(store.log, CODE_2, 0)
    assert await store.log.secret(CODE, MATCH) == ROOT
    assert await store.other.secret(CODE, MATCH) == ROOT
    assert await store.log.secret(CODE, MATCH_2) is None
    assert await store.log.secret(CODE_2, MATCH) is None


async def test_a_secret_stays_until_it_is_deleted_also_through_reopening(store: Store) -> None:
    await append(store.log, CODE, 0, match=MATCH, secret=ROOT)
    await append(store.log, CODE, 1, match=MATCH)
    await store.reopen()
    assert await store.log.secret(CODE, MATCH) == ROOT
    await append(store.log, CODE, 2, match=MATCH, secret=b"", finished=True)
    assert await store.log.secret(CODE, MATCH) is None
    await store.reopen()
    assert await store.log.secret(CODE, MATCH) is None


async def test_another_attempt_has_a_secret_of_its_own(store: Store) -> None:
    await append(store.log, CODE, 0, match=MATCH, secret=ROOT)
    await append(store.log, CODE, 1, match=MATCH, secret=b"")
    await append(store.log, CODE, 2, match=MATCH_2, secret=ROOT[::-1])
    assert await store.log.secret(CODE, MATCH) is None
    assert await store.log.secret(CODE, MATCH_2) == ROOT[::-1]


async def test_no_secret_is_in_the_log(store: Store) -> None:
    await append(store.log, CODE, 0, match=MATCH, secret=ROOT)
    assert ROOT.hex() not in repr(await store.log.read(CODE))


async def test_the_lobby_shows_cards_with_the_newest_table_first(store: Store) -> None:
    await append(store.log, CODE, 0)
    await append(store.log, CODE_2, 0, card=b"second")
    await append(store.log, Code("T00003"), 0, card=b"third")
    await append(store.log, CODE, 1, card=b"first")
    assert list(store.log.lobby()) == [b"third", b"second", b"first"]
    await store.reopen()
    assert list(store.log.lobby()) == [b"third", b"second", b"first"]


async def test_a_card_is_left_replaced_and_taken_off(store: Store) -> None:
    await append(store.log, CODE, 0, card=b"one")
    await append(store.log, CODE, 1)
    assert list(store.log.lobby()) == [b"one"]
    await append(store.log, CODE, 2, card=b"two")
    assert list(store.log.lobby()) == [b"two"]
    await append(store.log, CODE, 3, card=b"")
    assert list(store.log.lobby()) == []
    await store.reopen()
    assert list(store.log.lobby()) == []


async def test_a_finished_match_is_the_log_up_to_and_with_its_end(store: Store) -> None:
    await append(store.log, CODE, 0, 3, match=MATCH, secret=ROOT)
    await append(store.log, CODE, 3, 5, match=MATCH, secret=b"", finished=True)
    await append(store.log, CODE, 5, 8)
    for _ in range(2):
        assert await match_entries(store.log, MATCH) == list(entries(0, 5))
        assert await store.log.read(CODE) == list(entries(0, 8))
        await store.reopen()


async def test_a_match_that_runs_or_is_unknown_is_not_finished(store: Store) -> None:
    await append(store.log, CODE, 0, match=MATCH, secret=ROOT)
    assert await store.log.matches(MATCH) is None
    assert await store.log.matches(MATCH_2) is None


async def test_a_match_runs_from_the_seal_to_its_end_or_its_abort(store: Store) -> None:
    assert not await store.log.is_running(MATCH)
    await append(store.log, CODE, 0, match=MATCH, secret=ROOT)
    assert await store.other.is_running(MATCH)
    await append(store.log, CODE, 1, match=MATCH)
    await store.reopen()
    assert await store.log.is_running(MATCH)
    assert not await store.log.is_running(MATCH_2)
    await append(store.log, CODE, 2, match=MATCH, secret=b"")
    await append(store.log, CODE, 3, match=MATCH_2, secret=ROOT)
    assert not await store.log.is_running(MATCH)
    await append(store.log, CODE, 4, match=MATCH_2, secret=b"", finished=True)
    assert not await store.log.is_running(MATCH_2)


async def test_a_closed_table_is_gone(store: Store) -> None:
    await append(store.log, CODE, 0, wake_at_ms=1_000, card=b"card", match=MATCH, secret=ROOT)
    await store.log.connected(CODE, ANA, 1, OPENED_MS)
    await append(store.log, CODE, 1, wake_at_ms=2_000, is_closed=True)
    for _ in range(2):
        assert await store.log.read(CODE) == []
        assert list(store.log.wakes(FAR_MS)) == []
        assert list(store.log.lobby()) == []
        assert await store.log.secret(CODE, MATCH) is None
        assert (await store.log.presence(CODE)).players == {}
        assert await store.log.append(CODE, 2, change(2)) == "conflict"
        await store.reopen()


async def test_the_code_of_a_closed_table_is_free_for_a_new_one(store: Store) -> None:
    await append(store.log, CODE, 0, 3, wake_at_ms=1_000, card=b"card", match=MATCH, secret=ROOT)
    await store.log.connected(CODE, ANA, 1, OPENED_MS)
    await append(store.log, CODE, 3, is_closed=True)
    await append(store.log, CODE, 0, 2)
    await append(store.log, CODE, 2)
    for _ in range(2):
        assert await store.log.read(CODE) == list(entries(0, 3))
        assert await store.log.secret(CODE, MATCH) is None
        assert list(store.log.wakes(FAR_MS)) == []
        assert list(store.log.lobby()) == []
        assert (await store.log.presence(CODE)).players == {}
        await store.reopen()


async def test_a_table_can_be_closed_and_its_code_taken_in_one_turn(store: Store) -> None:
    await append(store.log, CODE, 0, 2)
    closing = store.log.append(CODE, 2, change(2, is_closed=True, match=MATCH, finished=True))
    opening = store.log.append(CODE, 0, change(0, card=b"new"))
    assert (await closing, await opening) == ("appended", "appended")
    for _ in range(2):
        assert await store.log.read(CODE) == list(entries(0, 1))
        assert list(store.log.lobby()) == [b"new"]
        assert await match_entries(store.log, MATCH) == list(entries(0, 3))
        await store.reopen()


async def test_a_table_can_be_opened_and_closed_by_one_append(store: Store) -> None:
    await append(store.log, CODE, 0, 2, card=b"card", is_closed=True)
    assert await store.log.read(CODE) == []
    assert list(store.log.lobby()) == []
    await append(store.log, CODE, 0)


async def test_a_finished_match_outlives_its_table_and_the_next_one_of_that_code(store: Store) -> None:
    await append(store.log, CODE, 0, 4, match=MATCH, finished=True)
    await append(store.log, CODE, 4, 6)
    await append(store.log, CODE, 6, is_closed=True)
    await append(store.log, CODE, 0, 2)
    await append(store.log, CODE, 2, match=MATCH_2, finished=True)
    assert await store.log.append(CODE, 3, Append(entries=(), wake_at_ms=None, is_closed=True)) == "appended"
    for _ in range(2):
        assert await match_entries(store.log, MATCH) == list(entries(0, 4))
        assert await match_entries(store.log, MATCH_2) == list(entries(0, 3))
        await store.reopen()
