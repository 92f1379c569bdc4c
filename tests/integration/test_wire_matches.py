"""Whole matches over the wire, by people who check everything while they play; an outside verifier has the last word."""

from typing import Any

import pytest

from tests.integration.served import Served
from tests.integration.wire_kit import events, finished, playing, up_to_date
from tests.outside.player import Player
from tests.outside.scripts import by_chance, check_export, first_roll, most_frequent, whole_match

GENERALA: dict[str, dict[str, Any]] = {
    "the default rules": {},
    "ten boxes": {"options": {"doble": "off"}},
    "rio": {"preset": "rio"},
    "served sixty and a third straight": {"options": {"served_generala": "points60", "ace_high_straight": True}},
    "other points": {
        "options": {"points": {"served_escalera": 30, "poker": 44}, "doble_needs_generala": False, "served_generala": "plus5"}
    },
    "a roll-off": {"options": {"tie": "roll_off"}},
    "a medium bot": {"bots": ["medium"]},
}
YAHTZEE: dict[str, dict[str, Any]] = {
    "the forced joker": {},
    "kniffel": {"preset": "kniffel"},
    "europe": {"preset": "europe"},
    "a free joker and a bot": {"options": {"joker": "free"}, "bots": ["medium"]},
}


async def check(players: list[Player]) -> None:
    """Everybody saw the whole match, of which an outsider finds no fault, and was shown every price before it was paid."""
    await up_to_date(players)
    for player in players:
        assert player.witness.turns_checked == len(events(player, "scored"))
        check_prices(player)
        check_totals(player)
    assert len({player.witness.head for player in players}) == 1
    await check_export(players[0])


def check_prices(player: Player) -> None:
    """Every box was written for what ``boxes`` said it would pay."""
    boxes: dict[str, int] = {}
    for message in player.received:
        if message["type"] == "event" and message["event"]["type"] == "scored":
            assert message["event"]["points"] == boxes[message["event"]["box"]]
        boxes = (message.get("turn") or {}).get("boxes", boxes)


def check_totals(player: Player) -> None:
    """The end, the last view and the sum of all that was written are the same totals."""
    end = events(player, "finished")[0]
    sums = dict.fromkeys(end["totals"], 0)
    for event in events(player, "scored"):
        if event["box"] != "roll_off":
            sums[str(event["seat"])] += event["points"] + event["bonus"]
    assert sums == end["totals"] == player.view["table"]["totals"]
    if end["reason"] == "full" and player.view["table"]["options"]["tie"] == "share":
        assert end["places"] == {seat: 1 + sum(other > own for other in sums.values()) for seat, own in sums.items()}


@pytest.mark.parametrize("rules", GENERALA)
async def test_two_people_play_generala_to_its_end(served: Served, rules: str) -> None:
    await check(await whole_match(served.base, 2, by_chance(3), **GENERALA[rules]))


@pytest.mark.parametrize("rules", YAHTZEE)
async def test_two_people_play_yahtzee_to_its_end(served: Served, rules: str) -> None:
    await check(await whole_match(served.base, 2, most_frequent, sheet="yahtzee", **YAHTZEE[rules]))


@pytest.mark.parametrize("sheet", ["generala", "yahtzee"])
async def test_six_people_play_to_the_end(served: Served, sheet: str) -> None:
    players = await whole_match(served.base, 6, first_roll, sheet=sheet)
    assert len(events(players[5], "scored")) == 6 * (11 if sheet == "generala" else 13)
    await check(players)


async def test_five_people_and_a_bot_play_to_the_end(served: Served) -> None:
    players = await whole_match(served.base, 5, first_roll, bots=["medium"])
    bot = next(seat["seat"] for seat in players[0].view["table"]["seats"] if seat["kind"] == "bot")
    assert [event["auto"] for event in events(players[0], "scored") if event["seat"] == bot] == [False] * 11
    await check(players)


async def test_one_person_plays_a_bot_and_the_person_may_choose_the_order_but_not_the_dice(served: Served) -> None:
    players = await whole_match(served.base, 1, most_frequent, bots=["medium"])
    assert len(events(players[0], "opened")[0]["contributions"]) == 1
    await check(players)


async def test_a_match_is_rated_between_people_under_a_named_preset_alone(served: Served) -> None:
    for settings, rated in (({}, True), ({"options": {"doble": "off"}}, False), ({"rated": False}, False)):
        players = await playing(served.base, 2, **settings)
        assert events(players[0], "sealed")[0]["rated"] is rated


async def test_the_keys_of_the_turns_are_shown_one_by_one_and_the_root_last(served: Served) -> None:
    ana, ben = await finished(served.base)
    keys = [event["key"] for event in events(ana, "scored")]
    assert len(set(keys)) == 22
    assert events(ana, "finished")[0]["root"] == keys[-1]
    assert ana.witness.head == ben.witness.head
