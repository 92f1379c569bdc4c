"""The socket of a table: who may open one, and what becomes of each frame that comes in (protocol.md, WebSocket).

A connection is let in at once and joins its table when that is loaded; frames that come before wait in a short queue.
"""

import re
from collections import deque
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl

import structlog

from server.accounts.sessions import presented_token
from server.errors import BadMessage, Refused
from server.gateway.connection import Connection, HandlerFactory, Rejection, Upgrade
from server.gateway.means import Gate
from server.match.codes import read_code
from server.match.events import Code, PlayerId
from server.protocol.closing import FLOODING, INTERNAL_ERROR, NO_SUCH_TABLE, RESTARTING, SESSION_INVALID
from server.protocol.incoming import Hint, Incoming, Say, id_of, parse
from server.protocol.outgoing import Error, encode, encode_plain, with_ref
from server.tables.live import LiveTable
from server.tables.ports import StoreUnavailable
from server.tables.service import UnknownTable
from server.tables.telling import Since

_PATH = re.compile(r"/ws/tables/([^/]{1,40})")
_SINCE = re.compile(r"[0-9]{1,9}")
EARLY_FRAMES = 64
"""More than a burst may hold before the table is there is a flood."""

log = structlog.get_logger(__name__)


class Asked(NamedTuple):
    """What a connection was opened for."""

    code: Code | None
    token: str | None
    ticket: str | None
    since: Since | None
    address: str


class TableEndpoint:
    """Decides about upgrades, and knows the sockets that are open."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def accept(self, request: Upgrade) -> HandlerFactory | Rejection:
        """Let in whoever asks for a table from an own page or from no page at all."""
        path = _PATH.fullmatch(request.path)
        if path is None:
            return _rejection(404, "unknown", "There is no socket here.")
        if not self._gate.origins.allows(request.headers, request.scheme, request.peer):
            return _rejection(403, "forbidden", "This page may not open a connection here.")
        address = self._gate.addresses.of(request.headers, request.peer)
        code = read_code(path[1])
        token = presented_token(request.headers.get("authorization"), request.headers.get("cookie"))
        wait_s = self._gate.limits.wait_s("unknown_codes", address)
        if wait_s and not self._sits_there(token, code):
            return _rejection(429, "too_many", "Too many unknown codes; wait a little.", {"Retry-After": str(wait_s)})
        query = dict(parse_qsl(request.query))
        asked = Asked(
            code=code,
            token=token,
            ticket=query.get("ticket"),
            since=read_since(query),
            address=address,
        )
        return lambda connection: TableSocket(self._gate, connection, asked)

    def _sits_there(self, token: str | None, code: Code | None) -> bool:
        """Whoever plays at the table is let in again, however many wrong codes came from the same network."""
        session = None if token is None else self._gate.sessions.read(token)
        return session is not None and code is not None and code in self._gate.log.tables_of(session.player)


class TableSocket:
    """One connection to one table; the ``Viewer`` that the table sees, and the ``Handler`` that the wire tells."""

    __slots__ = ("_asked", "_connection", "_early", "_gate", "_is_closed", "_live", "_rate", "player")

    def __init__(self, gate: Gate, connection: Connection, asked: Asked) -> None:
        self._gate = gate
        self._connection = connection
        self._asked: Asked | None = asked
        self._rate = gate.limits.messages()
        self._early: deque[tuple[Incoming, int]] | None = deque()
        self._live: LiveTable | None = None
        self._is_closed = False
        self.player: PlayerId | None = None

    # --- the table's side ---

    def send(self, message: bytes) -> None:
        """Send one message."""
        self._connection.send(message)

    def close(self, code: int, reason: str) -> None:
        """Hang up."""
        self._connection.close(code, reason)

    # --- the wire's side ---

    def opened(self) -> None:
        """The handshake is done: find the table."""
        self._gate.tables.spawn(self._join())

    def received(self, message: bytes) -> None:
        """A text frame: read it, or say what is wrong with it."""
        now_ms = self._gate.clock.now_ms()
        if not self._may_send(message, now_ms):
            return
        try:
            read = parse(message)
        except BadMessage as error:
            self._refuse(Refused("bad_message", str(error)), id_of(message))
            return
        if not self._is_within_limits(read, now_ms):
            self._refuse(Refused("too_fast", "That was too often; wait a few seconds."), read.id)
        elif self._live is not None:
            self._gate.tables.receive(self._live, self, read, now_ms)
        elif self._early is not None and len(self._early) < EARLY_FRAMES:
            self._early.append((read, now_ms))
        else:
            self._refuse(Refused("too_fast", "Wait for the welcome."), read.id)

    def received_binary(self) -> None:
        """Nothing here is binary."""
        if self._may_send(b"", self._gate.clock.now_ms()):
            self._refuse(Refused("bad_message", "Messages are JSON text."), None)

    def closed(self, code: int) -> None:  # noqa: ARG002
        """The connection is gone."""
        self._is_closed = True
        if self._live is not None:
            self._gate.tables.part(self._live, self)

    # --- joining ---

    async def _join(self) -> None:
        asked = self._asked
        assert asked is not None
        self._asked = None
        try:
            if not await self._identify(asked):
                self.close(SESSION_INVALID, "the session is not valid")
                return
            if asked.code is None:
                raise UnknownTable
            live = await self._gate.tables.join(asked.code, self, asked.since)
        except UnknownTable:
            self._gate.limits.take("unknown_codes", asked.address)
            self.close(NO_SUCH_TABLE, "no such table")
        except StoreUnavailable:
            self.close(RESTARTING, "try again")
        except Exception:
            log.exception("join_failed", table=asked.code)
            self.close(INTERNAL_ERROR, "something went wrong on our side")
        else:
            self._joined(live)

    async def _identify(self, asked: Asked) -> bool:
        """Find out who this is; False if a session was presented that is no good."""
        if asked.token is None and asked.ticket is None:
            return True
        if asked.token is not None:
            session = self._gate.sessions.read(asked.token)
        else:
            session = await self._gate.tickets.take(asked.ticket or "")
        if session is None or await self._gate.guests.get(session.player) is None:
            return False
        self.player = session.player
        return True

    def _joined(self, live: LiveTable) -> None:
        self._live = live
        if self._is_closed:
            self._gate.tables.part(live, self)
            return
        early, self._early = self._early, None
        for message, stamp_ms in early or ():
            self._gate.tables.receive(live, self, message, stamp_ms)

    # --- refusing ---

    def _may_send(self, message: bytes, now_ms: int) -> bool:
        if self._rate.take(now_ms):
            return True
        if self._rate.is_flooding:
            self.close(FLOODING, "far too many messages")
        else:
            self._refuse(Refused("too_fast", "Too many messages a second; slow down."), id_of(message))
        return False

    def _is_within_limits(self, message: Incoming, now_ms: int) -> bool:
        """Phrases and hints are limited by player, whatever connection they come through."""
        limit = self._gate.phrases if isinstance(message, Say) else self._gate.hints if isinstance(message, Hint) else None
        return limit is None or self.player is None or not limit.take(self.player, now_ms)

    def _refuse(self, refused: Refused, ref: str | None) -> None:
        self.send(with_ref(encode(Error(code=refused.code, message=refused.message)), ref))


def read_since(query: Mapping[str, str]) -> Since | None:
    """The last event a client says it has; None if that is not said in full."""
    n, match, head = query.get("since", ""), query.get("match"), query.get("h")
    if not _SINCE.fullmatch(n) or match is None or head is None:
        return None
    return Since(int(n), match, head)


def _rejection(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> Rejection:
    body = encode_plain({"error": {"code": code, "message": message}})
    return Rejection(status, body, {"Content-Type": "application/json", **(headers or {})})
