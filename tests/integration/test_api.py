"""The HTTP interface, against a whole service in the test's own loop: answers, errors, and a description that is true."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema_rs import validator_for

from server.app import Service
from server.settings import load_settings

GENERALA = {"sheet": "generala"}


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    settings = load_settings(data=tmp_path / "data", limits=False, bot_pace_ms=0)
    async with Service(settings) as running:
        yield running


@pytest.fixture
async def http(service: Service) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(service) as client:
        yield client


def client_of(service: Service, **options: Any) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(service.application, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://cubilete.test", **options)


async def begin(http: httpx.AsyncClient, name: str | None = None) -> str:
    answer = await http.post("/api/session", json={} if name is None else {"name": name})
    http.cookies.clear()
    return str(answer.json()["token"])


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def test_a_guest_gets_a_name_a_token_and_a_cookie_that_scripts_cannot_read(http: httpx.AsyncClient) -> None:
    answer = await http.post("/api/session", json={"name": " Ana "})
    assert answer.status_code == 201
    body = answer.json()
    assert body["player"] == {"id": body["player"]["id"], "name": "Ana", "guest": True}
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie


async def test_a_guest_without_a_name_gets_a_friendly_one(http: httpx.AsyncClient) -> None:
    assert (await http.post("/api/session")).json()["player"]["name"]


async def test_a_valid_session_is_the_same_player_again(http: httpx.AsyncClient) -> None:
    first = await http.post("/api/session", json={"name": "Ana"})
    again = await http.post("/api/session", json={"name": "Ben"})
    assert again.status_code == 200
    assert again.json() == first.json()


async def test_a_session_that_nobody_signed_begins_a_new_one(http: httpx.AsyncClient) -> None:
    answer = await http.post("/api/session", headers=bearer("x" * 76))
    assert answer.status_code == 201


async def test_the_cookie_is_secure_behind_a_trusted_proxy_that_speaks_https(tmp_path: Path) -> None:
    settings = load_settings(data=tmp_path, trusted_proxies="127.0.0.0/8")
    async with Service(settings) as service, client_of(service) as http:
        answer = await http.post("/api/session", headers={"X-Forwarded-Proto": "https"})
        assert "Secure" in answer.headers["set-cookie"]


async def test_me_needs_a_session(http: httpx.AsyncClient) -> None:
    answer = await http.get("/api/me")
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "no_session"


async def test_me_is_the_player_who_asks(http: httpx.AsyncClient) -> None:
    token = await begin(http, "Ana")
    me = (await http.get("/api/me", headers=bearer(token))).json()
    assert me["player"]["name"] == "Ana"
    assert me["tables"] == []


@pytest.mark.parametrize(
    ("path", "body"),
    [("/api/tables", GENERALA), ("/api/ticket", None), ("/api/session", {})],
)
async def test_a_foreign_page_cannot_act_with_the_cookie(http: httpx.AsyncClient, path: str, body: object) -> None:
    await http.post("/api/session", json={"name": "Ana"})
    answer = await http.post(path, json=body, headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "forbidden"


async def test_a_foreign_page_cannot_make_a_visitor_somebody_else(http: httpx.AsyncClient) -> None:
    """A form of another page is posted without the cookie, and its answer must not replace it."""
    answer = await http.post("/api/session", headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


async def test_an_own_page_can_act_with_the_cookie(http: httpx.AsyncClient) -> None:
    await http.post("/api/session")
    answer = await http.post("/api/tables", json=GENERALA, headers={"Origin": "HTTP://CUBILETE.test"})
    assert answer.status_code == 201


async def test_a_table_gets_a_code_and_a_link(http: httpx.AsyncClient) -> None:
    token = await begin(http)
    body = (await http.post("/api/tables", json=GENERALA, headers=bearer(token))).json()
    assert len(body["code"]) == 6
    assert body["url"] == f"http://cubilete.test/t/{body['code']}"


@pytest.mark.parametrize(
    ("wish", "field"),
    [
        ({"sheet": "poker"}, "sheet"),
        ({}, "sheet"),
        ({"sheet": 7}, "sheet"),
        (GENERALA | {"preset": "wild"}, "preset"),
        (GENERALA | {"options": {"joker": "free"}}, "options.joker"),
        (GENERALA | {"options": {"points": {"full": 501}}}, "options.points.full"),
        (GENERALA | {"options": {"points": {"full": True}}}, "options.points.full"),
        (GENERALA | {"clock": 7}, "clock"),
        (GENERALA | {"clock": 0, "visibility": "public"}, "visibility"),
        (GENERALA | {"clock": 0, "rated": True}, "rated"),
        (GENERALA | {"seats": 1}, "seats"),
        (GENERALA | {"seats": 7}, "seats"),
        (GENERALA | {"seats": "2"}, "seats"),
        (GENERALA | {"bots": ["genius"]}, "bots"),
        (GENERALA | {"seats": 2, "bots": ["medium", "medium"]}, "bots"),
        (GENERALA | {"visibility": "secret"}, "visibility"),
        (GENERALA | {"colour": "red"}, "colour"),
    ],
)
async def test_a_wish_that_does_not_fit_is_refused_with_its_field(
    http: httpx.AsyncClient, wish: dict[str, object], field: str
) -> None:
    token = await begin(http)
    answer = await http.post("/api/tables", json=wish, headers=bearer(token))
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == field
    assert (await http.get("/api/tables")).json() == {"tables": []}


async def test_a_table_without_a_clock_is_private_and_unrated_unless_asked_otherwise(http: httpx.AsyncClient) -> None:
    token = await begin(http)
    code = (await http.post("/api/tables", json=GENERALA | {"clock": 0}, headers=bearer(token))).json()["code"]
    table = (await http.get(f"/api/tables/{code}")).json()["table"]
    assert (table["visibility"], table["rated"], table["clock"]) == ("private", False, 0)


async def test_a_snapshot_shows_every_option_and_every_seat(http: httpx.AsyncClient) -> None:
    token = await begin(http)
    wish = GENERALA | {"preset": "rio", "seats": 3, "bots": ["medium"]}
    code = (await http.post("/api/tables", json=wish, headers=bearer(token))).json()["code"]
    shown = (await http.get(f"/api/tables/{code.lower()}", headers=bearer(token))).json()
    assert shown["table"]["options"]["served_generala"] == "wins"
    assert shown["table"]["preset"] == "rio"
    assert [seat["kind"] for seat in shown["table"]["seats"]] == ["free", "free", "bot"]
    assert shown["n"] is None


async def test_options_that_are_a_presets_are_that_preset(http: httpx.AsyncClient) -> None:
    token = await begin(http)
    wish = GENERALA | {"options": {"doble": "off", "served_generala": "wins"}}
    code = (await http.post("/api/tables", json=wish, headers=bearer(token))).json()["code"]
    assert (await http.get(f"/api/tables/{code}")).json()["table"]["preset"] == "diez"


async def test_the_list_has_public_tables_only_free_seats_first(http: httpx.AsyncClient) -> None:
    token = await begin(http)
    wishes: list[dict[str, object]] = [{"seats": 2}, {"visibility": "private"}, {"seats": 4, "bots": ["medium"]}]
    answers = [await http.post("/api/tables", json=GENERALA | wish, headers=bearer(token)) for wish in wishes]
    codes = [answer.json()["code"] for answer in answers]
    tables = (await http.get("/api/tables")).json()["tables"]
    assert [table["code"] for table in tables] == [codes[2], codes[0]]
    assert (tables[0]["seats"], tables[0]["free"], tables[0]["bots"]) == (4, 3, 1)


@pytest.mark.parametrize(
    "path", ["/api/tables/ABCDEF", "/api/tables/x", "/api/matches/00", "/nowhere", "/api/matches/0/transcript"]
)
async def test_what_is_not_there_is_404_in_the_one_shape(http: httpx.AsyncClient, path: str) -> None:
    answer = await http.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "unknown"


async def test_unknown_codes_are_limited_by_address(tmp_path: Path) -> None:
    settings = load_settings(data=tmp_path, unknown_codes_per_minute=3)
    async with Service(settings) as service, client_of(service) as http:
        statuses = [(await http.get("/api/tables/ABCDEF")).status_code for _ in range(4)]
        assert statuses == [404, 404, 404, 429]
        answer = await http.get("/api/tables/ABCDEF")
        assert 1 <= int(answer.headers["retry-after"]) <= 60


@pytest.mark.parametrize(("setting", "path"), [("sessions_per_hour", "/api/session"), ("tables_per_hour", "/api/tables")])
async def test_sessions_and_tables_are_limited_by_address(tmp_path: Path, setting: str, path: str) -> None:
    settings = load_settings(data=tmp_path, **{setting: 2})
    async with Service(settings) as service, client_of(service) as http:
        token = await begin(http)
        headers = bearer(token) if path == "/api/tables" else {}
        statuses = [(await _post_afresh(http, path, headers)).status_code for _ in range(3)]
        assert statuses[-1] == 429
        assert statuses[0] == 201


async def test_what_was_refused_uses_up_no_limit(tmp_path: Path) -> None:
    settings = load_settings(data=tmp_path, sessions_per_hour=2, tables_per_hour=1)
    async with Service(settings) as service, client_of(service) as http:
        for _ in range(3):
            assert (await http.post("/api/session", json={"name": ""})).status_code == 422
        token = await begin(http)
        for _ in range(3):
            answer = await http.post("/api/tables", json=GENERALA | {"clock": 7}, headers=bearer(token))
            assert answer.status_code == 422
        assert (await http.post("/api/tables", json=GENERALA, headers=bearer(token))).status_code == 201


async def _post_afresh(http: httpx.AsyncClient, path: str, headers: dict[str, str]) -> httpx.Response:
    http.cookies.clear()
    return await http.post(path, json=GENERALA if path == "/api/tables" else {}, headers=headers)


@pytest.mark.parametrize(("content", "status"), [(b"{", 400), (b'"x"', 422), (b"x" * 70_000, 413)])
async def test_a_body_that_cannot_be_read_is_said_so(http: httpx.AsyncClient, content: bytes, status: int) -> None:
    answer = await http.post("/api/session", content=content)
    assert answer.status_code == status
    assert answer.json()["error"]["message"]


@pytest.mark.parametrize("options", ['{"\\ud800":1}', '{"points":{"\\ud800":1}}'])
async def test_half_a_character_is_refused_like_any_other_wrong_key(http: httpx.AsyncClient, options: str) -> None:
    token = await begin(http)
    body = f'{{"sheet":"generala","options":{options}}}'.encode()
    answer = await http.post("/api/tables", content=body, headers=bearer(token) | {"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["error"]["field"].startswith("options.")


async def test_a_method_that_is_none_is_405_in_the_one_shape(http: httpx.AsyncClient) -> None:
    answer = await http.put("/api/tables", json={})
    assert answer.status_code == 405
    assert answer.json()["error"]["code"] == "bad_method"


async def test_a_fault_of_ours_shows_no_trace(
    http: httpx.AsyncClient, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> list[bytes]:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(service.tables.means.log, "lobby", broken)
    answer = await http.get("/api/tables")
    assert answer.status_code == 500
    assert "secret detail" not in answer.text


async def test_a_store_that_is_away_is_503_and_says_when_to_come_back(http: httpx.AsyncClient, service: Service) -> None:
    await service.tables.stop()
    await service.tables.means.log.close()
    answer = await http.get("/readyz")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
    assert (await http.get("/healthz")).json() == {"status": "ok"}


async def test_the_service_is_ready_when_store_and_database_answer(http: httpx.AsyncClient) -> None:
    assert (await http.get("/readyz")).json() == {"status": "ok"}


async def test_sheets_come_with_texts_in_three_languages(http: httpx.AsyncClient) -> None:
    body = (await http.get("/api/sheets")).json()
    assert {sheet["id"] for sheet in body["sheets"]} >= {"generala", "yahtzee"}
    assert set(body["texts"]) == {"es", "en", "de"}
    for texts in body["texts"].values():
        assert texts["sheet.generala.name"]


async def test_phrases_are_listed(http: httpx.AsyncClient) -> None:
    assert "well_played" in (await http.get("/api/phrases")).json()["phrases"]


@pytest.mark.parametrize("path", ["/", "/t/ABCDEF", "/page.css", "/icon.svg"])
async def test_pages_can_be_read_and_run_no_script_of_strangers(http: httpx.AsyncClient, path: str) -> None:
    answer = await http.get(path)
    assert answer.status_code == 200
    assert "'unsafe-inline'" not in answer.headers["content-security-policy"]
    assert (await http.head(path)).status_code == 200
    assert "set-cookie" not in answer.headers


async def test_a_link_preview_makes_no_player_and_no_seat(http: httpx.AsyncClient) -> None:
    token = await begin(http)
    code = (await http.post("/api/tables", json=GENERALA, headers=bearer(token))).json()["code"]
    for _ in range(10):
        await http.get(f"/t/{code}", headers={"User-Agent": "WhatsApp/2"})
    table = (await http.get(f"/api/tables/{code}")).json()["table"]
    assert [seat["kind"] for seat in table["seats"]] == ["free", "free"]


async def test_answers_are_as_the_description_says(http: httpx.AsyncClient) -> None:
    description = (await http.get("/openapi.json")).json()
    token = await begin(http)
    code = (await http.post("/api/tables", json=GENERALA, headers=bearer(token))).json()["code"]
    for path, operation in {
        f"/api/tables/{code}": "/api/tables/{code}",
        "/api/tables": "/api/tables",
        "/api/sheets": "/api/sheets",
        "/api/phrases": "/api/phrases",
        "/api/me": "/api/me",
        "/healthz": "/healthz",
    }.items():
        answer = await http.get(path, headers=bearer(token))
        shape = description["paths"][operation]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        schema = shape | {"components": description["components"]}
        validator_for(schema).validate(answer.json())


async def test_no_operation_promises_a_shape_that_is_never_sent(http: httpx.AsyncClient) -> None:
    description = (await http.get("/openapi.json")).json()
    assert "HTTPValidationError" not in str(description)
    assert description["paths"]["/api/tables"]["post"]["security"] == [{"bearer": []}, {"cookie": []}]


async def test_every_reference_in_the_description_leads_somewhere(http: httpx.AsyncClient) -> None:
    description = (await http.get("/openapi.json")).json()
    known = {f"#/components/schemas/{name}" for name in description["components"]["schemas"]}

    def references(value: Any) -> set[str]:
        if isinstance(value, list):
            return set().union(*map(references, value)) if value else set()
        if not isinstance(value, dict):
            return set()
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(references, value.values())) if value else own

    assert references(description) <= known
