"""Contract of ``TableLog``: the log itself, and who hears of it."""

import asyncio

import pytest

from server.match.events import ENTRY_VERSION, Code, Entry
from server.tables.ports import Append, StoreUnavailable, TableLog
from tests.contract.builders import CODE, CODE_2, MATCH, ROOT, Ear, append, change, entries, entry
from tests.contract.harness import Store


async def test_a_log_holds_what_was_appended_in_order(store: Store) -> None:
    await append(store.log, CODE, 0, 3)
    await append(store.log, CODE, 3)
    await append(store.log, CODE, 4, 6)
    assert await store.log.read(CODE) == list(entries(0, 6))


async def test_a_log_is_the_same_after_reopening(store: Store) -> None:
    await append(store.log, CODE, 0, 3)
    await append(store.log, CODE, 3)
    await append(store.log, CODE_2, 0)
    await store.reopen()
    assert await store.log.read(CODE) == list(entries(0, 4))
    assert await store.log.read(CODE_2) == list(entries(0, 1))


async def test_an_appended_entry_can_be_read_by_every_worker_as_soon_as_its_future_is_done(store: Store) -> None:
    await append(store.log, CODE, 0)
    assert await store.other.read(CODE) == list(entries(0, 1))


@pytest.mark.parametrize("start", range(8))
async def test_reading_begins_at_any_index_also_within_an_append_and_past_the_end(store: Store, start: int) -> None:
    await append(store.log, CODE, 0, 2)
    await append(store.log, CODE, 2, 5)
    await append(store.log, CODE, 5)
    assert await store.log.read(CODE, start) == list(entries(start, 6))


async def test_an_unknown_table_has_no_entries(store: Store) -> None:
    await append(store.log, CODE, 0)
    assert await store.log.read(CODE_2) == []


@pytest.mark.parametrize("expected", [0, 1, 3, 100])
async def test_an_append_that_expects_another_length_is_a_conflict_and_changes_nothing(store: Store, expected: int) -> None:
    await append(store.log, CODE, 0, 2, wake_at_ms=5, card=b"card")
    stale = change(7, wake_at_ms=6, card=b"other", match=MATCH, secret=ROOT, finished=True, is_closed=True)
    assert await store.log.append(CODE, expected, stale) == "conflict"
    assert await store.log.read(CODE) == list(entries(0, 2))
    assert list(store.log.wakes(10)) == [(CODE, 5)]
    assert list(store.log.lobby()) == [b"card"]
    assert await store.log.secret(CODE, MATCH) is None
    assert await store.log.matches(MATCH) is None


async def test_an_append_to_a_table_that_does_not_exist_is_a_conflict(store: Store) -> None:
    assert await store.log.append(CODE, 1, change(1)) == "conflict"
    assert await store.log.read(CODE) == []


async def test_after_a_conflict_the_right_length_goes_in(store: Store) -> None:
    await append(store.log, CODE, 0)
    assert await store.log.append(CODE, 0, change(0)) == "conflict"
    await append(store.log, CODE, 1)
    assert await store.log.read(CODE) == list(entries(0, 2))


async def test_of_two_workers_that_expect_the_same_length_one_wins(store: Store) -> None:
    await append(store.log, CODE, 0)
    rivals = [Append(entries=(entry(1, nonce),), wake_at_ms=None) for nonce in ("one", "two")]
    outcomes = await asyncio.gather(store.log.append(CODE, 1, rivals[0]), store.other.append(CODE, 1, rivals[1]))
    assert sorted(outcomes) == ["appended", "conflict"]
    winner = rivals[outcomes.index("appended")]
    assert await store.log.read(CODE, 1) == list(winner.entries)


async def test_two_workers_that_reload_after_a_conflict_both_get_everything_in_once(store: Store) -> None:
    await append(store.log, CODE, 0)

    async def work(log: TableLog, name: str) -> None:
        for number in range(30):
            new = Append(entries=(entry(number, f"{name}{number}"),), wake_at_ms=None)
            while await log.append(CODE, len(await log.read(CODE)), new) == "conflict":
                pass

    await asyncio.gather(work(store.log, "a"), work(store.other, "b"))
    nonces = [each.nonce for each in await store.log.read(CODE, 1)]
    assert [nonce for nonce in nonces if nonce[0] == "a"] == [f"a{number}" for number in range(30)]
    assert [nonce for nonce in nonces if nonce[0] == "b"] == [f"b{number}" for number in range(30)]
    assert len(nonces) == 60


async def test_appends_asked_for_in_one_turn_are_decided_one_after_another(store: Store) -> None:
    futures = [
        store.log.append(CODE, 0, change(0)),
        store.log.append(CODE, 1, change(1, 3)),
        store.log.append(CODE, 1, change(8)),
        store.log.append(CODE_2, 0, change(0)),
        store.log.append(CODE, 3, change(3)),
        store.log.append(CODE_2, 0, change(9)),
    ]
    assert await asyncio.gather(*futures) == ["appended", "appended", "conflict", "appended", "appended", "conflict"]
    assert await store.log.read(CODE) == list(entries(0, 4))
    assert await store.log.read(CODE_2) == list(entries(0, 1))


async def test_many_tables_can_be_appended_to_in_one_turn(store: Store) -> None:
    codes = [Code(f"T{number:05}") for number in range(700)]
    assert set(await asyncio.gather(*(store.log.append(code, 0, change(0)) for code in codes))) == {"appended"}
    assert set(await asyncio.gather(*(store.log.append(code, 1, change(1, 3)) for code in codes))) == {"appended"}
    await store.reopen()
    assert await store.log.read(codes[0]) == await store.log.read(codes[699]) == list(entries(0, 3))


async def test_a_log_can_be_long(store: Store) -> None:
    await append(store.log, CODE, 0, 5_000)
    for start in range(5_000, 6_000, 50):
        await append(store.log, CODE, start, start + 50)
    assert await store.log.read(CODE) == list(entries(0, 6_000))
    assert await store.log.read(CODE, 5_975) == list(entries(5_975, 6_000))


async def test_an_append_never_blocks_so_nothing_is_decided_before_the_loop_turns(store: Store) -> None:
    future = store.log.append(CODE, 0, change(0))
    assert not future.done()
    assert await future == "appended"


async def test_an_append_goes_in_though_nobody_waits_for_it_any_more(store: Store) -> None:
    store.log.append(CODE, 0, change(0)).cancel()
    await append(store.log, CODE, 1)
    assert await store.log.read(CODE) == list(entries(0, 2))


async def test_an_append_without_entries_changes_only_what_is_beside_the_log(store: Store) -> None:
    await append(store.log, CODE, 0, wake_at_ms=5)
    assert await store.log.append(CODE, 1, Append(entries=(), wake_at_ms=6, card=b"card")) == "appended"
    assert await store.log.append(CODE, 0, change(0)) == "conflict"
    assert await store.log.append(CODE, 0, Append(entries=(entry(1),), wake_at_ms=7)) == "conflict"
    await store.reopen()
    assert await store.log.read(CODE) == list(entries(0, 1))
    assert list(store.log.wakes(10)) == [(CODE, 6)]
    assert list(store.log.lobby()) == [b"card"]
    await append(store.log, CODE, 1)
    assert await store.log.read(CODE) == list(entries(0, 2))


@pytest.mark.parametrize(
    "senseless",
    [Append(entries=(), wake_at_ms=None), change(0, secret=ROOT), change(0, finished=True)],
    ids=["a table without entries", "a secret of no match", "the end of no match"],
)
async def test_an_append_that_makes_no_sense_is_a_mistake_of_the_caller(store: Store, senseless: Append) -> None:
    with pytest.raises(ValueError, match="append"):
        store.log.append(CODE, 0, senseless)


async def test_an_entry_of_a_newer_program_is_not_guessed_at(store: Store) -> None:
    newer = Entry(version=ENTRY_VERSION + 1, event=entry(1).event, nonce="n")
    await append(store.log, CODE, 0)
    assert await store.log.append(CODE, 1, Append(entries=(newer,), wake_at_ms=None)) == "appended"
    with pytest.raises(StoreUnavailable, match="newer program"):
        await store.log.read(CODE)


async def test_every_worker_hears_of_every_append_in_log_order(store: Store) -> None:
    ears = [Ear(store.log), Ear(store.other)]
    await asyncio.gather(*(store.log.append(CODE, number, change(number)) for number in range(5)))
    await append(store.other, CODE, 5, 8)
    for ear in ears:
        await ear.wait_heard(6)
        expected = [(CODE, number, entries(number, number + 1)) for number in range(5)]
        assert ear.heard == [*expected, (CODE, 5, entries(5, 8))]


async def test_nobody_hears_of_a_conflict(store: Store) -> None:
    ear = Ear(store.log)
    await append(store.log, CODE, 0)
    await store.log.append(CODE, 0, change(7))
    await append(store.log, CODE, 1)
    await ear.wait_heard(2)
    assert [first for _, first, _ in ear.heard] == [0, 1]


async def test_who_has_stopped_hears_nothing_more_and_may_stop_again(store: Store) -> None:
    stopped, ear = Ear(store.log), Ear(store.log)
    stopped.stop()
    stopped.stop()
    await append(store.log, CODE, 0)
    store.log.note(CODE, b"note")
    await ear.wait_heard(1)
    await ear.wait_notes(1)
    assert stopped.heard == []
    assert stopped.notes == []


async def test_every_worker_hears_notes_which_are_not_logged(store: Store) -> None:
    ears = [Ear(store.log), Ear(store.other)]
    await append(store.log, CODE, 0)
    store.log.note(CODE, b"one")
    store.log.note(CODE_2, b"two")
    for ear in ears:
        await ear.wait_notes(2)
        assert ear.notes == [(CODE, b"one"), (CODE_2, b"two")]
    assert await store.log.read(CODE) == list(entries(0, 1))
    assert await store.log.read(CODE_2) == []


async def test_a_listener_that_raises_harms_neither_the_append_nor_the_others(store: Store) -> None:
    reports: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, report: reports.append(report))

    def broken(*_: object) -> None:
        raise ArithmeticError

    store.log.listen(broken, broken)
    ear = Ear(store.log)
    await append(store.log, CODE, 0)
    store.log.note(CODE, b"note")
    await ear.wait_heard(1)
    await ear.wait_notes(1)
    assert [type(report["exception"]) for report in reports] == [ArithmeticError] * 2
