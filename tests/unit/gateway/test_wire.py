"""Frames, checked against how ``websockets`` writes and reads them."""

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.datastructures import Headers
from websockets.frames import Frame, Opcode
from websockets.http11 import Request

from server.gateway import wire

LIMIT = 4096
EDGES = [0, 1, 125, 126, 127, 65_535, 65_536]


@pytest.mark.parametrize("size", EDGES)
def test_a_text_frame_is_written_as_websockets_writes_it(size: int) -> None:
    message = b"d" * size
    assert wire.text_frame(message) == Frame(Opcode.TEXT, message).serialize(mask=False)


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, LIMIT])
@pytest.mark.parametrize("start", [0, 3])
def test_a_frame_ends_where_websockets_ends_it(size: int, start: int) -> None:
    written = b"?" * start + Frame(Opcode.TEXT, b"d" * size).serialize(mask=True)
    assert wire.frame_end(written, start, LIMIT) == len(written)
    assert wire.frame_end(written + b"\x81", start, LIMIT) == len(written)
    assert all(wire.frame_end(written[:cut], start, LIMIT) == 0 for cut in range(start, len(written)))


def test_a_frame_that_is_too_long_is_known_by_its_header() -> None:
    assert wire.frame_end(b"\x81\xfe\x10\x01", 0, LIMIT) == 4
    assert wire.frame_end(b"\x81\xfe\x10\x01" + b"?" * 50, 0, LIMIT) == 54
    assert wire.frame_end(b"\x81\xfe\x10", 0, LIMIT) == 0
    assert wire.frame_end(b"\x81\xff" + (1 << 63).to_bytes(8), 0, LIMIT) == 10


def test_a_frame_that_is_not_masked_is_known_by_its_header() -> None:
    assert wire.frame_end(b"\x81\x05he", 0, LIMIT) == 4


@given(st.binary(max_size=300), st.integers(0, 300))
def test_any_bytes_have_an_end_or_none(data: bytes, start: int) -> None:
    end = wire.frame_end(data, start, LIMIT)
    assert end == 0 or start < end <= len(data)


@pytest.mark.parametrize("offered", [[], ["cubilete.v1, x"], ["x", "cubilete.v1"], [" , ,"]])
def test_subprotocols_may_be_offered_in_one_line_or_several(offered: list[str]) -> None:
    request = Request("/", Headers([("Sec-WebSocket-Protocol", line) for line in offered]))
    names = wire.upgrade_of(request, ("127.0.0.1", 1), is_tls=False).subprotocols
    assert set(names) == {"cubilete.v1", "x"} if any("x" in line for line in offered) else names == ()


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_UNIX])
def test_a_socket_of_either_kind_holds_little_and_waits_for_nothing(family: int) -> None:
    with socket.socket(family) as ours:
        wire.tune(ours, 8192)  # type: ignore[arg-type]
        assert ours.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) <= 2 * 8192
        assert family == socket.AF_UNIX or ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_request_over_tls_or_from_a_local_socket_says_so() -> None:
    request = Request("/a%20b?c=%20", Headers())
    upgrade = wire.upgrade_of(request, "", is_tls=True)
    assert (upgrade.path, upgrade.query, upgrade.scheme, upgrade.peer) == ("/a b", "c=%20", "https", None)
    assert wire.upgrade_of(request, ("::1", 5, 0, 0), is_tls=False).peer == "::1"
