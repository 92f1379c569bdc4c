"""The seal over the wire: what is shown when, every way to get it wrong, and what becomes of a seal that fails."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.integration.served import Served, Timed
from tests.integration.wire_kit import RawSocket, events, fresh, get, join, kinds, up_to_date
from tests.outside.dice import chain, commitment, order
from tests.outside.player import Guest, Message, Player, create_table
from tests.outside.scripts import play, start
from tests.outside.view import occupied

SEAL_MS = 10_000
BARRED_MS = 60_000
Mine = tuple[str, str]
"""What a seat commits and what it reveals, in hex."""


async def unsealed(base: str, count: int = 2, **settings: Any) -> list[Player]:
    """People who sit and leave the seal to the test; the first is the creator."""
    guests = [await Guest.arrive(base) for _ in range(count)]
    code = await create_table(guests[0], **{"seats": max(2, count), **settings})
    players = [await Player(base, code, guest, seals=False).connect() for guest in guests]
    for player in players:
        await player.do({"type": "sit"})
    await up_to_date(players)
    return players


async def sealed(base: str, count: int = 2, **settings: Any) -> list[Player]:
    """People at a table whose seal has begun; nobody has committed yet."""
    players = await unsealed(base, count, **settings)
    await players[0].do({"type": "start"})
    for player in players:
        await player.until(lambda view: view["table"]["phase"] == "sealing")
    return players


def match_of(player: Player) -> bytes:
    return bytes.fromhex(player.view["table"]["match"])


def mine(player: Player) -> Mine:
    """This player's contribution, and its commitment."""
    assert player.sealing.place
    assert player.seat is not None
    drawn = player.sealing.secrets.contribution(player.sealing.place)
    return commitment(match_of(player), player.seat, drawn).hex(), drawn.hex()


def another(player: Player) -> Mine:
    """What this player's seat could have contributed as well."""
    assert player.seat is not None
    return commitment(match_of(player), player.seat, b"\7" * 32).hex(), "07" * 32


async def commit(player: Player, own: Mine | None = None) -> Message:
    return await player.ask({"type": "commit", "commitment": (own or mine(player))[0]})


async def reveal(player: Player, own: Mine | None = None) -> Message:
    return await player.ask({"type": "reveal", "entropy": (own or mine(player))[1]})


async def all_commit(players: Sequence[Player]) -> None:
    for player in players:
        assert (await commit(player))["type"] != "error"
    await up_to_date(players)


def is_aborted(players: Sequence[Player], missing: Sequence[int], anchor: str) -> bool:
    """Everybody was told which seats failed, and the root, which leads to the anchor that was shown."""
    for player in players:
        aborted = player.view["aborted"]
        assert sorted(aborted) == ["match", "root", "seats"]
        assert aborted["seats"] == list(missing)
        assert chain(bytes.fromhex(aborted["match"]), bytes.fromhex(aborted["root"]), 22)[0].hex() == anchor
        assert (player.view["table"]["phase"], player.view["n"]) == ("waiting", None)
    return True


async def test_first_the_anchor_then_all_commitments_then_all_contributions(served: Served) -> None:
    players = await sealed(served.base, 4)
    watcher = await Player(served.base, players[0].code).connect()
    everybody = [*players, watcher]
    drawn = {player.seat: mine(player) for player in players}
    for player in players[:3]:
        assert (await commit(player, drawn[player.seat]))["type"] == "ok"
    await up_to_date(everybody)
    shown = json.dumps([player.received for player in everybody]) + (await get(served.base, f"/api/tables/{watcher.code}")).text
    assert not [value for value, _ in drawn.values() if value in shown]
    answer = await commit(players[3], drawn[3])
    assert answer["event"]["commitments"] == {str(seat): own[0] for seat, own in drawn.items()}
    for player in players[:3]:
        assert (await reveal(player, drawn[player.seat]))["type"] == "ok"
    await up_to_date(everybody)
    shown = json.dumps([player.received for player in everybody]) + (await get(served.base, f"/api/tables/{watcher.code}")).text
    assert not [value for _, value in drawn.values() if value in shown]
    opened = (await reveal(players[3], drawn[3]))["event"]
    assert opened["contributions"] == {str(seat): own[1] for seat, own in drawn.items()}
    assert opened["order"] == order(match_of(watcher), bytes.fromhex(opened["entropy"]), range(4))
    await up_to_date(everybody)
    assert [kinds(player) for player in players] == [["sealed", "committed", "opened"]] * 4
    assert events(players[0], "sealed")[0]["anchor"] == watcher.view["table"]["anchor"]


async def test_a_seat_commits_once_and_the_same_again_is_answered_again(served: Served) -> None:
    ana, ben = await sealed(served.base)
    assert (await commit(ben))["type"] == "ok"
    assert (await commit(ben))["type"] == "ok"
    assert (await commit(ben, another(ben)))["code"] == "bad_commitment"
    await commit(ana)
    assert (await commit(ben))["type"] == "ok"
    assert (await commit(ben, another(ben)))["code"] == "bad_commitment"


NO_TEXT: tuple[object, ...] = (None, 7, ["a"], {})
NOT_HEX_32 = ("", "aa" * 31, "aa" * 33, "AA" * 32, "gg" * 32, "0x" + "aa" * 31, "é" * 64)


async def test_what_is_no_64_lower_case_hex_digits_is_no_commitment_and_no_contribution(served: Served) -> None:
    ana, ben = await sealed(served.base)
    for value in NOT_HEX_32:
        assert await ben.refused({"type": "commit", "commitment": value}) == "bad_commitment"
    await all_commit([ana, ben])
    for value in NOT_HEX_32:
        assert await ben.refused({"type": "reveal", "entropy": value}) == "bad_reveal"
    for wrong in NO_TEXT:
        assert await ben.refused({"type": "commit", "commitment": wrong}) == "bad_message"
        assert await ben.refused({"type": "reveal", "entropy": wrong}) == "bad_message"


async def test_a_copied_commitment_is_taken_and_cannot_be_revealed(timed: Timed) -> None:
    ana, ben = await sealed(timed.base)
    anchor = ana.view["table"]["anchor"]
    honest, ben.sealing.place = mine(ben), None  # Ben does not check what he committed
    await commit(ana)
    await commit(ben, mine(ana))
    await reveal(ana)
    await up_to_date([ana, ben])
    assert (await reveal(ben, mine(ana)))["code"] == "bad_reveal"
    assert (await reveal(ben, honest))["code"] == "bad_reveal"
    await timed.pass_ms(SEAL_MS + 200)
    await up_to_date([ana, ben])
    assert is_aborted([ana, ben], [1], anchor)


async def test_a_value_that_was_not_committed_is_refused_and_the_right_one_still_counts(served: Served) -> None:
    ana, ben = await sealed(served.base)
    assert (await reveal(ben))["code"] == "wrong_phase"
    await commit(ben)
    assert (await reveal(ben))["code"] == "wrong_phase"
    await commit(ana)
    assert (await reveal(ben, another(ben)))["code"] == "bad_reveal"
    assert (await reveal(ben))["type"] == "ok"
    assert (await reveal(ben))["type"] == "ok"
    assert (await reveal(ana))["event"]["type"] == "opened"


async def test_an_all_zero_value_is_a_value_like_any_other(served: Served) -> None:
    ana, ben = await sealed(served.base)
    for player in (ana, ben):
        assert player.sealing.place
        player.sealing.secrets.drawn[player.sealing.place] = bytes(32)
        await commit(player)
    await up_to_date([ana, ben])
    for player in (ana, ben):
        await reveal(player)
    await ana.until(lambda view: view["table"]["phase"] == "playing")
    assert events(ana, "opened")[0]["contributions"] == {"0": "00" * 32, "1": "00" * 32}


async def test_only_the_seated_seal_and_only_in_the_seal(served: Served) -> None:
    ana, ben = await unsealed(served.base, seats=3)
    watcher = await join(ana, seals=False)
    own = {"type": "commit", "commitment": "aa" * 32}
    assert await ben.refused(own) == "wrong_phase"
    assert await watcher.refused(own) == "not_seated"
    await ana.do({"type": "start"})
    await watcher.until(lambda view: view["table"]["phase"] == "sealing")
    assert await watcher.refused(own) == "not_seated"
    assert await watcher.refused({"type": "reveal", "entropy": "aa" * 32}) == "not_seated"
    for command in (
        {"type": "sit"},
        {"type": "add_bot", "level": "medium"},
        {"type": "settings", "clock": 15},
        {"type": "close"},
    ):
        assert await ana.refused(command) == "wrong_phase"
    assert await ana.refused({"type": "roll", "held": [], "expect": 0}) == "wrong_phase"
    await all_commit([ana, ben])
    for player in (ana, ben):
        await reveal(player)
    assert await ben.refused(own) == "wrong_phase"


@pytest.mark.parametrize("who_commits", [0, 1, 2])
async def test_who_is_silent_for_ten_seconds_is_unseated_and_the_table_waits_again(timed: Timed, who_commits: int) -> None:
    players = await sealed(timed.base)
    anchor, match = players[0].view["table"]["anchor"], match_of(players[0])
    await timed.pass_ms(3_000)
    for player in players[:who_commits]:
        await commit(player)
    if who_commits == 2:
        await up_to_date(players)
        await reveal(players[0])
    missing = {0: [0, 1], 1: [1], 2: [1]}[who_commits]
    left_ms = SEAL_MS - (0 if who_commits == 2 else 3_000)
    await timed.pass_ms(left_ms)
    assert players[0].view["table"]["phase"] == "sealing"
    await timed.pass_ms(200)
    await up_to_date(players)
    assert is_aborted(players, missing, anchor)
    assert occupied(players[0].view) == sorted({0, 1} - set(missing))
    assert not (await get(timed.base, f"/api/matches/{match.hex()}")).is_success


async def test_after_a_seal_that_failed_the_seat_is_barred_for_a_minute_and_the_next_seal_is_new(timed: Timed) -> None:
    ana, ben = await sealed(timed.base)
    first = ana.view["table"]["match"], ana.view["table"]["anchor"]
    await commit(ana)
    await timed.pass_ms(SEAL_MS + 200)
    await up_to_date([ana, ben])
    aborted_at = timed.now
    assert await ben.refused({"type": "sit"}) == "too_fast"
    await timed.pass_to(aborted_at + BARRED_MS - 1)
    assert await ben.refused({"type": "sit"}) == "too_fast"
    await timed.pass_ms(1)
    await ben.do({"type": "sit"})
    ana.seals = ben.seals = True
    await start([ana, ben])
    sealed_events = events(ben, "sealed")
    assert [event["attempt"] for event in sealed_events] == [1, 2]
    assert (ana.view["table"]["match"] != first[0], ana.view["table"]["anchor"] != first[1]) == (True, True)
    assert [message["n"] for message in ben.received if message["type"] == "event"] == [0, 0, 1, 2]
    await play([ana, ben])


@pytest.mark.parametrize(("after_ms", "counts"), [(SEAL_MS, True), (SEAL_MS + 1, False)])
async def test_a_commitment_counts_if_it_arrives_within_the_ten_seconds(timed: Timed, *, after_ms: int, counts: bool) -> None:
    ana, _ = await sealed(timed.base)
    await timed.pass_ms(after_ms)
    answer = await commit(ana)
    assert (answer["type"], answer.get("code")) == (("ok", None) if counts else ("error", "not_seated"))


@pytest.mark.parametrize("command", ["stand", "leave"])
async def test_a_seat_that_stands_or_leaves_in_the_seal_aborts_it(served: Served, command: str) -> None:
    ana, ben = await sealed(served.base)
    anchor = ana.view["table"]["anchor"]
    await all_commit([ana, ben])
    answer = await ben.do({"type": command})
    assert (answer["type"], answer["aborted"]["seats"]) == ("lobby", [1])
    await up_to_date([ana, ben])
    assert is_aborted([ana, ben], [1], anchor)
    assert await ben.refused({"type": "sit"}) == "too_fast"


async def test_a_reload_in_the_middle_of_the_seal_goes_on_where_it_was(served: Served) -> None:
    ana, ben = await sealed(served.base)
    ben.seals = True
    await ben.drop()
    await ben.connect()
    await commit(ana)
    await ana.until(lambda view: view["table"].get("commitments"))
    await ben.cut()
    await reveal(ana)
    await ben.connect()
    await ben.until(lambda view: view["table"]["phase"] == "playing")
    assert (await fresh(ana))["table"]["entropy"] == ben.view["table"]["entropy"]


async def test_a_step_of_the_seal_that_is_sent_again_with_its_id_is_answered_again(served: Served) -> None:
    ana, ben = await sealed(served.base)
    await commit(ana)
    async with await RawSocket.open(ben) as socket:
        last = {"type": "commit", "commitment": mine(ben)[0], "id": "mine"}
        first = await socket.ask(last)
        assert first["event"]["type"] == "committed"
        assert await socket.ask(last) == first
        assert await socket.ask({**last, "commitment": "ff" * 32}) == first
    await up_to_date([ana, ben])
    assert kinds(ana) == kinds(ben) == ["sealed", "committed"]


async def test_one_person_among_bots_seals_alone(served: Served) -> None:
    (ana,) = await sealed(served.base, 1, bots=["medium"])
    assert (await commit(ana))["event"]["type"] == "committed"
    opened = (await reveal(ana))["event"]
    assert list(opened["contributions"]) == ["0"]
