"""Where a request comes from: the peer, or whom a trusted proxy names.

A header is believed only as far as trusted proxies wrote it. The hops are walked from the nearest outwards, and the first one
that is not a trusted proxy is the client. What is beyond it, or cannot be read, could be anybody's invention.

Some proxies write ``Forwarded`` (RFC 7239), others ``X-Forwarded-For``, and most pass on unseen what the client sent under the
other name. If both are there and name different clients, one of them may be invented, so neither counts: the proxy itself is
taken.

Addresses are personal data: nothing here logs one.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from server.gateway.connection import Headers

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_SCHEMES = ("http", "https")
_MOST_HOPS = 32
_IPV6_BITS = 64
"""A household or a server gets a whole /64 at least, so a limit for one address of it would limit nobody."""


def read_address(text: str) -> Address | None:
    """An address with or without a port; None if it is none. An IPv4 address in IPv6 clothes is the IPv4 address."""
    text = text.strip()
    if text.startswith("["):
        text, bracket, port = text[1:].partition("]")
        port = port.removeprefix(":") if bracket else "missing"
    elif text.count(":") == 1:
        text, _, port = text.partition(":")
    else:
        port = ""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if port and not (port.isascii() and port.isdecimal()):
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


class Addresses:
    """Who the client is, given the networks of the proxies that are believed.

    In every call ``peer`` is the address at the other end of the wire, None for a local socket. Whatever the headers hold,
    nothing raises.
    """

    def __init__(self, trusted: Sequence[Network] = ()) -> None:
        self._trusted = tuple(trusted)

    def of(self, headers: Headers, peer: str | None) -> str:
        """What limits are counted by: an IPv4 address, the /64 of an IPv6 address, or ``local`` for a client without one."""
        address = self.client(headers, peer)
        if isinstance(address, IPv6Address):
            return str(IPv6Network((int(address) >> _IPV6_BITS << _IPV6_BITS, _IPV6_BITS)))
        return str(address or "local")

    def client(self, headers: Headers, peer: str | None) -> Address | None:
        """The client's address, if it has one."""
        nearest = read_address(peer) if peer else None
        if nearest is None or not self._is_trusted(nearest):
            return nearest
        chains = [_parameters(headers.get_all("forwarded"), "for"), _items(headers.get_all("x-forwarded-for"))]
        clients = {self._walk(nearest, chain) for chain in chains if chain}
        return clients.pop() if len(clients) == 1 else nearest

    def scheme(self, headers: Headers, scheme: str, peer: str | None) -> str:
        """``scheme``, or the one that a trusted peer says the client spoke.

        The outermost word counts: proxies behind one another speak plain http, and a page cannot write these headers.
        """
        nearest = read_address(peer) if peer else None
        if nearest is None or not self._is_trusted(nearest):
            return scheme
        said = [*_items(headers.get_all("x-forwarded-proto")), *_parameters(headers.get_all("forwarded"), "proto")]
        outermost = said[0].lower() if said else ""
        return outermost if outermost in _SCHEMES else scheme

    def _is_trusted(self, address: Address) -> bool:
        return any(address in network for network in self._trusted)

    def _walk(self, nearest: Address, hops: Sequence[str]) -> Address:
        """From the nearest hop outwards, to the first that is not trusted or that cannot be read."""
        client = nearest
        for hop in reversed(hops[-_MOST_HOPS:]):
            address = read_address(hop)
            if address is None:
                return client
            client = address
            if not self._is_trusted(address):
                return client
        return client


def _items(lines: Sequence[str]) -> list[str]:
    """The items of a header that is a plain list, outermost first."""
    return [item.strip() for line in lines for item in line.split(",")]


def _parameters(lines: Sequence[str], name: str) -> list[str]:
    """The parameter ``name`` of each hop, outermost first; "" for a hop that has none, or that cannot be read."""
    return [_parameter(element, name) for line in lines for element in _split(line, ",")]


def _parameter(element: str, name: str) -> str:
    for pair in _split(element, ";"):
        key, _, value = pair.partition("=")
        if key.strip().lower() == name:
            return _unquoted(value.strip())
    return ""


def _split(text: str, separator: str) -> list[str]:
    """The parts of ``text`` between separators that are not within quotes; nothing readable if a quote is left open.

    A client that leaves one open would otherwise turn what the proxy quotes after it inside out.
    """
    parts, start, is_quoted, is_escaped = [], 0, False, False
    for at, char in enumerate(text):
        if is_escaped:
            is_escaped = False
        elif is_quoted and char == "\\":
            is_escaped = True
        elif char == '"':
            is_quoted = not is_quoted
        elif char == separator and not is_quoted:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [""] if is_quoted else parts


def _unquoted(value: str) -> str:
    """A token as it is, a quoted string without its quotes. No address needs an escape, so they are left to fail."""
    is_quoted = len(value) > 1 and value[0] == value[-1] == '"'
    return value[1:-1] if is_quoted else value
