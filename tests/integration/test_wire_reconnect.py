"""Coming back over the wire: what was missed, several tabs, who is there, and what a reload finds."""

import asyncio
import json
from typing import Any

import pytest

from tests.integration.served import Served, Timed
from tests.integration.wire_kit import (
    fresh,
    get,
    join,
    kinds,
    newcomer,
    play_turns,
    playing,
    roll,
    tab,
    up_to_date,
    waiting,
    write_best,
)
from tests.outside.player import Guest, Message, Player
from tests.outside.scripts import play
from tests.outside.view import settled

MOST_MISSED = 200
CLOCK_MS = 45_000
Since = tuple[int, str | None, str | None]


def sent(player: Player) -> list[Message]:
    """The event messages as everybody got them."""
    return [{**message, "ref": None} for message in player.received if message["type"] == "event"]


def since(player: Player, n: int) -> Since:
    """Event ``n`` as this player's client knows it."""
    return n, player.view["table"]["match"], sent(player)[n]["h"]


async def welcome(player: Player, last: Since) -> Message:
    """What a connection is welcomed with that asks for what it missed since ``last``; the state in it is the newest."""
    new = await Player(player.base, player.code, player.guest).connect(since=last)
    await new.drop()
    answer = new.received[0]
    assert (answer["type"], answer["n"], answer["h"]) == ("welcome", player.view["n"], player.view["h"])
    assert settled(answer) == settled(player.view)
    return answer


def missed(answer: Message) -> list[Message] | None:
    return [{**event, "ref": None} for event in answer["events"]] if "events" in answer else None


async def test_what_was_missed_comes_with_the_welcome_as_it_was_sent_also_from_beyond_the_tail(served: Served) -> None:
    ana, ben = await playing(served.base)
    await play_turns([ana, ben], 12)
    await roll(ana)
    last = ana.view["n"]
    for n in (0, 2, last - 17, last - 16, last - 15, last - 1, last):
        assert missed(await welcome(ana, since(ana, n))) == sent(ana)[n + 1 :]


async def test_a_watcher_catches_up_as_well(served: Served) -> None:
    ana, ben = await playing(served.base)
    await play_turns([ana, ben], 1)
    watcher = await Player(served.base, ana.code).connect(since=since(ana, 2))
    assert missed(watcher.received[0]) == sent(ana)[3:]


async def test_a_since_that_is_not_known_in_full_gets_the_snapshot_alone(served: Served) -> None:
    ana, ben = await playing(served.base)
    await play_turns([ana, ben], 2)
    n, match, head = since(ana, 3)
    beyond, other = ana.view["n"] + 1, sent(ana)[4]["h"]
    asked: list[Since] = [
        (n, None, head),
        (n, match, None),
        (n, None, None),
        (n, "00" * 16, head),
        (n, match, other),
        (n, match, "0" * 16),
        (n, match, head[:15] if head else None),
        (n, match, ""),
        (beyond, match, ana.view["h"]),
        (-1, match, head),
        (10**12, match, head),
    ]
    assert [missed(await welcome(ana, last)) for last in asked] == [None] * len(asked)
    for text in ("x", "", "3.0", "0x3", "٣"):
        last: Any = (text, match, head)
        assert missed(await welcome(ana, last)) is None


async def test_two_hundred_missed_events_are_brought_and_more_are_too_many(timed: Timed) -> None:
    ana, *_ = await playing(timed.base, 3, sheet="triple", clock=2)
    await timed.pass_ms(6 * 2_200 + 1_000)
    await ana.until(lambda view: view["table"]["phase"] == "finished")
    last = ana.view["n"]
    assert last > MOST_MISSED
    assert missed(await welcome(ana, since(ana, last - MOST_MISSED))) == sent(ana)[-MOST_MISSED:]
    assert missed(await welcome(ana, since(ana, last - MOST_MISSED - 1))) is None


async def test_who_was_cut_off_sees_on_coming_back_what_happened_and_nothing_twice(served: Served) -> None:
    ana, ben, carla = await playing(served.base, 3)
    await play_turns([ana, ben, carla], 1)
    await ana.cut()
    await roll(ben)
    await write_best(ben)
    await carla.until(lambda _: carla.is_on_turn)
    await roll(carla)
    await roll(carla, 0, 1)
    await ana.connect(since="last")
    await up_to_date([ana, carla])
    assert settled(ana.view) == settled(carla.view)
    assert (ana.turn["seat"], ana.turn["roll"], ana.turn["dice"]) == (carla.seat, 2, carla.turn["dice"])
    assert ana.view["table"]["scores"][str(ben.seat)]
    await play([ana, ben, carla])
    assert ana.witness.turns_checked == 33
    assert ana.witness.head == ben.witness.head


async def test_a_reconnect_within_the_turn_finds_the_time_that_is_left_and_can_act(timed: Timed) -> None:
    ana, ben = await playing(timed.base)
    deadline = ana.turn["deadline"]
    await timed.pass_to(deadline - 25_000)
    await ana.cut()
    await timed.pass_ms(10_000)
    await ana.connect(since="last")
    assert ana.turn["deadline"] - ana.received[-1].get("now", timed.now) == 15_000
    answer = await roll(ana)
    assert (answer["event"]["at"], answer["turn"]["deadline"]) == (deadline - 15_000, deadline)
    assert [message["now"] for message in ana.received if message["type"] == "welcome"][-1] == deadline - 15_000
    await ben.until(lambda view: view["n"] == answer["n"])


async def test_a_short_drop_is_told_and_is_no_resignation(timed: Timed) -> None:
    ana, ben = await playing(timed.base)
    for on_turn in (ana, ben):
        await ana.cut()
        await ben.until(lambda view: not view["table"]["seats"][ana.seat]["connected"])
        await timed.pass_ms(3_000)
        await ana.connect(since="last")
        await ben.until(lambda view: view["table"]["seats"][ana.seat]["connected"])
        seat = ben.view["table"]["seats"][ana.seat or 0]
        assert (seat["away"], seat["left"], ben.view["table"]["phase"]) == (False, False, "playing")
        await up_to_date([ana, ben])
        await roll(on_turn)
        await write_best(on_turn)
    assert kinds(ben)[3:] == ["rolled", "scored"] * 2


@pytest.mark.parametrize("leaves", ["drop", "cut"])
async def test_a_reload_keeps_seat_dice_and_holds(served: Served, leaves: str) -> None:
    ana, _ = await playing(served.base)
    await roll(ana)
    await ana.do({"type": "hold", "held": [0, 2, 4]})
    seat, turn = ana.seat, ana.turn
    await (ana.drop() if leaves == "drop" else ana.cut())
    for _ in range(2):
        async with Player(served.base, ana.code, ana.guest) as again:
            assert again.view["you"] == {"player": ana.guest.id, "seat": seat}  # type: ignore[union-attr]
            assert again.turn == turn
            assert again.turn["held"] == [0, 2, 4]
    await ana.connect()
    dice = (await roll(ana, 0, 2, 4))["event"]["dice"]
    assert [dice[place] for place in (0, 2, 4)] == [turn["dice"][place] for place in (0, 2, 4)]


async def test_five_tabs_are_live_and_a_sixth_closes_the_oldest_and_says_why(served: Served) -> None:
    ana, ben = await playing(served.base)
    tabs = [ana, *[await tab(ana) for _ in range(4)]]
    await roll(tabs[0])
    await up_to_date([*tabs, ben])
    assert {each.view["n"] for each in tabs} == {3}
    assert await tabs[1].refused({"type": "score", "box": "ones", "expect": 2}) == "stale"
    await tabs[1].do({"type": "score", "box": "ones", "expect": 3})
    await up_to_date([*tabs, ben])
    assert [settled(each.view) for each in tabs] == [settled(ben.view)] * 5
    sixth = await tab(ana)
    assert await ana.wait_closed() == 4009
    assert ana.closed
    assert ana.closed[1]
    await roll(ben)
    await up_to_date([*tabs[1:], sixth])
    assert {each.view["n"] for each in (*tabs[1:], sixth)} == {5}
    assert ben.view["table"]["seats"][ana.seat or 0]["connected"]


async def test_any_number_of_people_without_a_session_may_watch_and_each_is_counted(served: Served) -> None:
    ana, ben = await waiting(served.base, seats=3)
    watchers = [await Player(served.base, ana.code).connect() for _ in range(7)]
    guest = await join(ana)
    await ben.until(lambda view: view.get("watching") == 8)
    carla = await newcomer(ana)
    await ben.until(lambda view: view.get("watching") == 8 and view["table"]["seats"][2]["connected"])
    for each in (*watchers[:6], guest, carla):
        await each.cut()
    await ben.until(lambda view: view.get("watching") == 1 and not view["table"]["seats"][2]["connected"])
    assert (await fresh(ben))["table"]["seats"][2]["connected"] is False


async def test_presence_is_of_the_player_not_of_the_tab(served: Served) -> None:
    ana, ben = await waiting(served.base)
    second = await tab(ana)
    mark = len(ben.received)
    await ana.cut()
    await second.cut()
    told = await ben.hear(lambda message: message["type"] == "presence" and not message["seats"]["0"]["connected"], after=mark)
    assert told == {
        "type": "presence",
        "seats": {"0": {"connected": False, "away": False}, "1": {"connected": True, "away": False}},
        "watching": 0,
    }
    before = [message for message in ben.received[mark:] if message["type"] == "presence"]
    assert [message["seats"]["0"]["connected"] for message in before][:-1] == [True] * (len(before) - 1)


async def test_a_watchers_view_holds_public_things_only(served: Served) -> None:
    ana, ben = await playing(served.base)
    await roll(ana)
    await up_to_date([ana, ben])
    async with Player(served.base, ana.code, await Guest.arrive(served.base)) as guest, Player(served.base, ana.code) as nobody:
        assert "seat" not in guest.view["you"]
        assert nobody.view["you"] == {}
        snapshot = (await get(served.base, f"/api/tables/{ana.code}")).json()
        assert settled(guest.view) == settled(nobody.view) == settled(ana.view) == settled(snapshot)
        shown = json.dumps([guest.received, nobody.received, snapshot])
    for player in (ana, ben):
        assert player.guest
        assert player.guest.token not in shown


async def test_two_tabs_that_act_at_once_act_once(served: Served) -> None:
    ana, ben = await playing(served.base)
    second = await tab(ana)
    command = {"type": "roll", "held": [], "expect": 2}
    answers = await asyncio.gather(ana.ask(command), second.ask(command))
    assert sorted(answer.get("code", "") for answer in answers) == ["", "stale"]
    await up_to_date([ana, second, ben])
    assert kinds(ben)[3:] == ["rolled"]
    assert [settled(each.view) for each in (ana, second)] == [settled(ben.view)] * 2
