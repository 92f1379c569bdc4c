"""Who may open the socket of a table, and as whom: sessions, tickets, subprotocols, origins, codes."""

import pytest

from tests.integration.served import Opens, Served, Timed
from tests.integration.wire_kit import RawSocket, get, new_table, waiting
from tests.outside.player import Gone, Guest, Player, accepted, http_client

SESSION_INVALID, NO_SUCH_TABLE = 4001, 4004


def path_of(player: Player, query: str = "") -> str:
    return f"/ws/tables/{player.code}{query}"


async def you(player: Player, query: str = "", **headers: str) -> dict[str, object]:
    """Who the server takes a connection to be that is opened like this."""
    socket, status, _ = await RawSocket.knock(player.base, path_of(player, query), None, **headers)
    assert status == 101
    async with socket:
        answer: dict[str, object] = (await socket.hear("welcome"))["you"]
        return answer


async def closed_as(player: Player, query: str = "", **headers: str) -> int:
    """The code with which a connection is closed that is opened like this."""
    socket, status, _ = await RawSocket.knock(player.base, path_of(player, query), None, **headers)
    assert status == 101
    async with socket:
        return await socket.read_code()


async def ticket_of(guest: Guest) -> str:
    ticket = accepted(await guest.call("POST", "/api/ticket"), 201)["ticket"]
    assert isinstance(ticket, str)
    return ticket


async def test_a_bearer_token_or_the_cookie_says_who_connects_and_without_either_one_watches(served: Served) -> None:
    ana = await new_table(served.base)
    assert ana.guest
    assert await you(ana, authorization=f"Bearer {ana.guest.token}") == {"player": ana.guest.id}
    assert await you(ana, cookie=f"a=b; cubilete_session={ana.guest.token}") == {"player": ana.guest.id}
    assert await you(ana) == {}


async def test_the_cookie_that_a_session_sets_opens_the_socket(served: Served) -> None:
    ana = await new_table(served.base)
    async with http_client(served.base) as http:
        answer = await http.post("/api/session", json={"name": "Ben"})
        cookie = answer.headers["set-cookie"].partition(";")[0]
        again = await http.post("/api/session", json={"name": "Carla"})
    assert (answer.status_code, again.status_code) == (201, 200)
    assert again.json()["player"] == answer.json()["player"]
    assert await you(ana, cookie=cookie) == {"player": answer.json()["player"]["id"]}


@pytest.mark.parametrize("headers", [{"authorization": "Bearer nobody"}, {"cookie": "cubilete_session=nobody"}])
async def test_a_session_that_nobody_signed_is_closed_4001(served: Served, headers: dict[str, str]) -> None:
    ana = await new_table(served.base)
    assert await closed_as(ana, **headers) == SESSION_INVALID


async def test_a_ticket_lets_its_player_in_once(served: Served) -> None:
    ana = await new_table(served.base)
    assert ana.guest
    ticket = await ticket_of(ana.guest)
    assert await you(ana, f"?ticket={ticket}") == {"player": ana.guest.id}
    assert await closed_as(ana, f"?ticket={ticket}") == SESSION_INVALID
    assert await closed_as(ana, "?ticket=made-up") == SESSION_INVALID


@pytest.mark.parametrize(("after_ms", "is_good"), [(30_000, True), (30_001, False)])
async def test_a_ticket_is_good_for_thirty_seconds(timed: Timed, *, after_ms: int, is_good: bool) -> None:
    ana = await new_table(timed.base)
    assert ana.guest
    ticket = await ticket_of(ana.guest)
    await timed.pass_ms(after_ms)
    if is_good:
        assert await you(ana, f"?ticket={ticket}") == {"player": ana.guest.id}
    else:
        assert await closed_as(ana, f"?ticket={ticket}") == SESSION_INVALID


async def test_a_ticket_needs_a_session(served: Served) -> None:
    async with http_client(served.base) as http:
        answer = await http.post("/api/ticket")
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "no_session")


async def test_our_subprotocol_is_chosen_none_is_fine_and_others_alone_are_closed_1002(served: Served) -> None:
    ana = await new_table(served.base)
    for offered, chosen in (("cubilete.v1", "cubilete.v1"), ("chat, cubilete.v1", "cubilete.v1"), (None, None)):
        headers = {} if offered is None else {"sec_websocket_protocol": offered}
        socket, status, answer = await RawSocket.knock(served.base, path_of(ana), None, **headers)
        async with socket:
            assert (status, answer.get("sec-websocket-protocol")) == (101, chosen)
            await socket.hear("welcome")
    assert await closed_as(ana, sec_websocket_protocol="cubilete.v2, chat") == 1002


ORIGINS = {
    "http://{host}": 101,
    "HTTP://{host}": 101,
    "http://{host}1": 403,
    "http://a-{host}": 403,
    "http://{host}.evil.example": 403,
    "https://{host}": 403,
    "null": 403,
    "https://evil.example": 403,
    "https://play.example": 101,
    "https://play.example.evil.org": 403,
    "https://play.example:8443": 403,
}


async def test_pages_from_elsewhere_are_refused_before_the_upgrade(timing: Opens) -> None:
    timed = await timing(allowed_origins="https://play.example")
    ana = await new_table(timed.base)
    for origin, status in ORIGINS.items():
        shown = origin.format(host=timed.base.removeprefix("http://"))
        socket, got, _ = await RawSocket.knock(timed.base, path_of(ana), origin=shown)
        async with socket:
            assert (shown, got) == (shown, status)


@pytest.mark.parametrize("code", ["ABCDEF", "abc-def", "0O1IL0", "x", "%C3%A9"])
async def test_a_code_that_no_table_has_is_closed_4004(served: Served, code: str) -> None:
    socket, status, _ = await RawSocket.knock(served.base, f"/ws/tables/{code}")
    async with socket:
        assert (status, await socket.read_code()) == (101, NO_SUCH_TABLE)
    assert (await get(served.base, f"/api/tables/{code}")).status_code == 404


@pytest.mark.parametrize("path", ["/ws/tables/", "/ws/tables/ABCDEF/x", "/ws", "/"])
async def test_there_is_no_other_socket(served: Served, path: str) -> None:
    socket, status, _ = await RawSocket.knock(served.base, path)
    async with socket:
        assert status == 404


async def test_a_code_may_be_typed_in_any_case_with_blanks_and_hyphens(served: Served) -> None:
    ana = await new_table(served.base)
    typed = f"{ana.code[:3].lower()}-{ana.code[3:].lower()}"
    assert (await get(served.base, f"/api/tables/{typed}")).json()["table"]["code"] == ana.code
    async with Player(served.base, typed, ana.guest) as there:
        assert there.view["table"]["code"] == ana.code


async def test_a_private_table_is_watched_by_its_code_and_only_the_seated_act(served: Served) -> None:
    ana, _ = await waiting(served.base, visibility="private")
    listed = (await get(served.base, "/api/tables")).json()["tables"]
    assert ana.code not in [card["code"] for card in listed]
    async with Player(served.base, ana.code) as watcher:
        assert watcher.view["you"] == {}
        assert await watcher.refused({"type": "sit"}) == "not_seated"
        assert await watcher.refused({"type": "start"}) == "not_creator"
        assert await watcher.refused({"type": "roll", "held": [], "expect": 0}) == "not_seated"
    await ana.drop()


async def test_a_service_that_stops_tells_every_connection_to_come_back(timed: Timed) -> None:
    ana, ben = await waiting(timed.base)
    await timed.hang_up()
    assert [await ana.wait_closed(), await ben.wait_closed()] == [1012, 1012]


async def test_a_closed_connection_is_told_as_gone(served: Served) -> None:
    with pytest.raises(Gone) as gone:
        await Player(served.base, "ABCDEF").connect()
    assert gone.value.code == NO_SUCH_TABLE
