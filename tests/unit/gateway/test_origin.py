"""Which pages may open a socket, or post with a cookie."""

from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.gateway.address import Addresses
from server.gateway.connection import Headers
from server.gateway.origin import Origins, read_origin

PLAIN = Origins(Addresses(), ["https://friend.example"])
PROXY = "10.0.0.1"
PROXIED = Origins(Addresses([ip_network("10.0.0.0/8")]))
PUBLIC = Origins(Addresses(), public_url="https://dice.example")


HOST = "own.example:8000"


def allows(origins: Origins, origin: str | None, *, host: str = HOST, peer: str | None = None, **more: str) -> bool:
    headers = [("Host", host), *((name.replace("_", "-"), value) for name, value in more.items())]
    return origins.allows(Headers([*headers, ("Origin", origin)] if origin is not None else headers), "http", peer)


@pytest.mark.parametrize(
    "origin",
    ["http://own.example:8000", "HTTP://OWN.EXAMPLE:8000", "https://friend.example", "https://friend.example:443", None],
)
def test_own_pages_listed_pages_and_no_page_are_let_in(origin: str | None) -> None:
    assert allows(PLAIN, origin)


@pytest.mark.parametrize(
    "origin",
    [
        "http://own.example:80001",
        "http://own.example:800",
        "http://own.example",
        "http://a-own.example:8000",
        "http://own.example.evil.example:8000",
        "http://own.example:8000.evil.example",
        "http://own.example:8000@evil.example",
        "http://own.example:8000/",
        "https://own.example:8000",
        "ws://own.example:8000",
        "null",
        "",
        "http://friend.example",
        "https://friend.example.evil.example",
        "https://my-friend.example",
        "https://friend.example:8443",
        "http://own.example:8000 https://friend.example",
    ],
)
def test_every_other_page_is_refused(origin: str) -> None:
    assert not allows(PLAIN, origin)


def test_two_origins_are_none() -> None:
    headers = Headers([("Host", "a"), ("Origin", "http://a"), ("Origin", "http://a")])
    assert not PLAIN.allows(headers, "http", None)


@pytest.mark.parametrize("hosts", [[], ["a", "a"], ["a/b"], [""]])
def test_without_one_clear_host_only_listed_pages_are_let_in(hosts: list[str]) -> None:
    for origin, is_let_in in (("http://a", False), ("http://a/b", False), ("https://friend.example", True)):
        headers = Headers([*(("Host", host) for host in hosts), ("Origin", origin)])
        assert PLAIN.allows(headers, "http", None) == is_let_in
    assert PLAIN.own(Headers([("Host", host) for host in hosts]), "http", None) == ""


@pytest.mark.parametrize(
    ("host", "origin"),
    [("own.example", "http://own.example"), ("own.example:80", "http://own.example"), ("[::1]:8000", "http://[::1]:8000")],
)
def test_the_usual_port_may_be_written_or_not(host: str, origin: str) -> None:
    assert allows(PLAIN, origin, host=host)


def test_behind_a_trusted_proxy_its_word_for_the_scheme_counts() -> None:
    assert allows(PROXIED, "https://own.example", host="own.example", peer=PROXY, x_forwarded_proto="https")
    assert not allows(PROXIED, "http://own.example", host="own.example", peer=PROXY, x_forwarded_proto="https")
    assert not allows(PROXIED, "https://own.example", host="own.example", peer="192.0.2.1", x_forwarded_proto="https")


def test_the_public_url_is_own_wherever_the_request_came_in() -> None:
    assert allows(PUBLIC, "https://dice.example")
    assert allows(PUBLIC, "http://own.example:8000")
    assert not allows(PUBLIC, "http://dice.example")


def test_links_lead_to_the_public_url_or_to_where_the_request_came_in() -> None:
    headers = Headers([("Host", "Own.example:8000")])
    assert PUBLIC.own(headers, "http", None) == "https://dice.example"
    assert PLAIN.own(headers, "http", None) == "http://own.example:8000"
    assert (
        PROXIED.own(Headers([("Host", "own.example"), ("X-Forwarded-Proto", "https")]), "http", PROXY) == "https://own.example"
    )


def test_the_scheme_of_a_request_is_the_wires_or_the_proxys() -> None:
    headers = Headers([("X-Forwarded-Proto", "https")])
    assert PROXIED.scheme(headers, "http", PROXY) == "https"
    assert PLAIN.scheme(headers, "http", PROXY) == "http"


@given(st.text(max_size=30) | st.from_regex(r"https?://[a-z.\[\]:]{0,9}(:[0-9]{0,6})?", fullmatch=True))
def test_an_origin_that_is_read_is_read_again_as_the_same(text: str) -> None:
    origin = read_origin(text)
    assert origin is None or read_origin(origin) == origin
