"""Deadlines over the wire, on a clock that the test moves: who counts to the millisecond, what is played when nobody does."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from tests.integration.served import Opens, Served, Timed
from tests.integration.wire_kit import (
    RawSocket,
    by_turn,
    events,
    fresh,
    kinds,
    play_turns,
    playing,
    roll,
    up_to_date,
    write_best,
)
from tests.outside.player import Message, Player
from tests.outside.scripts import best_box, check_export, play
from tests.outside.view import settled

CLOCK_MS = 45_000
LATENESS_MS = 200
AWAY_MS = 3_000
SHORT_MS = 2_000


async def until_auto(timed: Timed, players: Sequence[Player]) -> Message:
    """Let the turn under way run out; its automatic write, once all have seen it."""
    turn = players[0].turn
    await timed.pass_to(turn["deadline"] + LATENESS_MS)
    for player in players:
        if not player.closed:
            await player.until(lambda view: (view["table"].get("turn") or {}).get("turn") != turn["turn"])
    return events(players[0], "scored")[-1]


async def test_a_turn_nobody_plays_is_rolled_once_and_the_box_that_pays_most_is_written(timed: Timed) -> None:
    ana, ben = await playing(timed.base)
    deadline = ana.turn["deadline"]
    assert deadline == events(ana, "opened")[0]["at"] + CLOCK_MS
    await timed.pass_to(deadline + LATENESS_MS - 1)
    await up_to_date([ana, ben])
    assert kinds(ben)[-1] == "opened"
    written = await until_auto(timed, [ana, ben])
    rolled = events(ben, "rolled")[-1]
    assert (rolled["auto"], rolled["roll"], rolled["held"], written["auto"]) == (True, 1, [], True)
    assert rolled["at"] == written["at"] == deadline + LATENESS_MS
    boxes = next(message["turn"]["boxes"] for message in ben.received if message.get("event") == rolled)
    assert written["points"] == max(boxes.values())
    assert kinds(ana) == kinds(ben)
    assert ben.turn["deadline"] == written["at"] + CLOCK_MS


async def test_what_was_rolled_by_hand_is_written_as_it_lies(timed: Timed) -> None:
    ana, ben = await playing(timed.base)
    await roll(ana)
    await roll(ana)
    best = max(ana.turn["boxes"].values())
    written = await until_auto(timed, [ana, ben])
    assert kinds(ben)[3:] == ["rolled", "rolled", "scored"]
    assert [event["auto"] for event in events(ben, "rolled")] == [False, False]
    assert (written["auto"], written["points"]) == (True, best)


async def test_a_player_whose_connection_died_still_runs_out_of_time(timed: Timed) -> None:
    ana, ben = await playing(timed.base)
    deadline = ana.turn["deadline"]
    await timed.pass_to(deadline - 10_000)
    await ana.cut()
    written = await until_auto(timed, [ben, ana])
    assert deadline <= written["at"] <= deadline + 500
    assert kinds(ben)[3:] == ["rolled", "scored"]


async def test_absent_players_run_out_of_real_time_too_and_their_match_is_void(served: Served) -> None:
    """The one that waits: a clock of a second, and nobody there."""
    ana, ben = await playing(served.base, clock=1)
    opened = events(ben, "opened")[0]["at"]
    deadline = ana.turn["deadline"]
    await ana.cut()
    await ben.cut()
    watcher = await Player(served.base, ana.code).connect()
    await watcher.until(lambda view: view["table"]["phase"] == "finished", wait_s=20)
    assert deadline == opened + 1_000
    first = next(event for event in events(watcher, "scored") if event["turn"] == 1)
    assert deadline <= first["at"] <= deadline + 500
    assert events(watcher, "finished")[0]["reason"] == "void"
    assert len(events(watcher, "scored")) == 22
    await check_export(watcher)


@pytest.mark.parametrize(("off_ms", "counts"), [(-1_000, True), (0, True), (1, False)])
async def test_a_write_counts_if_it_arrives_by_the_deadline(timed: Timed, *, off_ms: int, counts: bool) -> None:
    ana, ben = await playing(timed.base)
    await roll(ana)
    deadline, command = ana.turn["deadline"], {**best_box(ana.turn), "expect": ana.view["n"]}
    await timed.pass_to(deadline + off_ms)
    answer = await ana.ask(command)
    await up_to_date([ana, ben])
    written = events(ben, "scored")
    assert len(written) == 1
    if counts:
        assert (answer["event"]["at"], written[0]["auto"]) == (deadline + off_ms, False)
    else:
        assert (answer["code"], written[0]["auto"]) == ("stale", True)
    await play([ana, ben])
    await check_export(ana)


RACES = ((-5, "wake"), (-5, "hand"), (0, "wake"), (0, "hand"), (5, "wake"), (0, "hand"))
"""How long after its deadline (ms) a command arrives, and who ends the turn: never twice in a row the clock (away)."""


@pytest.mark.parametrize("kind", ["roll", "score"])
async def test_five_hundred_commands_at_the_deadline_and_the_clock_never_both_count(timed: Timed, kind: str) -> None:
    done = 0
    while done < 500:
        players = await playing(timed.base, 2, sheet="triple", clock=2)
        for turn in range(min(78, 500 - done)):
            await race(timed, players, kind, *RACES[turn // 2 % len(RACES)])
            done += 1
        await check_race(players)


async def race(timed: Timed, players: list[Player], kind: str, off_ms: int, ends_by: str) -> None:
    """Somebody acts around the deadline, and the clock is moved past the wake."""
    player = next(player for player in players if player.is_on_turn)
    if kind == "score":
        await roll(player)
    deadline, number = player.turn["deadline"], player.turn["turn"]
    command = {"type": "roll", "held": []} if kind == "roll" else best_box(player.turn)
    await timed.pass_to(deadline + off_ms)
    answer = await player.ask({**command, "expect": player.view["n"]})
    assert answer.get("code") in ([None] if off_ms <= 0 else ["stale", "wrong_phase"])
    if kind == "roll" and ends_by == "hand":
        await write_best(player)
    elif kind == "roll" and off_ms <= 0:
        await timed.pass_to(deadline + LATENESS_MS)
    for each in players:
        await each.until(lambda view: view["table"]["phase"] == "finished" or view["table"]["turn"]["turn"] > number)
    written = events(player, "scored")[-1]
    assert (written["turn"], written["auto"]) == (number, off_ms > 0 or (kind == "roll" and ends_by == "wake"))


async def check_race(players: list[Player]) -> None:
    """Each turn has one write and at most three rolls, and an outsider finds no fault in the whole."""
    turns = [event["turn"] for event in events(players[0], "scored")]
    assert turns == list(range(1, len(turns) + 1))
    assert [event["roll"] for event in events(players[0], "rolled")] == [1] * len(turns)
    if players[0].is_finished:
        await check_export(players[0])


async def test_a_command_that_waits_for_the_wake_is_decided_once(timed: Timed) -> None:
    """The frame is in the server's socket when the clock passes the wake, and is read after it."""
    ana, ben = await playing(timed.base)
    deadline = ana.turn["deadline"]
    async with await RawSocket.open(ana) as socket:
        await timed.pass_to(deadline)
        socket.send(b'{"type":"roll","held":[],"expect":2,"id":"late"}')
        timed.clock.advance(LATENESS_MS)
        answer = await socket.next(lambda message: message.get("ref") == "late")
    await up_to_date([ana, ben])
    assert answer["type"] in ("event", "error")
    assert kinds(ben)[3:] == ["rolled", "scored"]
    assert len(events(ben, "rolled")) == 1


async def test_the_clock_stops_when_the_server_has_the_command_however_late_the_answer_is_read(timed: Timed) -> None:
    ana, ben = await playing(timed.base)
    start = events(ben, "opened")[0]["at"]
    async with await RawSocket.open(ana) as deaf:
        deaf.reader._transport.pause_reading()  # type: ignore[attr-defined]
        await timed.pass_to(start + 20_000)
        deaf.send(b'{"type":"roll","held":[],"expect":2,"id":"a"}')
        deaf.send(b'{"type":"score","box":"ones","expect":3,"id":"b"}')
        await ben.until(lambda view: view["n"] == 4)
        await timed.pass_ms(3_000)
    written = events(ben, "scored")[0]
    assert (written["at"], ben.turn["deadline"]) == (start + 20_000, start + 20_000 + CLOCK_MS)


async def test_the_creators_leaving_moves_nobodys_clock(timed: Timed) -> None:
    players = await playing(timed.base, 3)
    ana = next(player for player in players if player.guest and player.guest.id == player.view["table"]["creator"])
    others = [player for player in players if player is not ana]
    if ana.is_on_turn:
        await play_turns(players, 1)
    on_turn = next(player for player in players if player.is_on_turn)
    turn = on_turn.turn
    await timed.pass_ms(20_000)
    await ana.do({"type": "leave"})
    await ana.drop()
    await up_to_date(others)
    assert [player.turn for player in others] == [turn, turn]
    await timed.pass_to(turn["deadline"])
    assert (await roll(on_turn))["turn"]["deadline"] == turn["deadline"]


async def test_a_seat_is_away_after_two_turns_then_has_three_seconds_and_comes_back_to_the_whole_clock(timed: Timed) -> None:
    ana, ben = await playing(timed.base)
    await ana.cut()
    lasted = []
    for _ in range(3):
        start, deadline = timed.now, ben.turn["deadline"]
        await until_auto(timed, [ben])
        lasted.append(deadline - start)
        await roll(ben)
        await write_best(ben)
    assert lasted == [CLOCK_MS, CLOCK_MS, AWAY_MS]
    seat = ana.seat or 0
    assert ben.view["table"]["seats"][seat]["away"]
    await ana.connect(since="last")
    assert (ana.is_on_turn, ana.turn["deadline"]) == (True, timed.now + AWAY_MS)
    start = timed.now
    await timed.pass_ms(1_000)
    back = await ana.do({"type": "back"})
    assert (back["event"], back["turn"]["deadline"]) == ({"at": timed.now, "seat": seat, "type": "back"}, start + CLOCK_MS)
    told = await ben.hear(lambda message: message.get("n") == back["n"])
    assert told["turn"] == back["turn"]
    await up_to_date([ana, ben])
    assert ben.view["table"]["seats"][seat] == {**ben.view["table"]["seats"][seat], "connected": True, "away": False}
    assert await ana.refused({"type": "back"}) == "wrong_phase"
    await play([ana, ben])
    await check_export(ben)


async def test_an_own_roll_is_a_return_in_the_same_append(timed: Timed) -> None:
    ana, ben = await playing(timed.base, clock=2)
    for _ in range(2):
        await until_auto(timed, [ana, ben])
        await roll(ben)
        await write_best(ben)
    await up_to_date([ana, ben])
    assert (ana.turn["seat"], ben.view["table"]["seats"][ana.seat or 0]["away"]) == (ana.seat, True)
    rolled = await roll(ana)
    await up_to_date([ana, ben])
    assert kinds(ben)[-2:] == ["back", "rolled"]
    assert (rolled["event"]["type"], ben.view["table"]["seats"][ana.seat or 0]["away"]) == ("rolled", False)


async def test_the_seat_on_turn_that_resigns_is_written_within_a_second_and_plays_a_second_a_turn(timed: Timed) -> None:
    ana, ben, carla = await playing(timed.base, 3)
    await roll(ana)
    await roll(ana)
    left = await ana.do({"type": "leave"})
    assert (left["event"]["type"], left["event"]["reason"]) == ("left", "resigned")
    assert left["turn"]["deadline"] == timed.now + 1_000
    await timed.pass_ms(1_000)
    await up_to_date([ben, carla])
    assert (ben.is_on_turn, ben.turn["deadline"]) == (True, timed.now + CLOCK_MS)
    assert await ana.refused({"type": "roll", "held": [], "expect": ana.view["n"]}) == "not_your_turn"
    for _ in range(10):
        for player in (ben, carla):
            await roll(player)
            await write_best(player)
            await up_to_date([ben, carla])
        assert ben.turn["deadline"] == timed.now + 1_000
        await timed.pass_ms(1_000)
        await up_to_date([ben, carla])
    for player in (ben, carla):
        await roll(player)
        await write_best(player)
        await up_to_date([ben, carla])
    end = events(ben, "finished")[0]
    assert (end["reason"], end["places"][str(ana.seat)]) == ("full", 3)
    assert [event["auto"] for event in events(ben, "scored") if event["seat"] == ana.seat] == [True] * 11
    await check_export(ben)


@pytest.mark.parametrize(("gone", "on_turn"), [(0, 2), (3, 2), (1, 3)])
async def test_whoever_resigns_the_one_on_turn_stays_and_the_order_goes_on(timed: Timed, gone: int, on_turn: int) -> None:
    players = await playing(timed.base, 4, clock=15)
    order = players[0].view["table"]["order"]
    await play_turns(players, on_turn)
    turn = players[0].turn
    await players[gone].do({"type": "leave"})
    await up_to_date(players)
    assert [player.turn for player in players] == [turn] * 4
    seats = []
    for _ in range(6):
        seats.append(players[0].turn["seat"])
        if seats[-1] == players[gone].seat:
            await timed.pass_ms(1_000)
            await up_to_date(players)
        else:
            await play_turns(players, 1)
    assert seats == [order[(on_turn + step) % 4] for step in range(6)]
    back = Player(timed.base, players[gone].code, players[gone].guest)
    await back.connect()
    assert await back.refused({"type": "roll", "held": [], "expect": back.view["n"]}) == "not_your_turn"


async def test_when_nobody_is_left_the_rest_is_played_out_at_once_and_counts_if_somebody_wrote_by_hand(timed: Timed) -> None:
    ana, ben = await playing(timed.base, clock=2)
    await play_turns([ana, ben], 2)
    for _ in range(4):
        await until_auto(timed, [ana])
    await ana.until(lambda view: view["table"]["phase"] == "finished")
    await up_to_date([ana, ben])
    assert {event["at"] for event in events(ben, "scored")[5:]} == {events(ben, "scored")[5]["at"]}
    assert events(ben, "finished")[0]["reason"] == "full"
    await check_export(ben)


async def test_one_person_gone_among_bots_is_played_out_by_the_clock_alone(timed: Timed) -> None:
    (ana,) = await playing(timed.base, 1, clock=2, bots=["medium"])
    watcher = await Player(timed.base, ana.code).connect()
    await ana.cut()
    for _ in range(2):
        await watcher.until(lambda view: view["table"]["turn"]["seat"] == 0, wait_s=20)
        await timed.pass_to(watcher.turn["deadline"] + LATENESS_MS)
    await watcher.until(lambda view: view["table"]["phase"] == "finished", wait_s=30)
    assert events(watcher, "finished")[0]["reason"] == "void"
    assert {event["auto"] for event in events(watcher, "scored") if event["seat"] == 1} == {False}
    await check_export(watcher)


async def test_a_gone_seat_at_a_table_without_a_clock_is_nudged_after_five_minutes(timed: Timed) -> None:
    ana, ben = await playing(timed.base, clock=0, rated=False)
    assert ben.turn["deadline"] is None
    assert await ben.refused({"type": "nudge"}) == "wrong_phase"
    await ana.cut()
    await ben.until(lambda view: not view["table"]["seats"][ana.seat or 0]["connected"])
    watcher = await Player(timed.base, ana.code).connect()
    await timed.pass_ms(299_999)
    assert await ben.refused({"type": "nudge"}) == "wrong_phase"
    assert await watcher.refused({"type": "nudge"}) == "not_seated"
    await timed.pass_ms(1)
    await ben.do({"type": "nudge"})
    await up_to_date([ben, watcher])
    assert kinds(watcher) == ["rolled", "scored"]
    assert [event["auto"] for event in (*events(ben, "rolled"), *events(ben, "scored"))] == [True, True]
    assert ben.is_on_turn
    await ana.connect(since="last")
    await play([ana, ben])
    await check_export(ben)


async def test_an_outage_of_the_whole_service_gives_the_time_back_and_says_so(timed: Timed) -> None:
    ana, ben = await playing(timed.base)
    await roll(ana)
    start, deadline = events(ana, "opened")[0]["at"], ana.turn["deadline"]
    await timed.pass_to(start + 15_000)
    timed.clock.set(start + 25_500)
    await timed.pass_ms(1_000)
    await ben.until(lambda view: view["n"] == 4)
    given = events(ben, "clock")[0]
    assert (given["seat"], given["turn"], given["reason"]) == (ana.seat, 1, "outage")
    assert given["deadline"] == ben.turn["deadline"] == deadline + given["to"] - given["from"]
    assert 10_000 <= given["to"] - given["from"] <= 12_500
    assert (await fresh(ben))["table"]["turn"]["dice"] == ana.turn["dice"]
    await timed.pass_to(given["deadline"])
    await write_best(ana)
    await play([ana, ben])
    await check_export(ben)


async def test_a_clock_of_the_operators_is_offered_and_others_are_not(timing: Opens) -> None:
    timed = await timing(clocks="2,7")
    ana, ben = await playing(timed.base, clock=7)
    assert ana.turn["deadline"] == timed.now + 7_000
    assert settled(ana.view) == settled(ben.view)


async def test_two_servers_worth_of_commands_in_one_turn_of_the_loop_are_decided_in_order(timed: Timed) -> None:
    ana, ben, carla = by_turn(await playing(timed.base, 3))
    commands: list[Any] = [
        {"type": "roll", "held": [], "expect": 2},
        {"type": "leave"},
        {"type": "roll", "held": [], "expect": 2},
    ]
    answers = await asyncio.gather(*(each.ask(command) for each, command in zip((ana, carla, ben), commands, strict=True)))
    assert answers[0]["event"]["type"] == "rolled"
    assert answers[1]["event"]["type"] == "left"
    assert answers[2]["code"] in ("not_your_turn", "stale")
    await up_to_date([ana, ben, carla])
    assert settled(ana.view) == settled(ben.view) == settled(carla.view)
