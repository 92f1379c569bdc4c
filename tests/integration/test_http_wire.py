"""HTTP on real sockets: what a request may take up before it is one."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn

from server.gateway import httpwire
from server.gateway.httpwire import HEAD_BYTES, BoundedHttp

OK = b"HTTP/1.1 200 OK"


async def application(_scope: Any, receive: Any, send: Any) -> None:
    """Answers every request with nothing, once its body is read."""
    more = True
    while more:
        more = (await receive()).get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
async def port() -> AsyncIterator[int]:
    config = uvicorn.Config(application, port=0, http=BoundedHttp, lifespan="off", log_config=None, timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    config.load()
    server.lifespan = config.lifespan_class(config)
    await server.startup()
    yield server.servers[0].sockets[0].getsockname()[1]
    await server.shutdown()


@asynccontextmanager
async def wire(port: int) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()


async def answer_to(port: int, request: bytes) -> bytes:
    async with wire(port) as (reader, writer), asyncio.timeout(10):
        writer.write(request)
        return await reader.readuntil(b"\r\n\r\n")


async def test_a_plain_request_is_answered(port: int) -> None:
    assert (await answer_to(port, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")).startswith(OK)


async def test_a_long_body_is_no_long_head(port: int) -> None:
    body = b"x" * (HEAD_BYTES * 2)
    request = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    assert (await answer_to(port, request)).startswith(OK)


async def test_requests_that_follow_each_other_on_one_connection_are_counted_each_for_itself(port: int) -> None:
    request = b"GET / HTTP/1.1\r\nHost: a\r\nX: %b\r\n\r\n" % (b"x" * (HEAD_BYTES // 2))
    async with wire(port) as (reader, writer), asyncio.timeout(10):
        for _ in range(4):
            writer.write(request)
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(OK)


@pytest.mark.parametrize("head", [b"GET /" + b"a" * HEAD_BYTES * 20, b"GET / HTTP/1.1\r\nX: " + b"a" * HEAD_BYTES * 20])
async def test_a_head_that_is_too_long_is_refused_before_it_is_whole(port: int, head: bytes) -> None:
    answer = await answer_to(port, head)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert b"application/json" in answer


async def test_what_is_no_http_is_told_so_in_the_one_shape(port: int) -> None:
    answer = await answer_to(port, b"\x16\x03\x01 hello\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"application/json" in answer


@pytest.mark.parametrize("head", [b"", b"GET / HTTP/1.1\r\nHost"])
async def test_half_a_request_is_not_waited_for_for_ever(port: int, head: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(httpwire, "HEAD_S", 0.05)
    async with wire(port) as (reader, writer), asyncio.timeout(10):
        writer.write(head)
        assert await reader.read() == b""


async def test_half_a_second_request_is_not_waited_for_either(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(httpwire, "HEAD_S", 0.05)
    async with wire(port) as (reader, writer), asyncio.timeout(10):
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"GET / HT")
        assert await reader.read() == b""
