"""A table before the seal, over the wire: seats, bots, settings, start, close, the lists, and who may do what."""

from typing import Any

import pytest

from tests.integration.served import Served, Timed
from tests.integration.wire_kit import fresh, get, join, new_table, newcomer, playing, up_to_date, waiting
from tests.outside.player import Guest, Player, accepted, create_table
from tests.outside.scripts import start
from tests.outside.view import occupied, settled

Card = dict[str, Any]


async def card_of(player: Player) -> Card | None:
    """The table's line in the list of public tables."""
    cards: list[Card] = (await get(player.base, "/api/tables")).json()["tables"]
    return next((card for card in cards if card["code"] == player.code), None)


async def must_be_told(players: list[Player], what: Any) -> None:
    """Everybody was told of something by ``lobby``, and sees what a newcomer sees."""
    await up_to_date(players)
    newest = await fresh(players[0])
    for player in players:
        assert what(player.view["table"])
        assert settled(player.view) == settled(newest)


async def test_a_new_table_has_a_code_a_link_and_what_its_creator_chose(served: Served) -> None:
    ana = await Guest.arrive(served.base)
    wishes = {"sheet": "yahtzee", "preset": "kniffel", "clock": 15, "seats": 4, "bots": ["medium"], "visibility": "private"}
    body = accepted(await ana.call("POST", "/api/tables", wishes), 201)
    assert body["url"] == f"{served.base}/t/{body['code']}"
    async with Player(served.base, body["code"], ana) as player:
        table = player.view["table"]
    assert {name: table[name] for name in ("sheet", "preset", "clock", "visibility", "creator", "phase", "rated")} == {
        "sheet": "yahtzee",
        "preset": "kniffel",
        "clock": 15,
        "visibility": "private",
        "creator": ana.id,
        "phase": "waiting",
        "rated": False,
    }
    assert table["options"] == {"extra_yahtzee": 100, "joker": "forced", "tie": "share"}
    assert [seat["kind"] for seat in table["seats"]] == ["free", "free", "free", "bot"]
    assert (player.view["n"], player.view["h"]) == (None, None)


async def test_a_wish_that_cannot_be_makes_no_table_and_names_the_field(served: Served) -> None:
    ana = await Guest.arrive(served.base)
    for wish, field in (({"clock": 46}, "clock"), ({"seats": 7}, "seats"), ({"options": {"dobel": "on"}}, "options.dobel")):
        answer = await ana.call("POST", "/api/tables", {"sheet": "generala", **wish})
        assert (answer.status_code, answer.json()["error"]["field"]) == (422, field)


async def test_the_public_list_shows_a_table_while_it_waits_and_plays_and_waiting_ones_first(served: Served) -> None:
    ana, ben = await playing(served.base, visibility="public", options={"doble": "off"}, clock=45)
    carla = await new_table(served.base, visibility="public", seats=3, rated=False)
    playing_card, waiting_card = await card_of(ana), await card_of(carla)
    assert playing_card
    assert waiting_card
    assert (playing_card["phase"], playing_card["free"], playing_card["options"]["doble"]) == ("playing", 0, "off")
    assert (waiting_card["phase"], waiting_card["free"], waiting_card["seats"], waiting_card["rated"]) == (
        "waiting",
        3,
        3,
        False,
    )
    codes = [card["code"] for card in (await get(served.base, "/api/tables")).json()["tables"]]
    assert codes.index(carla.code) < codes.index(ana.code)
    await ana.do({"type": "leave"})
    await ben.until(lambda view: view["table"]["phase"] == "finished")
    assert await card_of(ana) is None
    await carla.do({"type": "settings", "visibility": "private"})
    assert await card_of(carla) is None


async def test_people_sit_move_and_stand_and_everybody_is_told(served: Served) -> None:
    ana = await new_table(served.base, seats=3)
    ben, watcher = await join(ana), await Player(served.base, ana.code).connect()
    everybody = [ana, ben, watcher]
    answer = await ana.do({"type": "sit"})
    assert (answer["type"], list(answer)[-1], ana.seat) == ("lobby", "ref", 0)
    await ben.do({"type": "sit", "seat": 2})
    await must_be_told(everybody, lambda table: occupied({"table": table}) == [0, 2])
    assert await ben.refused({"type": "sit", "seat": 0}) == "seat_taken"
    assert await ben.refused({"type": "sit", "seat": 3}) == "bad_message"
    await ben.do({"type": "sit", "seat": 1})
    await must_be_told(everybody, lambda table: occupied({"table": table}) == [0, 1])
    await ben.do({"type": "stand"})
    await must_be_told(everybody, lambda table: occupied({"table": table}) == [0])
    assert await ben.refused({"type": "stand"}) == "not_seated"
    assert await watcher.refused({"type": "sit"}) == "not_seated"


async def test_a_full_table_has_no_seat_left(served: Served) -> None:
    ana, ben = await waiting(served.base)
    carla = await join(ana)
    assert await carla.refused({"type": "sit"}) == "seat_taken"
    await ben.do({"type": "leave"})
    await carla.do({"type": "sit"})
    assert carla.seat == 1


async def test_the_creator_adds_bots_and_clears_seats_of_bots_and_people(served: Served) -> None:
    ana, ben = await waiting(served.base, seats=4)
    await ana.do({"type": "add_bot", "level": "medium"})
    await must_be_told([ana, ben], lambda table: table["seats"][2] == {**table["seats"][2], "kind": "bot", "level": "medium"})
    assert await ana.refused({"type": "add_bot", "level": "perfect"}) == "bad_message"
    await ana.do({"type": "unseat", "seat": 2})
    await ana.do({"type": "unseat", "seat": 1})
    await must_be_told([ana, ben], lambda table: occupied({"table": table}) == [0])
    assert await ana.refused({"type": "unseat", "seat": 4}) == "bad_message"


CREATORS = (
    {"type": "add_bot", "level": "medium"},
    {"type": "unseat", "seat": 0},
    {"type": "settings", "clock": 15},
    {"type": "close"},
    {"type": "start"},
)


async def test_only_the_creator_has_the_creators_powers(served: Served) -> None:
    ana, ben = await waiting(served.base, seats=3)
    watcher = await join(ana)
    before = await fresh(ana)
    for player in (ben, watcher):
        assert [await player.refused(command) for command in CREATORS] == ["not_creator"] * len(CREATORS)
    assert settled(await fresh(ana)) == settled(before)


async def test_settings_change_what_they_name_and_bad_ones_change_nothing(served: Served) -> None:
    ana, ben = await waiting(served.base, seats=3)
    version = ana.view["table"]["version"]
    await ana.do({"type": "settings", "sheet": "yahtzee", "options": {"joker": "free"}, "clock": 15})
    await must_be_told(
        [ana, ben], lambda table: (table["sheet"], table["options"]["joker"], table["clock"]) == ("yahtzee", "free", 15)
    )
    assert ana.view["table"]["version"] > version
    before = await fresh(ana)
    for wish, field in (
        ({"clock": 3}, "clock"),
        ({"sheet": "poker"}, "sheet"),
        ({"options": {"joker": "maybe"}}, "options.joker"),
        ({"seats": 1}, "seats"),
        ({"clock": 0, "visibility": "public"}, "visibility"),
    ):
        answer = await ana.ask({"type": "settings", **wish})
        assert (answer["type"], answer["code"], answer["field"]) == ("error", "bad_message", field)
    assert settled(await fresh(ana)) == settled(before)


async def test_a_start_needs_two_seats_one_of_them_a_persons(served: Served) -> None:
    ana = await new_table(served.base, seats=3)
    assert await ana.refused({"type": "start"}) == "wrong_phase"
    await ana.do({"type": "add_bot", "level": "medium"})
    await ana.do({"type": "add_bot", "level": "medium"})
    assert await ana.refused({"type": "start"}) == "wrong_phase"
    await ana.do({"type": "unseat", "seat": 0})
    await ana.do({"type": "sit"})
    await start([ana])


async def test_a_start_at_another_version_than_the_tables_is_stale(served: Served) -> None:
    ana, ben = await waiting(served.base, seats=3)
    seen = ana.view["table"]["version"]
    carla = await newcomer(ana)
    assert await ana.refused({"type": "start", "version": seen}) == "stale"
    assert ana.view["table"]["phase"] == "waiting"
    await ana.do({"type": "start", "version": ana.view["table"]["version"]})
    for player in (ana, ben, carla):
        await player.until(lambda view: view["table"]["phase"] == "playing")


async def test_settings_that_others_sat_through_put_the_start_off_for_five_seconds(timed: Timed) -> None:
    ana, ben = await waiting(timed.base)
    await ana.do({"type": "settings", "clock": 15})
    for ms, codes in ((0, ["wrong_phase"]), (4_999, ["wrong_phase"]), (1, [])):
        await timed.pass_ms(ms)
        assert [await ana.refused({"type": "start"}) for _ in codes] == codes
    await start([ana, ben])


async def test_settings_that_nobody_else_sat_through_put_nothing_off(served: Served) -> None:
    ana = await new_table(served.base, bots=["medium"])
    await ana.do({"type": "sit"})
    await ana.do({"type": "settings", "clock": 15})
    await start([ana])


async def test_a_table_that_is_closed_sends_everybody_away_and_its_code_leads_nowhere(served: Served) -> None:
    ana, ben = await waiting(served.base, visibility="public")
    watcher = await Player(served.base, ana.code).connect()
    await ana.send({"type": "close"})
    assert [await player.wait_closed() for player in (ana, ben, watcher)] == [4004] * 3
    assert (await get(served.base, f"/api/tables/{ana.code}")).status_code == 404
    assert await card_of(ana) is None


async def test_a_creator_who_is_gone_for_a_minute_hands_over_to_who_sat_longest(timed: Timed) -> None:
    ana, ben, carla = await waiting(timed.base, 3)
    assert ben.guest
    heir = ben.guest.id
    await ana.cut()
    await ben.until(lambda view: not view["table"]["seats"][0]["connected"])
    await timed.pass_ms(59_999)
    assert await ben.refused({"type": "unseat", "seat": 0}) == "not_creator"
    await timed.pass_ms(1)
    for player in (ben, carla):
        await player.until(lambda view: view["table"]["creator"] == heir)
    await ben.do({"type": "unseat", "seat": 0})
    await ana.connect()
    assert await ana.refused({"type": "close"}) == "not_creator"


async def test_a_waiting_table_that_nobody_is_at_closes_after_ten_minutes(timed: Timed) -> None:
    ana = await new_table(timed.base)
    await timed.pass_ms(600_000)
    assert (await get(timed.base, f"/api/tables/{ana.code}")).status_code == 200
    await ana.drop()
    await timed.pass_ms(599_000)
    assert (await get(timed.base, f"/api/tables/{ana.code}")).status_code == 200
    await timed.pass_ms(1_000)
    assert (await get(timed.base, f"/api/tables/{ana.code}")).status_code == 404


async def test_me_lists_the_tables_where_i_play(served: Served) -> None:
    ana, _ = await playing(served.base)
    assert ana.guest
    assert (await get(served.base, "/api/me", ana.guest)).json()["tables"] == [ana.code]
    await ana.do({"type": "leave"})
    await ana.until(lambda view: view["table"]["phase"] == "finished")
    assert (await get(served.base, "/api/me", ana.guest)).json()["tables"] == []


async def test_the_snapshot_is_what_the_socket_shows(served: Served) -> None:
    ana, _ = await playing(served.base)
    assert ana.guest
    snapshot = (await get(served.base, f"/api/tables/{ana.code}", ana.guest)).json()
    assert snapshot["you"] == {"player": ana.guest.id, "seat": ana.seat}
    assert settled(snapshot) == settled(await fresh(ana))
    assert (await get(served.base, f"/api/tables/{ana.code}")).json()["you"] == {}


@pytest.mark.parametrize("settings", [{"clock": 0, "rated": False}, {"clock": 1}])
async def test_a_clock_of_an_operators_choice_and_none_at_all_can_be_played(served: Served, settings: dict[str, Any]) -> None:
    ana = await Guest.arrive(served.base)
    async with Player(served.base, await create_table(ana, **settings), ana) as player:
        assert player.view["table"]["clock"] == settings["clock"]
