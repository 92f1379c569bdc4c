"""Which pages may act for a player whose cookie the browser adds by itself, and how this server is addressed.

A browser says in ``Origin`` which page asks; other programs say nothing, and other pages cannot make them speak. An origin is
compared whole: scheme, host and port. What holds for opening a socket holds for a POST that relies on the cookie.
"""

import re
from collections.abc import Iterable

from server.gateway.address import Addresses
from server.gateway.connection import Headers

_ORIGIN = re.compile(r"(https?)://([^\s/?#@:\[\]]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?")
_USUAL_PORT = {"http": 80, "https": 443}


def read_origin(text: str) -> str | None:
    """An origin in its one spelling: lower case, without the usual port. None for anything else, as ``null``."""
    found = _ORIGIN.fullmatch(text.lower())
    if found is None:
        return None
    scheme, host, port = found.groups()
    is_usual = port is None or int(port) == _USUAL_PORT[scheme]
    return f"{scheme}://{host}" if is_usual else f"{scheme}://{host}:{int(port)}"


class Origins:
    """The server's own origin, told from each request, and further ones by configuration.

    In every call ``scheme`` is that of the wire (``http`` or ``https``) and ``peer`` the address at its other end.
    """

    def __init__(self, addresses: Addresses, allowed: Iterable[str] = (), public_url: str | None = None) -> None:
        self._addresses = addresses
        self._public_url = read_origin(public_url) if public_url else None
        self._allowed = {read_origin(origin) for origin in allowed} | {self._public_url}

    def allows(self, headers: Headers, scheme: str, peer: str | None) -> bool:
        """Whether a request comes from a page of ours or of the list, or from no page at all."""
        origins = headers.get_all("origin")
        if not origins:
            return True
        origin = read_origin(origins[0])
        if origin is None or len(origins) > 1:
            return False
        return origin in self._allowed or origin == self._addressed(headers, scheme, peer)

    def own(self, headers: Headers, scheme: str, peer: str | None) -> str:
        """Where players find this server: the public URL, else as this request addressed it; "" if it did not say."""
        return self._public_url or self._addressed(headers, scheme, peer) or ""

    def scheme(self, headers: Headers, scheme: str, peer: str | None) -> str:
        """What the client speaks: ``scheme``, or what a trusted proxy says that it was spoken to in."""
        return self._addresses.scheme(headers, scheme, peer)

    def _addressed(self, headers: Headers, scheme: str, peer: str | None) -> str | None:
        hosts = headers.get_all("host")
        return read_origin(f"{self.scheme(headers, scheme, peer)}://{hosts[0]}") if len(hosts) == 1 else None
