"""Contract of ``TableLog``: a store that cannot be used, and one that is closed."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from server.tables.ports import StoreUnavailable, TableLog
from tests.contract.builders import ANA, CODE, FAR_MS, MATCH, Ear, append, change, entries
from tests.contract.harness import Store

WAITED_FOR: dict[str, Callable[[TableLog, int], Any]] = {
    "append": lambda log, _: log.append(CODE, 2, change(2)),
    "read": lambda log, _: log.read(CODE),
    "secret": lambda log, _: log.secret(CODE, MATCH),
    "is_running": lambda log, _: log.is_running(MATCH),
    "matches": lambda log, _: log.matches(MATCH),
    "beat": lambda log, now_ms: log.beat(now_ms),
    "ping": lambda log, _: log.ping(),
}
ANSWERED_AT_ONCE: dict[str, Callable[[TableLog, int], Any]] = {
    "listen": lambda log, _: log.listen(lambda *_: None, lambda *_: None),
    "note": lambda log, _: log.note(CODE, b"note"),
    "wakes": lambda log, _: log.wakes(FAR_MS),
    "lobby": lambda log, _: log.lobby(),
    "tables_of": lambda log, _: log.tables_of(ANA),
    "outages": lambda log, _: log.outages(),
}
PRESENCE: dict[str, Callable[[TableLog, int], Any]] = {
    "connected": lambda log, now_ms: log.connected(CODE, ANA, 1, now_ms),
    "presence": lambda log, _: log.presence(CODE),
}


@pytest.mark.parametrize("call", (WAITED_FOR | PRESENCE).values(), ids=(WAITED_FOR | PRESENCE).keys())
async def test_a_closed_store_is_unavailable(store: Store, call: Callable[[TableLog, int], Any]) -> None:
    await append(store.log, CODE, 0, 2)
    now_ms = store.now_ms()
    await store.shut()
    with pytest.raises(StoreUnavailable):
        await call(store.log, now_ms)


@pytest.mark.parametrize("call", ANSWERED_AT_ONCE.values(), ids=ANSWERED_AT_ONCE.keys())
async def test_a_closed_store_is_unavailable_at_once(store: Store, call: Callable[[TableLog, int], Any]) -> None:
    now_ms = store.now_ms()
    await store.shut()
    with pytest.raises(StoreUnavailable):
        call(store.log, now_ms)


async def test_closing_twice_does_no_harm(store: Store) -> None:
    await store.log.close()
    await store.log.close()


async def test_closing_finishes_what_is_being_written(store: Store) -> None:
    futures = [store.log.append(CODE, number, change(number)) for number in range(10)]
    await store.log.close()
    assert await asyncio.gather(*futures) == ["appended"] * 10
    await store.reopen()
    assert await store.log.read(CODE) == list(entries(0, 10))


async def test_a_store_in_order_answers_a_ping(store: Store) -> None:
    await store.log.ping()


@pytest.mark.parametrize("name", ["append", "read", "beat", "ping"])
async def test_a_store_that_fails_is_unavailable_and_is_used_again_as_soon_as_it_works(store: Store, name: str) -> None:
    await append(store.log, CODE, 0, 2)
    now_ms = store.now_ms()
    store.fail()
    with pytest.raises(StoreUnavailable):
        await WAITED_FOR[name](store.log, now_ms)
    store.mend()
    await WAITED_FOR[name](store.log, now_ms)


async def test_appends_that_failed_leave_the_lengths_right(store: Store) -> None:
    await append(store.log, CODE, 0, 2, wake_at_ms=5, card=b"card")
    store.fail()
    failing = [store.log.append(CODE, number, change(number, wake_at_ms=6, card=b"other")) for number in (2, 3)]
    failures = await asyncio.gather(*failing, return_exceptions=True)
    assert [type(failure) for failure in failures] == [StoreUnavailable] * 2
    store.mend()
    assert list(store.log.wakes(10)) == [(CODE, 5)]
    assert list(store.log.lobby()) == [b"card"]
    assert await store.log.append(CODE, 3, change(3)) == "conflict"
    await append(store.log, CODE, 2)
    assert await store.log.read(CODE) == list(entries(0, 3))


async def test_nobody_hears_of_an_append_that_failed(store: Store) -> None:
    await append(store.log, CODE, 0)
    ear = Ear(store.log)
    store.fail()
    with pytest.raises(StoreUnavailable):
        await store.log.append(CODE, 1, change(1))
    store.mend()
    await append(store.log, CODE, 1, 3)
    await ear.wait_heard(1)
    assert ear.heard == [(CODE, 1, entries(1, 3))]


async def test_a_silence_in_which_the_store_failed_is_an_outage(store: Store) -> None:
    start_ms = store.now_ms() + 10_000
    await store.log.beat(start_ms)
    store.fail()
    for late_ms in (1_000, 2_000, 3_000):
        with pytest.raises(StoreUnavailable):
            await store.log.beat(start_ms + late_ms)
    store.mend()
    outage = await store.log.beat(start_ms + 4_000)
    assert outage is not None
    assert (outage.from_ms, outage.to_ms) == (start_ms, start_ms + 4_000)
