"""A turn over the wire: rolls, holds, writes, what each event brings, and every way to be refused."""

import asyncio
import json
from typing import Any

import pytest

from tests.integration.served import Served
from tests.integration.wire_kit import (
    RawSocket,
    events,
    finished,
    fresh,
    join,
    kinds,
    new_table,
    play_turns,
    playing,
    roll,
    up_to_date,
    waiting,
    write_best,
)
from tests.outside.player import Message, Player
from tests.outside.scripts import best_box
from tests.outside.view import View, settled

GENERALA = {"ones", "twos", "threes", "fours", "fives", "sixes", "escalera", "full", "poker", "generala", "doble"}
UNCHANGING = ("presence", "pong", "error", "ok")


async def unchanged(player: Player, before: View) -> bool:
    """The table is as it was, for this player and for a newcomer."""
    await up_to_date([player])
    assert settled(await fresh(player)) == settled(before)
    assert settled(player.view) == settled(before)
    return True


async def test_an_event_brings_its_number_its_head_the_turn_and_the_totals(served: Served) -> None:
    ana, ben = await playing(served.base)
    rolled = await roll(ana)
    assert list(rolled) == ["type", "n", "h", "event", "turn", "ref"]
    assert sorted(rolled["event"]) == ["at", "auto", "dice", "held", "roll", "seat", "turn", "type"]
    assert (rolled["n"], rolled["event"]["roll"], rolled["event"]["held"], rolled["event"]["auto"]) == (3, 1, [], False)
    turn = rolled["turn"]
    assert sorted(turn) == ["boxes", "deadline", "dice", "held", "roll", "seat", "turn"]
    assert (turn["dice"], turn["seat"], turn["deadline"]) == (rolled["event"]["dice"], ana.seat, deadline_of(ana))
    assert set(turn["boxes"]) == GENERALA
    scored = await ana.do({"type": "score", "box": "ones", "expect": 3})
    assert list(scored) == ["type", "n", "h", "event", "turn", "totals", "ref"]
    assert sorted(scored["event"]) == ["at", "auto", "bonus", "box", "key", "points", "seat", "turn", "type"]
    assert scored["event"]["points"] == turn["boxes"]["ones"] == rolled["event"]["dice"].count(1)
    assert scored["totals"] == {str(ana.seat): scored["event"]["points"], str(ben.seat): 0}
    assert "boxes" not in scored["turn"]
    assert scored["turn"]["seat"] == ben.seat
    assert scored["turn"]["deadline"] == scored["event"]["at"] + 45_000
    await ben.until(lambda view: view["n"] == 4)
    copies = [message for message in ben.received if message["type"] == "event"][-2:]
    assert copies == [{name: part for name, part in message.items() if name != "ref"} for message in (rolled, scored)]


def deadline_of(player: Player) -> int:
    """The deadline of the first turn: from the opening on."""
    at = events(player, "opened")[0]["at"]
    assert isinstance(at, int)
    return at + 45_000


async def test_held_dice_keep_their_faces_and_holds_are_shown_to_all_at_once_and_never_logged(served: Served) -> None:
    ana, ben = await playing(served.base)
    watcher = await Player(served.base, ana.code).connect()
    assert await ana.refused({"type": "hold", "held": []}) == "roll_first"
    first = await roll(ana)
    for held in ([0, 3], [], [0, 1, 2, 3, 4], [1, 4]):
        answer = await ana.do({"type": "hold", "held": held})
        assert (answer["type"], answer["seat"], answer["held"]) == ("holding", ana.seat, held)
    await up_to_date([ana, ben, watcher])
    for player in (ben, watcher):
        shown = [message["held"] for message in player.received if message["type"] == "holding"]
        assert shown == [[0, 3], [], [0, 1, 2, 3, 4], [1, 4]]
        assert player.turn["held"] == [1, 4]
    assert (await fresh(ben))["table"]["turn"]["held"] == [1, 4]
    second = await roll(ana, 0, 2)
    assert [second["event"]["dice"][place] for place in (0, 2)] == [first["event"]["dice"][place] for place in (0, 2)]
    assert second["turn"]["held"] == second["event"]["held"] == [0, 2]
    await roll(ana)
    assert await ana.refused({"type": "hold", "held": [1]}) == "no_rolls_left"
    assert ana.view["n"] == 5
    assert await ben.refused({"type": "hold", "held": [1]}) == "not_your_turn"
    assert await watcher.refused({"type": "hold", "held": [1]}) == "not_seated"


BAD_HELD = ([0, 0, 1], [5], [-1], [1, 0], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5], [2**40])
NO_MASK = (["1"], [0.0], [None], [True], "01", {"0": 1}, None, 7, [[0]])


async def test_a_mask_that_is_none_or_keeps_all_five_is_refused_and_the_hand_stays(served: Served) -> None:
    ana, _ = await playing(served.base)
    before = await fresh(ana)
    assert await ana.refused({"type": "roll", "held": [0], "expect": before["n"]}) == "bad_held"
    first = await roll(ana)
    before = await fresh(ana)
    expect = first["n"]
    assert [await ana.refused({"type": "roll", "held": held, "expect": expect}) for held in BAD_HELD] == ["bad_held"] * 7
    assert [await ana.refused({"type": "hold", "held": held}) for held in BAD_HELD if len(held) != 5] == ["bad_held"] * 6
    assert [await ana.refused({"type": "roll", "held": held, "expect": expect}) for held in NO_MASK] == ["bad_message"] * 9
    assert await unchanged(ana, before)
    await write_best(ana)


NO_ID: tuple[object, ...] = ("x" * 41, 7, ["x"], {})
NO_TEXT: tuple[object, ...] = (None, 0, ["ones"], {})
NO_NUMBER: tuple[object, ...] = ("3", None, 3.5, [3], True)
NO_BOX = ("", "ONES ", "sixes\n", "yahtzee", "down:ones")


async def test_a_box_that_is_none_is_not_written(served: Served) -> None:
    ana, ben = await playing(served.base)
    assert await ana.refused({"type": "score", "box": "ones", "expect": ana.view["n"]}) == "roll_first"
    await roll(ana)
    before = await fresh(ana)
    for box, code in {**dict.fromkeys(NO_BOX, "unknown_box"), "roll_off": "box_illegal"}.items():
        assert await ana.refused({"type": "score", "box": box, "expect": before["n"]}) == code
    for value in NO_TEXT:
        assert await ana.refused({"type": "score", "box": value, "expect": before["n"]}) == "bad_message"
    assert await ana.refused({"type": "score", "expect": before["n"]}) == "bad_message"
    assert await unchanged(ana, before)
    written = (await write_best(ana))["event"]["box"]
    await ben.until(lambda view: view["n"] == ana.view["n"])
    await play_turns([ana, ben], 1)
    await roll(ana)
    assert await ana.refused({"type": "score", "box": written, "expect": ana.view["n"]}) == "box_filled"


async def test_there_is_never_a_fourth_roll(served: Served) -> None:
    ana, _ = await playing(served.base)
    for number in (1, 2, 3):
        assert (await roll(ana))["turn"]["roll"] == number
    assert await ana.refused({"type": "roll", "held": [], "expect": ana.view["n"]}) == "no_rolls_left"
    await write_best(ana)


async def test_what_lies_before_the_last_play_or_beyond_the_log_is_stale(served: Served) -> None:
    ana, _ = await playing(served.base)
    await roll(ana)
    before = await fresh(ana)
    for expect in (-1, 0, 2, 4, 2**31, 2**64):
        assert await ana.refused({"type": "roll", "held": [], "expect": expect}) == "stale"
        assert await ana.refused({"type": "score", "box": "ones", "expect": expect}) == "stale"
    for value in NO_NUMBER:
        assert await ana.refused({"type": "roll", "held": [], "expect": value}) == "bad_message"
    assert await ana.refused({"type": "roll", "held": []}) == "bad_message"
    assert await unchanged(ana, before)


async def test_a_rivals_leaving_costs_nobody_a_turn(served: Served) -> None:
    ana, _, carla = await playing(served.base, 3)
    await roll(ana)
    seen = ana.view["n"]
    await carla.do({"type": "leave"})
    assert (await roll(ana, 0, expect=seen))["n"] == seen + 2


async def test_a_write_that_is_sent_three_times_at_once_counts_once(served: Served) -> None:
    ana, ben = await playing(served.base)
    await roll(ana)
    command = {**best_box(ana.turn), "expect": ana.view["n"]}
    answers = await asyncio.gather(*(ana.ask(command) for _ in range(3)))
    assert [answer.get("code") for answer in answers] == [None, "stale", "stale"]
    await up_to_date([ana, ben])
    assert kinds(ben)[-2:] == ["rolled", "scored"]
    assert ben.turn["deadline"] == answers[0]["event"]["at"] + 45_000
    assert (ben.turn["roll"], ben.turn["dice"]) == (0, [])


async def test_a_double_click_rolls_once_twenty_times(served: Served) -> None:
    ana, ben = await playing(served.base)
    for number in range(20):
        player = (ana, ben)[number % 2]
        await up_to_date([ana, ben])
        command = {"type": "roll", "held": [], "expect": player.view["n"]}
        answers = await asyncio.gather(player.ask(command), player.ask(command))
        assert sorted(answer.get("code", "") for answer in answers) == ["", "stale"]
        assert player.turn["roll"] == 1
        await write_best(player)
    await up_to_date([ana, ben])
    assert kinds(ben)[3:] == ["rolled", "scored"] * 20


async def test_the_same_id_is_applied_once_and_answered_again_altered_or_not(served: Served) -> None:
    ana, ben = await playing(served.base)
    first = await RawSocket.open(ana)
    rolled = await first.ask({"type": "roll", "held": [], "expect": 2, "id": "X"})
    first.drop()
    async with await RawSocket.open(ana) as again:
        for more in ({}, {"held": [0, 1]}, {"held": [9]}, {"expect": 99}):
            assert await again.ask({"type": "roll", "held": [], "expect": 2, "id": "X", **more}) == rolled
        assert await again.ask({"type": "score", "box": "ones", "expect": 3, "id": "X"}) == rolled
        written = await again.ask({**best_box(rolled["turn"]), "expect": 3, "id": "Y"})
        assert await again.ask({"type": "roll", "held": [], "expect": 2, "id": "X"}) == rolled
        await ben.until(lambda view: view["n"] == 4)
        await roll(ben, id="X")
        assert (await again.ask({**best_box(rolled["turn"]), "expect": 3, "id": "Y"})) == written
    await up_to_date([ana, ben])
    assert kinds(ana)[3:] == kinds(ben)[3:] == ["rolled", "scored", "rolled"]


async def test_an_id_is_known_whatever_has_happened_since_until_the_match_is_over(served: Served) -> None:
    ana, ben = await playing(served.base)
    async with await RawSocket.open(ana) as socket:
        rolled = await socket.ask({"type": "roll", "held": [], "expect": 2, "id": "X"})
        await ana.until(lambda view: view["n"] == 3)
        await write_best(ana)
        await play_turns([ana, ben], 12)
        assert ana.view["n"] > rolled["n"] + 16
        assert await socket.ask({"type": "roll", "held": [], "expect": 2, "id": "X"}) == rolled
        await ben.do({"type": "leave"})
        await ana.until(lambda view: view["table"]["phase"] == "finished")
        assert await socket.ask({"type": "roll", "held": [], "expect": 2, "id": "X"}) == rolled
        assert (await socket.ask({"type": "roll", "held": [], "expect": 2, "id": "Z"}))["code"] == "wrong_phase"


async def test_an_id_has_at_most_forty_characters_and_a_refused_one_may_be_used_again(served: Served) -> None:
    ana, _ = await playing(served.base)
    mark = len(ana.received)
    for bad in NO_ID:
        await ana.send({"type": "roll", "held": [], "expect": 2, "id": bad})
    await up_to_date([ana])
    assert [message["code"] for message in ana.received[mark:] if message["type"] == "error"] == ["bad_message"] * 4
    assert (await ana.ask({"type": "score", "box": "ones", "expect": 9, "id": "é" * 40}))["code"] == "stale"
    assert (await roll(ana, id="é" * 40))["event"]["type"] == "rolled"
    assert (await roll(ana, id=""))["ref"] == ""


@pytest.mark.parametrize("time", [46_000, -3_600_000, 0, -1, "NaN"])
async def test_times_and_seats_of_a_clients_own_are_refused(served: Served, time: Any) -> None:
    ana, _ = await playing(served.base)
    before = await fresh(ana)
    now = (await ana.do({"type": "ping", "t": 1}))["now"]
    stated = now + time if isinstance(time, int) and abs(time) > 1 else time
    for extra in ({"at": stated}, {"time": stated}, {"seat": 0}, {"now": stated}):
        assert await ana.refused({"type": "roll", "held": [], "expect": 2, **extra}) == "bad_message"
    assert await unchanged(ana, before)
    event = (await roll(ana))["event"]
    assert now <= event["at"] <= (await ana.do({"type": "ping", "t": 1}))["now"]


COMMANDS: dict[str, Message] = {
    "roll": {"type": "roll", "held": [], "expect": 2},
    "hold": {"type": "hold", "held": [0]},
    "score": {"type": "score", "box": "ones", "expect": 2},
    "back": {"type": "back"},
    "leave": {"type": "leave"},
    "nudge": {"type": "nudge"},
    "rematch": {"type": "rematch"},
    "seen": {"type": "seen", "turn": 1, "key": "00" * 32},
    "hint": {"type": "hint"},
    "say": {"type": "say", "phrase": "hello"},
    "commit": {"type": "commit", "commitment": "00" * 32},
    "reveal": {"type": "reveal", "entropy": "00" * 32},
    "sit": {"type": "sit"},
    "stand": {"type": "stand"},
    "start": {"type": "start"},
    "add_bot": {"type": "add_bot", "level": "medium"},
    "unseat": {"type": "unseat", "seat": 0},
    "settings": {"type": "settings", "clock": 15},
    "close": {"type": "close"},
}
CREATORS = ("start", "add_bot", "unseat", "settings", "close")
SEATED_IN_PLAY = ("roll", "hold", "score", "back", "nudge", "hint", "seen", "commit", "reveal", "rematch")


async def codes(player: Player, *names: str) -> dict[str, str]:
    """How each command is refused."""
    return {name: await player.refused(COMMANDS[name]) for name in names or COMMANDS}


async def test_a_watcher_does_nothing_whatever_is_sent(served: Served) -> None:
    ana, _ = await playing(served.base)
    before = await fresh(ana)
    guest, nobody = await join(ana), await Player(served.base, ana.code).connect()
    expected = {name: "not_creator" if name in CREATORS else "not_seated" for name in COMMANDS}
    assert await codes(nobody) == expected
    only_now = ("sit", "stand", "rematch")
    assert await codes(guest) == expected | dict.fromkeys(only_now, "wrong_phase")
    assert await unchanged(ana, before)


async def test_who_is_not_on_turn_moves_nothing(served: Served) -> None:
    players = await playing(served.base)
    ana, ben = players
    await roll(ana)
    await ben.until(lambda view: view["n"] == 3)
    before = await fresh(ana)
    for seat in ({}, {"seat": ana.seat}):
        got = await ben.refused({**COMMANDS["roll"], "expect": 3, **seat})
        assert got == ("bad_message" if seat else "not_your_turn")
        got = await ben.refused({"type": "score", "box": "ones", "expect": 3, **seat})
        assert got == ("bad_message" if seat else "not_your_turn")
    assert await ben.refused(COMMANDS["back"]) == "wrong_phase"
    assert await ben.refused(COMMANDS["hold"]) == "not_your_turn"
    assert await ben.refused(COMMANDS["seen"]) == "bad_reveal"
    wrong = await codes(ben, "commit", "reveal", "sit", "stand", "rematch", "nudge")
    assert set(wrong.values()) == {"wrong_phase"}
    creator = next(player for player in players if player.guest and player.guest.id == player.view["table"]["creator"])
    other = next(player for player in players if player is not creator)
    assert set((await codes(creator, *CREATORS)).values()) == {"wrong_phase"}
    assert set((await codes(other, *CREATORS)).values()) == {"not_creator"}
    assert await unchanged(ana, before)


async def test_what_belongs_to_a_match_is_refused_before_and_after_it(served: Served) -> None:
    ana, ben = await waiting(served.base)
    assert set((await codes(ben, *SEATED_IN_PLAY)).values()) <= {"wrong_phase", "no_hints"}
    ana, ben = await finished(served.base)
    before = await fresh(ana)
    refusals = await codes(ana, *(name for name in SEATED_IN_PLAY if name != "rematch"), "sit", "stand")
    assert set(refusals.values()) <= {"wrong_phase", "no_hints"}
    assert await unchanged(ana, before)


async def test_at_a_table_where_one_has_no_seat_one_plays_nobodys_turn_a_bots_neither(served: Served) -> None:
    (ana,) = await playing(served.base, 1, bots=["medium"])
    ben = await new_table(served.base)
    elsewhere = await Player(served.base, ana.code, ben.guest).connect()
    await ana.until(lambda _: ana.is_on_turn)
    assert await elsewhere.refused({**COMMANDS["roll"], "expect": ana.view["n"]}) == "not_seated"
    assert await ana.refused({**COMMANDS["roll"], "seat": 1, "expect": ana.view["n"]}) == "bad_message"
    shown = json.dumps(elsewhere.received)
    assert "token" not in shown
