"""What is said at a table over the wire and never logged: phrases, pings, hints."""

from typing import Any

import pytest

from tests.integration.served import Served, Timed
from tests.integration.wire_kit import fresh, get, join, playing, roll, tab, up_to_date, waiting
from tests.outside.player import Message, Player
from tests.outside.view import settled

HELLO = {"type": "say", "phrase": "hello"}


def said(player: Player) -> list[Message]:
    return [message for message in player.received if message["type"] == "said"]


async def test_a_phrase_of_the_list_is_told_to_all_with_its_true_speaker(served: Served) -> None:
    ana, ben = await playing(served.base)
    watcher = await join(ana)
    phrases = (await get(served.base, "/api/phrases")).json()["phrases"]
    assert HELLO["phrase"] in phrases
    assert ana.guest
    answer = await ana.do(HELLO)
    assert {**answer, "ref": None} == {"type": "said", "player": ana.guest.id, "phrase": "hello", "ref": None}
    await up_to_date([ana, ben, watcher])
    assert said(ben) == said(watcher) == [{"type": "said", "player": ana.guest.id, "phrase": "hello"}]
    assert await ben.refused({"type": "say", "phrase": "you lose"}) == "bad_message"
    assert await ben.refused({"type": "say", "phrase": "<b>hello</b>"}) == "bad_message"
    assert await watcher.refused(HELLO) == "not_seated"


async def test_nobody_speaks_for_somebody_else_or_as_the_server(served: Served) -> None:
    ana, ben = await playing(served.base)
    assert ana.guest
    for extra in ({"player": ana.guest.id}, {"player": "Ana"}, {"seat": ana.seat}, {"system": True}):
        assert await ben.refused({**HELLO, **extra}) == "bad_message"
    await up_to_date([ana, ben])
    assert said(ana) == said(ben) == []


async def test_who_resigned_speaks_as_who_they_are(served: Served) -> None:
    ana, ben, carla = await playing(served.base, 3)
    await carla.do({"type": "leave"})
    await carla.do(HELLO)
    await up_to_date([ana, ben])
    assert carla.guest
    assert [message["player"] for message in said(ben)] == [carla.guest.id]


async def test_five_phrases_in_ten_seconds_and_no_more_whatever_tab_they_come_from(timed: Timed) -> None:
    ana, ben = await waiting(timed.base)
    second = await tab(ana)
    for number in range(5):
        await (ana, second)[number % 2].do(HELLO)
        await timed.pass_ms(1)
    assert await ana.refused(HELLO) == await second.refused(HELLO) == "too_fast"
    await ben.do(HELLO)
    await timed.pass_ms(9_994)
    assert await ana.refused(HELLO) == "too_fast"
    await timed.pass_ms(1)
    await ana.do(HELLO)
    assert await ana.refused(HELLO) == "too_fast"
    await up_to_date([ben])
    assert len(said(ben)) == 7


@pytest.mark.parametrize("t", [0, -1, 1_785_000_000_123, 12.5])
async def test_a_ping_brings_its_own_word_back_and_the_servers_time(timed: Timed, t: float) -> None:
    ana, _ = await waiting(timed.base)
    answer = await ana.do({"type": "ping", "t": t, "id": "p"})
    assert answer == {"type": "pong", "t": t, "now": timed.now, "ref": "p"}
    mark = len(ana.received)
    await ana.send({"type": "ping", "t": t})
    assert await ana.hear("pong", after=mark) == {"type": "pong", "t": t, "now": timed.now}


async def test_a_hint_names_the_best_legal_things_for_the_one_person_on_turn(served: Served) -> None:
    (ana,) = await playing(served.base, 1, bots=["medium"])
    await ana.until(lambda _: ana.is_on_turn)
    await roll(ana)
    before = await fresh(ana)
    answer = await ana.do({"type": "hint"})
    assert (answer["type"], list(answer)[-1]) == ("hint", "ref")
    assert 1 <= len(answer["best"]) <= 3
    for best in answer["best"]:
        assert_is_legal(best, ana.turn["boxes"])
    values = [best["value"] for best in answer["best"]]
    assert values == sorted(values, reverse=True)
    assert settled(await fresh(ana)) == settled(before)
    await roll(ana)
    await roll(ana)
    assert {best["action"] for best in (await ana.do({"type": "hint"}))["best"]} == {"score"}


def assert_is_legal(best: dict[str, Any], boxes: dict[str, int]) -> None:
    assert best["why"]
    if best["action"] == "score":
        assert best["box"] in boxes
    else:
        assert best["action"] == "roll"
        assert best["held"] == sorted(set(best["held"]))
        assert len(best["held"]) < 5


async def test_there_are_no_hints_with_two_people_off_turn_or_for_watchers(served: Served) -> None:
    ana, ben = await playing(served.base)
    watcher = await join(ana)
    assert [await player.refused({"type": "hint"}) for player in (ana, ben, watcher)] == ["no_hints", "no_hints", "not_seated"]


async def test_a_hint_off_turn_is_refused(timed: Timed) -> None:
    (ana,) = await playing(timed.base, 1, bots=["medium"])
    await ana.until(lambda _: ana.is_on_turn)
    await ana.do({"type": "leave"})
    await ana.until(lambda view: view["table"]["phase"] == "finished")
    assert await ana.refused({"type": "hint"}) == "wrong_phase"


async def test_hints_are_limited(timed: Timed) -> None:
    (ana,) = await playing(timed.base, 1, bots=["medium"])
    await ana.until(lambda _: ana.is_on_turn)
    await roll(ana)
    for _ in range(10):
        await ana.do({"type": "hint"})
    assert await ana.refused({"type": "hint"}) == "too_fast"
    await timed.pass_ms(10_000)
    await ana.do({"type": "hint"})
