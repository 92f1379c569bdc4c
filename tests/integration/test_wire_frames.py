"""Odd frames, large ones and too many: they cost their own connection at most, and nobody else anything."""

import json

import pytest

from tests.integration.served import Opens, Served, Timed
from tests.integration.transport_rig import BINARY, PING, PONG
from tests.integration.wire_kit import RawSocket, fresh, get, kinds, new_table, playing, roll, up_to_date, write_best
from tests.outside.player import Guest, Player, accepted, http_client
from tests.outside.scripts import check_export, first_roll, play
from tests.outside.view import settled

MOST_BYTES = 4096
BURST, PATIENCE, PER_MESSAGE_MS = 40, 200, 50
HOUR_MS, MINUTE_MS = 3_600_000, 60_000

ODD = [
    b"",
    b"null",
    b"true",
    b"7",
    b'"x"',
    b"[]",
    b"[" * 2000 + b"]" * 2000,
    b'{"type":' * 400 + b"1" + b"}" * 400,
    b"{}",
    b'{"type":null}',
    b'{"type":{"$gt":""}}',
    b'{"type":"no_such"}',
    b'{"type":"ping","t":1e999}',
    b'{"type":"ping","t":NaN}',
    b'{"type":"ping","t":"1"}',
    b'{"type":"ping","t":1,"t":2}',
    b'{"type":"ping","type":"sit","t":1}',
    b'{"type":"roll","held":[],"expect":2,"expect":2}',
    b'{"type":"settings","options":{"a":{"b":{"c":{}}}}}',
    b'{"type":"settings","options":{"tie":"share","tie":"share"}}',
    b'{"type":"ping","t":1} {}',
    b'{"type":"ping","t":1}x',
    b"\xef\xbb\xbf" + b'{"type":"ping","t":1}',
    b'{"type":"say","phrase":"\\ud800"}',
    b"{'type':'ping'}",
    b" " * MOST_BYTES,
    b"\x00",
]


async def still_plays(player: Player, socket: RawSocket | None = None) -> bool:
    """The table goes on for a player, and for a connection that sent something odd."""
    await up_to_date([player])
    if socket:
        assert (await socket.ask({"type": "ping", "t": 1, "id": "still"}))["type"] == "pong"
    return True


async def test_a_frame_that_is_no_message_is_told_so_and_hurts_nobody(served: Served) -> None:
    ana, ben = await playing(served.base)
    before = await fresh(ben)
    async with await RawSocket.open(ana) as odd:
        for payload in ODD:
            odd.send(payload)
            answer = await odd.hear("error")
            assert (payload[:60], answer["code"]) == (payload[:60], "bad_message")
            assert answer["message"]
        odd.send(b'{"type":"ping","t":1}', BINARY)
        assert (await odd.hear("error"))["code"] == "bad_message"
        assert await still_plays(ben, odd)
    assert settled(await fresh(ben)) == settled(before)
    await play([ana, ben], first_roll)
    await check_export(ben)


async def test_an_error_refers_to_the_id_of_a_bad_message_where_it_has_one(served: Served) -> None:
    ana, _ = await playing(served.base)
    async with await RawSocket.open(ana) as odd:
        for payload in (b'{"type":"no_such","id":"a"}', b'{"id":"a"}', b'{"type":"roll","held":"x","expect":2,"id":"a"}'):
            odd.send(payload)
            answer = await odd.hear("error")
            assert (answer["code"], answer["ref"], list(answer)[-1]) == ("bad_message", "a", "ref")


@pytest.mark.parametrize(
    ("code", "payload"),
    [
        pytest.param(1009, b" " * (MOST_BYTES + 1), id="one byte too long"),
        pytest.param(1009, b" " * (2 << 20), id="two MiB of blanks"),
        pytest.param(1007, b'{"type":"say","phrase":"\xff"}', id="no UTF-8"),
        pytest.param(1007, b"\xed\xa0\x80", id="half a character"),
    ],
)
async def test_a_frame_that_is_too_long_or_no_text_closes_that_socket_alone(served: Served, code: int, payload: bytes) -> None:
    ana, ben = await playing(served.base)
    async with await RawSocket.open(ana) as odd:
        odd.send(payload)
        assert await odd.read_code() == code
    await roll(ana)
    await write_best(ana)
    assert await still_plays(ben)
    assert kinds(ben)[3:] == ["rolled", "scored"]


async def test_a_frame_of_exactly_four_kib_is_read(served: Served) -> None:
    ana, _ = await playing(served.base)
    async with await RawSocket.open(ana) as socket:
        message = b'{"type":"ping","t":5,"id":"edge"}'
        socket.send(message + b" " * (MOST_BYTES - len(message)))
        assert await socket.next(lambda answer: answer.get("ref") == "edge") == {**(await pong(socket)), "ref": "edge"}
        socket.send(b"ping?", PING)
        assert await socket.read() == (PONG, b"ping?")


async def pong(socket: RawSocket) -> dict[str, object]:
    answer = await socket.ask({"type": "ping", "t": 5, "id": "other"})
    return {**answer, "now": pytest.approx(answer["now"], abs=5_000)}


async def test_options_may_nest_to_the_fourth_level_and_no_deeper(served: Served) -> None:
    ana = await new_table(served.base)
    for value, message in (({"points": {"poker": 44}}, None), ({"points": {"poker": {"a": {}}}}, "deeper")):
        answer = await ana.ask({"type": "settings", "options": value})
        assert (answer["type"], message is None or message in answer["message"]) == ("error" if message else "lobby", True)


async def test_forty_messages_at_once_are_fine_then_it_is_too_fast_then_twenty_a_second(timing: Opens) -> None:
    timed = await timing(limits=True)
    ana = await new_table(timed.base)
    async with await RawSocket.open(ana) as socket:
        await socket.hear("welcome")
        assert await answers_to(socket, BURST + 2) == ["pong"] * BURST + ["too_fast"] * 2
        await timed.pass_ms(PER_MESSAGE_MS - 1)
        assert await answers_to(socket, 1) == ["too_fast"]
        await timed.pass_ms(1)
        assert await answers_to(socket, 2) == ["pong", "too_fast"]
        await timed.pass_ms(1_000)
        assert await answers_to(socket, 21) == ["pong"] * 20 + ["too_fast"]
        await timed.pass_ms(BURST * PER_MESSAGE_MS)
        assert await answers_to(socket, BURST + 1) == ["pong"] * BURST + ["too_fast"]
    await up_to_date([ana])


async def answers_to(socket: RawSocket, count: int) -> list[str]:
    """What answers so many pings that are sent at once."""
    for number in range(count):
        socket.send(json.dumps({"type": "ping", "t": number}).encode())
    answers = [await socket.next(lambda message: message["type"] in ("pong", "error")) for _ in range(count)]
    return [str(answer.get("code") or answer["type"]) for answer in answers]


async def test_who_goes_on_is_closed_4029_and_nobody_else_notices(timing: Opens) -> None:
    timed = await timing(limits=True)
    ana = await new_table(timed.base)
    async with await RawSocket.open(ana) as socket:
        await socket.hear("welcome")
        assert await answers_to(socket, BURST + PATIENCE) == ["pong"] * BURST + ["too_fast"] * PATIENCE
        socket.send(b"{}")
        assert await socket.read_code() == 4029
    await up_to_date([ana])


async def test_a_flood_of_binary_frames_is_one_as_well(timing: Opens) -> None:
    timed = await timing(limits=True)
    ana = await new_table(timed.base)
    async with await RawSocket.open(ana) as socket:
        await socket.hear("welcome")
        for _ in range(BURST + PATIENCE + 1):
            socket.send(b"x", BINARY)
        assert await socket.read_code() == 4029


async def test_without_limits_no_message_is_too_fast(served: Served) -> None:
    ana = await new_table(served.base)
    async with await RawSocket.open(ana) as socket:
        assert await answers_to(socket, 300) == ["pong"] * 300


async def test_sixty_sessions_an_hour_come_from_one_address_and_no_more(timing: Opens) -> None:
    timed = await timing(limits=True)
    guests = [await Guest.arrive(timed.base) for _ in range(60)]
    async with http_client(timed.base) as http:
        answer = await http.post("/api/session", json={})
        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "too_many")
        assert answer.headers["retry-after"] == "3600"
        assert "network" in answer.json()["error"]["message"]
        assert (await guests[0].call("POST", "/api/session", {})).status_code == 200
        await timed.pass_to(timed.now + HOUR_MS - 1_000)
        again = await http.post("/api/session", json={})
        assert (again.status_code, again.headers["retry-after"]) == (429, "1")
        await timed.pass_ms(1_000)
        assert (await http.post("/api/session", json={})).status_code == 201


async def test_twenty_tables_an_hour_come_from_one_address_and_no_more(timing: Opens) -> None:
    timed = await timing(limits=True)
    ana, ben = await Guest.arrive(timed.base), await Guest.arrive(timed.base)
    for number in range(20):
        accepted(await (ana, ben)[number % 2].call("POST", "/api/tables", {"sheet": "generala"}), 201)
    for guest in (ana, ben):
        answer = await guest.call("POST", "/api/tables", {"sheet": "generala"})
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "3600")


async def test_thirty_unknown_codes_a_minute_are_tried_from_one_address_whichever_way_and_no_more(timing: Opens) -> None:
    timed = await timing(limits=True)
    ana = await new_table(timed.base)
    for number in range(30):
        if number % 2:
            assert (await get(timed.base, "/api/tables/ABCDEF")).status_code == 404
        else:
            socket, status, _ = await RawSocket.knock(timed.base, "/ws/tables/ABCDEF")
            async with socket:
                assert (status, await socket.read_code()) == (101, 4004)
    for code in ("ABCDEF", ana.code):
        answer = await get(timed.base, f"/api/tables/{code}")
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "60")
        _, status, headers = await RawSocket.knock(timed.base, f"/ws/tables/{code}")
        assert (status, headers["retry-after"]) == (429, "60")
    await up_to_date([ana])
    await timed.pass_ms(MINUTE_MS)
    assert (await get(timed.base, f"/api/tables/{ana.code}")).status_code == 200


async def test_frames_that_come_before_the_table_is_there_are_answered_when_it_is(timed: Timed) -> None:
    ana = await new_table(timed.base)
    await ana.drop()
    async with await RawSocket.open(ana) as socket:
        for number in range(10):
            socket.send(json.dumps({"type": "ping", "t": number}).encode())
        assert [(await socket.hear("pong"))["t"] for _ in range(10)] == list(range(10))
