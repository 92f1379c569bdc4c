"""Whose address counts, behind proxies that are trusted and behind others."""

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.gateway.address import Addresses, read_address
from server.gateway.connection import Headers

CLIENT, PROXY, OUTER, STRANGER = "203.0.113.7", "10.0.0.1", "10.0.0.2", "198.51.100.9"
TRUSTING = Addresses([ip_network("10.0.0.0/8"), ip_network("fd00::/8")])


def client(peer: str | None, *headers: tuple[str, str], addresses: Addresses = TRUSTING) -> str:
    return str(addresses.client(Headers(headers), peer))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        (" 203.0.113.7 ", "203.0.113.7"),
        ("203.0.113.7:4711", "203.0.113.7"),
        ("2001:db8::1", "2001:db8::1"),
        ("[2001:DB8::1]", "2001:db8::1"),
        ("[2001:db8::1]:4711", "2001:db8::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
    ],
)
def test_an_address_is_read_with_and_without_a_port(text: str, address: str) -> None:
    assert read_address(text) == ip_address(address)


@pytest.mark.parametrize(
    "text", ["", "unknown", "_hidden", "203.0.113", "203.0.113.7:x", "203.0.113.7:٣", "[::1", "[::1]x", "[", "::g", "a:b:c"]
)
def test_what_is_no_address_is_none(text: str) -> None:
    assert read_address(text) is None


def test_nobody_is_believed_who_is_not_trusted() -> None:
    headers = (("X-Forwarded-For", CLIENT), ("Forwarded", f"for={CLIENT}"))
    assert client(STRANGER, *headers) == STRANGER
    assert client(PROXY, *headers, addresses=Addresses()) == PROXY


@pytest.mark.parametrize(
    "header",
    [
        ("X-Forwarded-For", CLIENT),
        ("x-forwarded-for", f"1.1.1.1, {CLIENT}"),
        ("X-Forwarded-For", f"1.1.1.1,{CLIENT}, {OUTER}"),
        ("Forwarded", f"for={CLIENT}"),
        ("Forwarded", f'For="{CLIENT}:80";proto=https;by={PROXY}'),
        ("forwarded", f"for=1.1.1.1, proto=http ; FOR={CLIENT}"),
        ("Forwarded", f'for=1.1.1.1;host="a, for=9.9.9.9", for={CLIENT}, for="{OUTER}:1"'),
        ("Forwarded", f'for=1.1.1.1;host="a\\", for=9.9.9.9", for={CLIENT}'),
    ],
)
def test_the_first_hop_that_is_not_trusted_is_the_client(header: tuple[str, str]) -> None:
    assert client(PROXY, header) == CLIENT


def test_several_lines_of_a_header_are_one_list() -> None:
    assert client(PROXY, ("X-Forwarded-For", "1.1.1.1"), ("X-Forwarded-For", f"{CLIENT}, {OUTER}")) == CLIENT


def test_an_ipv6_client_behind_an_ipv6_proxy_is_found() -> None:
    assert client("fd00::1", ("Forwarded", 'for="[2001:db8::7]:4711"')) == "2001:db8::7"
    assert client("::ffff:10.0.0.1", ("X-Forwarded-For", CLIENT)) == CLIENT


def test_where_all_hops_are_trusted_the_outermost_is_the_client() -> None:
    assert client(PROXY, ("X-Forwarded-For", f"10.0.0.9, {OUTER}")) == "10.0.0.9"
    assert client(PROXY) == PROXY


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (("X-Forwarded-For", "unknown"), PROXY),
        (("X-Forwarded-For", f"{CLIENT}, nonsense, {OUTER}"), OUTER),
        (("X-Forwarded-For", ""), PROXY),
        (("X-Forwarded-For", f"{CLIENT},"), PROXY),
        (("Forwarded", f"for={CLIENT}, proto=https"), PROXY),
        (("Forwarded", f"for={CLIENT}, for=_secret"), PROXY),
        # A quote that the client left open may not turn the proxy's own words inside out.
        (("Forwarded", f'for="x, for={CLIENT};host="a,for=9.9.9.9;x="'), PROXY),
    ],
)
def test_beyond_what_cannot_be_read_nothing_is_believed(header: tuple[str, str], found: str) -> None:
    assert client(PROXY, header) == found


def test_two_headers_that_disagree_are_both_left_out() -> None:
    # The proxy writes one of the two; the other is what the client made up.
    assert client(PROXY, ("Forwarded", "for=9.9.9.9"), ("X-Forwarded-For", CLIENT)) == PROXY
    assert client(PROXY, ("Forwarded", f"for={CLIENT}"), ("X-Forwarded-For", CLIENT)) == CLIENT


def test_a_chain_without_end_is_read_from_its_near_end_only() -> None:
    assert client(PROXY, ("X-Forwarded-For", f"{CLIENT}, " + ", ".join([OUTER] * 40))) == OUTER


@pytest.mark.parametrize(
    ("peer", "key"),
    [
        (CLIENT, CLIENT),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::ffff:203.0.113.7", CLIENT),
        (None, "local"),
        ("", "local"),
        ("what is this", "local"),
    ],
)
def test_limits_are_counted_by_address_or_by_ipv6_network(peer: str | None, key: str) -> None:
    assert TRUSTING.of(Headers([]), peer) == key


nonsense = st.text(max_size=60) | st.text('for=";,\\ \t.:[]%0123456789abcdef', max_size=60)


names = st.sampled_from(["forwarded", "x-forwarded-for", "x-forwarded-proto"])


@given(st.lists(st.tuples(names, nonsense), max_size=4), nonsense)
def test_no_header_whatever_raises(headers: list[tuple[str, str]], peer: str) -> None:
    assert TRUSTING.of(Headers(headers), PROXY)
    assert TRUSTING.of(Headers(headers), peer)
    assert TRUSTING.scheme(Headers(headers), "http", PROXY) in ("http", "https")


def ipv4(first: int) -> st.SearchStrategy[str]:
    return st.tuples(*[st.integers(0, 255)] * 3).map(lambda rest: ".".join(map(str, (first, *rest))))


@given(nonsense, st.lists(ipv4(10), max_size=5), ipv4(203))
def test_nothing_a_client_writes_changes_what_the_proxies_append(made_up: str, proxies: list[str], address: str) -> None:
    chain = ",".join([made_up, address, *proxies])
    assert client(PROXY, ("X-Forwarded-For", chain)) == address


@given(nonsense, st.lists(ipv4(10), max_size=5), ipv4(203))
def test_nothing_a_client_writes_makes_it_someone_else(made_up: str, proxies: list[str], address: str) -> None:
    chain = ", ".join([made_up, *(f'for="{hop}"' for hop in (address, *proxies))])
    assert client(PROXY, ("Forwarded", chain)) in {address, PROXY, *proxies}


@pytest.mark.parametrize(
    ("headers", "scheme"),
    [
        ([], "http"),
        ([("X-Forwarded-Proto", "https")], "https"),
        ([("X-Forwarded-Proto", "HTTPS, http")], "https"),
        ([("Forwarded", "for=1.1.1.1;proto=https")], "https"),
        ([("X-Forwarded-Proto", "gopher")], "http"),
    ],
)
def test_the_scheme_is_what_a_trusted_proxy_was_spoken_to_in(headers: list[tuple[str, str]], scheme: str) -> None:
    assert TRUSTING.scheme(Headers(headers), "http", PROXY) == scheme
    assert TRUSTING.scheme(Headers(headers), "http", STRANGER) == "http"
    assert TRUSTING.scheme(Headers(headers), "https", None) == "https"


def test_a_trusted_proxy_may_say_that_it_was_spoken_to_in_plain_text() -> None:
    assert TRUSTING.scheme(Headers([("X-Forwarded-Proto", "http")]), "https", PROXY) == "http"
