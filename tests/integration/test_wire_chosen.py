"""Matches whose first roll a test has chosen: a root that gives it is known, for a known match id and known contributions."""

from typing import Any
from unittest.mock import patch

import pytest

from server.stores.entropy import SystemEntropy
from tests.integration.served import Timed
from tests.integration.wire_kit import by_turn, events, kinds, roll, up_to_date
from tests.outside.player import Guest, Player, create_table
from tests.outside.scripts import check_export, play, start
from tests.outside.sealing import Place, Secrets

MATCH = bytes(range(16))
ROOTS = {"2-2-5-5-6": 158, "2-2-2-5-5": 359, "3-3-3-3-3": 47_220, "4-4-4-4-4": 4_893}
"""The first numbers that, as roots, give these first rolls; the last one at Yahtzee, which has more turns."""
RUNS_OUT_MS = 45_200


class Fixed(Secrets):
    """Each seat draws the same byte 32 times over."""

    def contribution(self, place: Place) -> bytes:
        return of_seat(place[2])


def of_seat(seat: int) -> bytes:
    return bytes([seat + 1]) * 32


async def with_first_roll(timed: Timed, dice: str, **settings: Any) -> list[Player]:
    """Two people whose match has begun; the first roll of the first of them will show ``dice``, in some order."""
    guests = [await Guest.arrive(timed.base) for _ in range(2)]
    code = await create_table(guests[0], **settings)
    people = []
    for guest in guests:
        guest.secrets = Fixed()
        people.append(await Player(timed.base, code, guest).connect())
        await people[-1].do({"type": "sit"})
    root = ROOTS[dice].to_bytes(32)
    with (
        patch.object(SystemEntropy, "match_id", lambda _: MATCH.hex()),
        patch.object(SystemEntropy, "root", lambda _: root),
    ):
        await start(people)
    return by_turn(people)


async def test_a_first_turn_that_runs_out_takes_the_best_of_the_servers_roll(timed: Timed) -> None:
    ana, ben = await with_first_roll(timed, "2-2-5-5-6")
    await timed.pass_ms(RUNS_OUT_MS)
    await up_to_date([ana, ben])
    written = events(ben, "scored")[0]
    assert (written["box"], written["points"], written["auto"]) == ("fives", 10, True)
    await play([ana, ben])
    await check_export(ben)


async def test_a_served_full_is_written_as_served_when_time_runs_out_after_an_own_first_roll(timed: Timed) -> None:
    ana, ben = await with_first_roll(timed, "2-2-2-5-5")
    assert (await roll(ana))["turn"]["boxes"]["full"] == 35
    await timed.pass_ms(RUNS_OUT_MS)
    await up_to_date([ana, ben])
    written = events(ben, "scored")[0]
    assert (written["box"], written["points"], written["auto"], events(ben, "rolled")[0]["auto"]) == ("full", 35, True, False)


@pytest.mark.parametrize("is_by_hand", [True, False])
async def test_five_alike_on_the_first_roll_end_the_match_where_the_house_plays_so(timed: Timed, *, is_by_hand: bool) -> None:
    ana, ben = await with_first_roll(timed, "3-3-3-3-3", preset="rio")
    if is_by_hand:
        await roll(ana)
    await timed.pass_ms(RUNS_OUT_MS)
    await up_to_date([ana, ben])
    assert kinds(ben)[3:] == ["rolled", "finished"]
    assert events(ben, "rolled")[0]["auto"] is not is_by_hand
    end = events(ben, "finished")[0]
    assert (end["reason"], end["places"]) == ("served_generala", {str(ana.seat): 1, str(ben.seat): 2})
    assert end["totals"] == {"0": 0, "1": 0}
    await check_export(ben)


async def test_five_alike_on_the_first_roll_are_only_points_elsewhere(timed: Timed) -> None:
    ana, ben = await with_first_roll(timed, "3-3-3-3-3", options={"served_generala": "points60"})
    boxes = (await roll(ana))["turn"]["boxes"]
    assert {name: boxes[name] for name in ("generala", "doble", "poker", "full", "threes")} == {
        "generala": 60,
        "doble": 0,
        "poker": 45,
        "full": 0,
        "threes": 15,
    }
    answer = await ana.do({"type": "score", "box": "generala", "expect": ana.view["n"]})
    assert answer["totals"] == {str(ana.seat): 60, str(ben.seat): 0}


async def test_five_alike_may_be_written_low_while_yahtzee_is_open(timed: Timed) -> None:
    ana, _ = await with_first_roll(timed, "4-4-4-4-4", sheet="yahtzee")
    boxes = (await roll(ana))["turn"]["boxes"]
    assert (boxes["yahtzee"], boxes["fours"], boxes["full_house"]) == (50, 20, 0)
    answer = await ana.do({"type": "score", "box": "fours", "expect": ana.view["n"]})
    assert (answer["event"]["points"], answer["event"]["bonus"]) == (20, 0)
