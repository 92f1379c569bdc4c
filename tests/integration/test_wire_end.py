"""The end of a match over the wire: what is shown, what can be fetched and when, and the rematch."""

import asyncio
import json

import pytest

from tests.integration.served import Served, Timed
from tests.integration.wire_kit import (
    events,
    finished,
    fresh,
    get,
    join,
    play_turns,
    playing,
    roll,
    up_to_date,
    waiting,
    write_best,
)
from tests.outside.dice import chain
from tests.outside.player import Player
from tests.outside.scripts import check_export, first_roll, play, start
from tests.outside.verifier import verify
from tests.outside.view import occupied, settled

DAY_MS = 24 * 3_600_000


async def moved_to(player: Player) -> str:
    """Where this player is sent."""
    code = (await player.hear("moved"))["code"]
    assert isinstance(code, str)
    return code


async def test_a_match_can_be_read_from_the_moment_its_end_is_shown_and_not_before(served: Served) -> None:
    ana, ben = await playing(served.base)
    match = ana.view["table"]["match"]
    for path in (f"/api/matches/{match}", f"/api/matches/{match}/transcript"):
        answer = await get(served.base, path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_finished")
        assert "root" not in answer.text
        assert (await get(served.base, path.replace(match, "0" * 32))).status_code == 404
    await ben.do({"type": "leave"})
    end = await ana.hear(lambda message: message.get("event", {}).get("type") == "finished")
    record = (await get(served.base, f"/api/matches/{match}")).json()
    assert (record["match"], record["reason"], record["totals"]) == (match, "resigned", end["event"]["totals"])
    assert (record["places"], record["ended_at"]) == (end["event"]["places"], end["event"]["at"])
    assert record["places"] == {str(ana.seat): 1, str(ben.seat): 2}
    assert ana.witness.head
    assert record["head"] == ana.witness.head.hex()
    assert [seat["name"] for seat in record["seats"]] == ["Guest 1", "Guest 2"]
    await check_export(ana)


async def test_the_end_is_in_the_view_of_everybody_and_of_newcomers(served: Served) -> None:
    ana, ben = await finished(served.base)
    end = events(ana, "finished")[0]
    assert sorted(end) == ["at", "places", "reason", "root", "totals", "type"]
    table = ana.view["table"]
    assert (table["phase"], table["totals"], table["places"]) == ("finished", end["totals"], end["places"])
    await up_to_date([ana, ben])
    assert settled(await fresh(ana)) == settled(ana.view) == settled(ben.view)
    for command in ({"type": "roll", "held": [], "expect": ana.view["n"]}, {"type": "sit"}, {"type": "start"}):
        assert await ana.refused(command) in ("wrong_phase", "not_creator")


async def test_an_export_that_is_changed_in_one_place_is_found_at_that_event(served: Served) -> None:
    ana, _ = await finished(served.base)
    export = json.loads((await get(served.base, f"/api/matches/{ana.view['table']['match']}/transcript")).content)
    rolled, scored = 3, 4
    for place, field, value in ((scored, "key", "0" * 64), (rolled, "dice", [0] * 5), (rolled, "held", [0]), (scored, "at", 1)):
        spoilt = json.loads(json.dumps(export))
        spoilt["events"][place][field] = value
        assert verify(json.dumps(spoilt).encode())[0].event == place
    assert verify(json.dumps(export).encode()) == []


async def test_both_ask_for_a_rematch_at_once_and_everybody_is_moved_to_a_table_like_the_old_one(served: Served) -> None:
    ana, ben = await finished(served.base, options={"doble": "off"}, clock=15)
    watcher = await join(ana)
    assert await watcher.refused({"type": "rematch"}) == "not_seated"
    await asyncio.gather(ana.do({"type": "rematch"}), ben.do({"type": "rematch"}))
    codes = {await moved_to(player) for player in (ana, ben, watcher)}
    assert len(codes) == 1
    code = codes.pop()
    assert code != ana.code
    again = [await Player(served.base, code, player.guest).connect() for player in (ana, ben)]
    assert [player.seat for player in again] == [ana.seat, ben.seat]
    for name in ("sheet", "options", "clock", "preset", "visibility", "creator"):
        assert again[0].view["table"][name] == ana.view["table"][name]
    creator = next(player for player in again if player.guest and player.guest.id == player.view["table"]["creator"])
    await start([creator, *(player for player in again if player is not creator)])
    await play(again, first_roll)
    await check_export(again[0])


async def test_a_rematch_waits_for_those_who_stayed_and_for_nobody_else(served: Served) -> None:
    ana, ben, carla, dani = await playing(served.base, 4)
    await play_turns([ana, ben, carla, dani], 43)
    await dani.do({"type": "leave"})
    await ana.until(lambda view: view["table"]["phase"] == "finished")
    await ana.do({"type": "rematch"})
    await ana.do({"type": "rematch"})
    await carla.do({"type": "leave"})
    await up_to_date([ana, ben, carla, dani])
    assert ana.view["table"]["rematch"] == [ana.seat]
    assert settled(await fresh(ben)) == settled(ben.view)
    assert not any(message["type"] == "moved" for message in ana.received)
    await ben.do({"type": "rematch"})
    code = await moved_to(ana)
    assert {await moved_to(player) for player in (ben, carla, dani)} == {code}
    async with Player(served.base, code, dani.guest) as late:
        assert occupied(late.view) == sorted([ana.seat or 0, ben.seat or 0])


async def test_three_of_four_leave_and_the_last_one_gets_a_table_of_their_own(served: Served) -> None:
    players = await finished(served.base, 4)
    for player in players[1:]:
        await player.do({"type": "leave"})
    await players[0].do({"type": "rematch"})
    codes = {await moved_to(player) for player in players}
    assert len(codes) == 1
    async with Player(served.base, codes.pop(), players[0].guest) as alone:
        assert occupied(alone.view) == [players[0].seat]
        assert alone.view["table"]["creator"] == players[0].guest.id  # type: ignore[union-attr]


async def test_bots_come_along_to_a_rematch(served: Served) -> None:
    (ana,) = await finished(served.base, 1, bots=["medium"])
    await ana.do({"type": "rematch"})
    async with Player(served.base, await moved_to(ana), ana.guest) as again:
        assert [seat["kind"] for seat in again.view["table"]["seats"]] == ["human", "bot"]


async def test_a_rematch_is_for_after_the_end(served: Served) -> None:
    ana, ben = await waiting(served.base)
    assert await ben.refused({"type": "rematch"}) == "wrong_phase"
    await start([ana, ben])
    assert await ben.refused({"type": "rematch"}) == "wrong_phase"


async def test_of_several_who_resign_the_later_is_placed_ahead_and_one_left_ends_it(served: Served) -> None:
    ana, ben, carla = await playing(served.base, 3)
    await roll(ana)
    await write_best(ana)
    await carla.do({"type": "leave"})
    last = await ana.do({"type": "leave"})
    await up_to_date([ana, ben, carla])
    end = events(ben, "finished")[0]
    assert last["event"]["type"] == "left"
    assert (end["reason"], end["places"]) == ("resigned", {str(ben.seat): 1, str(ana.seat): 2, str(carla.seat): 3})
    await check_export(ben)


async def test_two_people_who_both_resign_at_once_leave_one_winner(served: Served) -> None:
    ana, ben = await playing(served.base)
    answers = await asyncio.gather(ana.ask({"type": "leave"}), ben.ask({"type": "leave"}))
    assert sorted(answer["type"] for answer in answers) == ["event", "lobby"]  # the second one leaves a finished table
    await up_to_date([ana, ben])
    assert [event["reason"] for event in events(ben, "finished")] == ["resigned"]
    assert sorted(events(ben, "finished")[0]["places"].values()) == [1, 2]


async def test_a_finished_table_can_be_read_for_a_day_at_its_code_and_for_good_as_a_match(timed: Timed) -> None:
    ana, ben = await playing(timed.base)
    await ben.do({"type": "leave"})
    await ana.until(lambda view: view["table"]["phase"] == "finished")
    await ana.drop()
    await ben.drop()
    path, ended_at = f"/api/tables/{ana.code}", timed.now
    timed.clock.set(ended_at + DAY_MS - 2_000)
    await timed.pass_ms(1_000)
    assert (await get(timed.base, path)).json()["table"]["phase"] == "finished"
    await timed.pass_ms(2_000)
    assert (await get(timed.base, path)).status_code == 404
    await check_export(ana)


@pytest.mark.parametrize("turn", [1, 3, 22])
async def test_a_key_that_the_log_has_not_reached_voids_the_match(timed: Timed, turn: int) -> None:
    """A client that knows such a key has seen more than a store restored from an older state; here the test steals one."""
    ana, ben = await playing(timed.base)
    secrets = timed.disk.tables[ana.code].secrets.values()  # type: ignore[index]
    root = next(iter(secrets))
    keys = chain_of(ana, root)
    assert await ben.refused({"type": "seen", "turn": turn, "key": "00" * 32}) == "bad_reveal"
    assert await ben.refused({"type": "seen", "turn": turn, "key": keys[turn - 1].hex()}) == "bad_reveal"
    await ben.do({"type": "seen", "turn": turn, "key": keys[turn].hex()})
    end = events(ben, "finished")[0]
    assert (end["reason"], end["root"]) == ("void", root.hex())
    await check_export(ben)


def chain_of(player: Player, root: bytes) -> list[bytes]:
    return chain(bytes.fromhex(player.view["table"]["match"]), root, 22)
