"""The one timer of all connections, on a loop whose time is a number."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from server.gateway.sweep import Sweep

ROUND_S, CLOSE_S = 10.0, 5.0


class Loop:
    """As much of a loop as the sweep uses; ``pass_to`` calls what is due."""

    def __init__(self) -> None:
        self.now = 0.0
        self.calls: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, call: Callable[[], None]) -> Any:
        self.calls.append((self.now + delay, call))
        return call

    def pass_to(self, now: float) -> None:
        while self.calls and self.calls[0][0] <= now:
            self.now, call = self.calls.pop(0)
            call()
        self.now = now


class Connection:
    """Notes when it is visited and aborted."""

    def __init__(self, loop: Loop, sweep: Sweep) -> None:
        self.part = 0
        self.visits: list[float] = []
        self.aborts: list[float] = []
        self._loop = loop
        self._sweep = sweep

    def visit(self) -> None:
        self.visits.append(self._loop.now)

    def abort(self) -> None:
        self.aborts.append(self._loop.now)
        self._sweep.forget(self)


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> Loop:
    loop = Loop()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: loop)
    return loop


@pytest.fixture
def sweep() -> Sweep:
    return Sweep(ROUND_S, CLOSE_S)


def test_everybody_is_visited_once_a_round_and_not_all_at_once(loop: Loop, sweep: Sweep) -> None:
    connections = [Connection(loop, sweep) for _ in range(64)]
    for connection in connections:
        sweep.join(connection)
    loop.pass_to(3 * ROUND_S)
    assert all(len(connection.visits) == 3 for connection in connections)
    for connection in connections:
        pauses = [later - earlier for earlier, later in zip(connection.visits, connection.visits[1:], strict=False)]
        assert pauses == pytest.approx([ROUND_S] * 2)
    firsts = [connection.visits[0] for connection in connections]
    assert all(firsts.count(first) == 2 for first in firsts)


def test_who_leaves_is_visited_no_more_and_aborted_in_time(loop: Loop, sweep: Sweep) -> None:
    leaving, staying = Connection(loop, sweep), Connection(loop, sweep)
    sweep.join(leaving)
    sweep.join(staying)
    sweep.leave(leaving)
    loop.pass_to(2.0)
    # The first word counts.
    sweep.leave(leaving)
    loop.pass_to(3 * ROUND_S)
    assert leaving.visits == []
    assert len(leaving.aborts) == 1
    assert CLOSE_S <= leaving.aborts[0] < CLOSE_S + 0.5
    assert staying.aborts == []


def test_those_who_leave_later_are_aborted_later(loop: Loop, sweep: Sweep) -> None:
    first, second = Connection(loop, sweep), Connection(loop, sweep)
    sweep.leave(first)
    loop.pass_to(3.0)
    sweep.leave(second)
    loop.pass_to(CLOSE_S + 1)
    assert (len(first.aborts), len(second.aborts)) == (1, 0)
    loop.pass_to(CLOSE_S + 4)
    assert len(second.aborts) == 1


def test_who_is_gone_in_time_is_not_aborted(loop: Loop, sweep: Sweep) -> None:
    connection = Connection(loop, sweep)
    sweep.join(connection)
    sweep.leave(connection)
    sweep.forget(connection)
    loop.pass_to(3 * ROUND_S)
    assert connection.aborts == []


def test_the_timer_stands_still_while_there_is_nobody(loop: Loop, sweep: Sweep) -> None:
    assert loop.calls == []
    connection = Connection(loop, sweep)
    sweep.join(connection)
    assert len(loop.calls) == 1
    sweep.leave(connection)
    sweep.forget(connection)
    loop.pass_to(1.0)
    assert loop.calls == []
    sweep.join(connection)
    loop.pass_to(1.0 + ROUND_S)
    assert len(connection.visits) == 1
