"""Security headers and the limit of bodies, around a small application."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from server.gateway.headers import BODY_BYTES, SECURITY_HEADERS, BodyLimit, SecurityHeaders


async def length_of_body(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the length of the body, and with a policy of its own for one path."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message["body"]
        more = message["more_body"]
    own = [(b"referrer-policy", b"origin")] if scope["path"] == "/own" else []
    await send({"type": "http.response.start", "status": 200, "headers": own})
    await send({"type": "http.response.body", "body": b"%d" % len(body)})


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    app = SecurityHeaders(BodyLimit(length_of_body))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://own.example") as client:
        yield client


async def never_sent(_message: Any) -> None:
    pytest.fail("nothing should be answered")


async def test_every_answer_has_the_security_headers(http: httpx.AsyncClient) -> None:
    for answer in (await http.get("/"), await http.post("/", content=b"x" * (BODY_BYTES + 1))):
        assert {name: answer.headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS


def test_nothing_runs_or_frames_that_is_not_our_own() -> None:
    policy = dict(part.split(" ", 1) for part in SECURITY_HEADERS["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert "unsafe" not in SECURITY_HEADERS["Content-Security-Policy"]
    assert SECURITY_HEADERS["Referrer-Policy"] == "no-referrer"


async def test_an_answer_keeps_its_own_policy(http: httpx.AsyncClient) -> None:
    answer = await http.get("/own")
    assert answer.headers.get_list("referrer-policy") == ["origin"]


@pytest.mark.parametrize("size", [0, 1, BODY_BYTES])
async def test_a_body_up_to_the_limit_arrives_whole(http: httpx.AsyncClient, size: int) -> None:
    assert (await http.post("/", content=b"x" * size)).text == str(size)
    assert (await http.post("/", content=in_parts(size))).text == str(size)


async def test_a_longer_body_is_refused_announced_or_not(http: httpx.AsyncClient) -> None:
    for content in (b"x" * (BODY_BYTES + 1), in_parts(BODY_BYTES + 1)):
        answer = await http.post("/", content=content)
        assert answer.status_code == 413
        assert answer.json()["error"]["code"] == "too_large"
        assert answer.headers["content-type"] == "application/json"


async def in_parts(size: int) -> AsyncIterator[bytes]:
    for at in range(0, size, 1000):
        yield b"x" * min(1000, size - at)


async def test_a_body_that_is_announced_too_long_is_not_waited_for() -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        pytest.fail("nothing should be read")

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "headers": [(b"content-length", b"%d" % (BODY_BYTES + 1))]}
    await BodyLimit(length_of_body)(scope, receive, send)
    assert sent[0]["status"] == 413


async def test_a_client_that_goes_away_while_it_sends_is_told_to_the_application() -> None:
    messages = iter([{"type": "http.request", "body": b"half", "more_body": True}, {"type": "http.disconnect"}])
    seen: list[Any] = []

    async def receive() -> Any:
        return next(messages)

    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        seen.append(await receive())

    await BodyLimit(app)({"type": "http", "headers": []}, receive, never_sent)
    assert seen == [{"type": "http.disconnect"}]


async def test_after_the_body_the_application_hears_what_comes_next() -> None:
    messages = iter([{"type": "http.request", "body": b"all"}, {"type": "http.disconnect"}])
    seen: list[Any] = []

    async def receive() -> Any:
        return next(messages)

    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        seen.extend([await receive(), await receive()])

    await BodyLimit(app)({"type": "http", "headers": [(b"content-length", b"?")]}, receive, never_sent)
    assert seen == [{"type": "http.request", "body": b"all", "more_body": False}, {"type": "http.disconnect"}]


async def test_what_is_no_request_passes_through_untouched() -> None:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, _send: Any) -> None:
        seen.extend([scope["type"], await receive()])

    async def receive() -> Any:
        return {"type": "lifespan.startup"}

    await SecurityHeaders(BodyLimit(app))({"type": "lifespan"}, receive, never_sent)
    assert seen == ["lifespan", {"type": "lifespan.startup"}]
