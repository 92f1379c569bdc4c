"""The adapter: levels, and that nothing is computed on the loop."""

import threading

import pytest

from server.rules import EMPTY_SHEET, resolve
from server.strategy import advisor as module
from server.strategy.advice import advice, roll_off_advice
from server.strategy.advisor import HeuristicAdvisor
from server.tables.ports import Advisor, Question

QUESTION = Question(rules=resolve("generala"), sheet=EMPTY_SHEET, dice=(6, 6, 6, 2, 1), rolls_used=1)


@pytest.fixture
def advisor():
    adapter = HeuristicAdvisor()
    yield adapter
    adapter.close()


async def test_medium_gives_the_heuristics_advice(advisor):
    port: Advisor = advisor
    assert port.levels == ("medium",)
    assert await port.advise("medium", QUESTION) == advice(QUESTION)
    assert await port.advise_sum("medium", (6, 5, 1, 2, 3), 1) == roll_off_advice((6, 5, 1, 2, 3), 1)


async def test_a_level_that_does_not_exist_is_refused(advisor):
    with pytest.raises(ValueError, match="no level 'grandmaster'"):
        await advisor.advise("grandmaster", QUESTION)
    with pytest.raises(ValueError, match="no level ''"):
        await advisor.advise_sum("", (1, 2, 3, 4, 5), 1)


async def test_a_question_that_no_turn_poses_reaches_the_caller_as_an_error(advisor):
    with pytest.raises(ValueError, match="no turn shows"):
        await advisor.advise_sum("medium", (1, 2), 1)


async def test_nothing_is_computed_on_the_loops_thread(advisor, monkeypatch):
    monkeypatch.setattr(module, "advice", lambda question: [question, threading.current_thread()])
    first, second = [await advisor.advise("medium", QUESTION) for _ in range(2)]
    assert first == second
    assert first[1] is not threading.current_thread()


async def test_a_closed_advisor_answers_nobody(advisor):
    advisor.close()
    with pytest.raises(RuntimeError):
        await advisor.advise("medium", QUESTION)
