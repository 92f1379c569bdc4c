"""An outside player: HTTP and WebSocket as the protocol page says, checking everything while it plays.

    guest = await Guest.arrive("http://127.0.0.1:8080", "Ana")
    player = Player(guest.base, await create_table(guest, clock=45), guest)
    await player.connect()
    await player.do({"type": "sit"})
    ...
    await player.play_to_end(most_frequent)
    await player.drop()

Nothing here waits by the clock: every wait is for a message, with a time limit that tells what came instead.
"""

import asyncio
import itertools
import json
import secrets as random
from collections.abc import Callable, Mapping
from typing import Any, Literal
from urllib.parse import urlencode

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.outside import view as views
from tests.outside.sealing import Sealing, Secrets
from tests.outside.view import View
from tests.outside.witness import Lie, Witness

Message = dict[str, Any]
Policy = Callable[[Mapping[str, Any]], Message]
"""Given the turn state of a seat on turn, the command to send: a roll with what is held, or a write."""
Since = Literal["last"] | tuple[int, str | None, str | None] | None

WAIT_S = 10.0
LAST_SHOWN = 5
SUBPROTOCOL = "cubilete.v1"
OVERTAKEN = ("stale", "not_your_turn", "wrong_phase")
"""How a command is refused when the turn went on without it."""


class Refusal(Exception):
    """The server answered with an error of this ``code``."""

    def __init__(self, command: Message, answer: Message) -> None:
        super().__init__(f"{command} was answered by {answer}")
        self.code: str = answer["code"]
        self.answer = answer


class Gone(Exception):
    """The connection closed while something was still awaited; ``code`` is the close code."""

    def __init__(self, code: int, reason: str, story: str) -> None:
        super().__init__(f"closed with {code} {reason!r}\n{story}")
        self.code = code


class Guest:
    """A player as the server knows them, and what all their tabs share."""

    def __init__(self, base: str, player: Message, token: str) -> None:
        self.base, self.id, self.name, self.token = base, player["id"], player["name"], token
        self.secrets = Secrets()

    @classmethod
    async def arrive(cls, base: str, name: str | None = None) -> "Guest":
        """A new guest at the server ``base`` (http://host:port)."""
        async with http_client(base) as http:
            answer = await http.post("/api/session", json={"name": name} if name else {})
        body = accepted(answer, 201)
        return cls(base, body["player"], body["token"])

    @property
    def headers(self) -> dict[str, str]:
        """What proves who this is."""
        return {"Authorization": f"Bearer {self.token}"}

    async def call(self, method: str, path: str, body: object = None) -> httpx.Response:
        """Any HTTP call as this player."""
        async with http_client(self.base, self.headers) as http:
            return await http.request(method, path, json=body)


def http_client(base: str, headers: Mapping[str, str] | None = None) -> httpx.AsyncClient:
    """A client of one server that minds no proxies of the machine it runs on."""
    return httpx.AsyncClient(base_url=base, headers=headers, timeout=WAIT_S, trust_env=False, verify=base.startswith("https"))


def accepted(answer: httpx.Response, *statuses: int) -> Any:
    """The body of an answer that has one of these statuses (200 and 201 if none is named)."""
    wanted = statuses or (200, 201)
    assert answer.status_code in wanted, f"{answer.request.method} {answer.url}: {answer.status_code} {answer.text[:500]}"
    return answer.json()


async def create_table(guest: Guest, **settings: Any) -> str:
    """The code of a new table; ``sheet`` is generala and the table private unless told otherwise."""
    body = {"sheet": "generala", "visibility": "private", **settings}
    code = accepted(await guest.call("POST", "/api/tables", body), 201)["code"]
    assert isinstance(code, str)
    return code


class Player:
    """One connection to one table, as a player or (``guest`` None) as a watcher.

    ``received`` holds every message of every connection made, in order; ``view`` is the table as reduced from them. With
    ``seals`` false the seal is left to the test. A lie of the server ends the reading; whoever waits then gets it raised.
    """

    def __init__(self, base: str, code: str, guest: Guest | None = None, *, seals: bool = True) -> None:
        self.base, self.code, self.guest, self.seals = base, code, guest, seals
        self.view: View = {}
        self.received: list[Message] = []
        self.witness = Witness()
        self.sealing = Sealing(guest.id if guest else None, guest.secrets if guest else Secrets())
        self.closed: tuple[int, str] | None = None
        self.fault: Exception | None = None
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._changed = asyncio.Condition()
        self._asked: dict[str, asyncio.Future[Message]] = {}
        self._ids = (f"{prefix}-{number}" for prefix in [random.token_hex(4)] for number in itertools.count(1))

    # Connecting

    async def connect(self, since: Since = None, **query: str) -> "Player":
        """Connect and wait for ``welcome``. ``since`` "last" asks for what was missed since this player's last event."""
        if self.closed:
            await self.drop()
        assert self._reader is None, "already connected"
        self.closed = None
        mark = len(self.received)
        self._socket = await connect(
            self._address(since, query),
            additional_headers=self.guest.headers if self.guest else {},
            subprotocols=[SUBPROTOCOL],  # type: ignore[list-item]
            compression=None,
            proxy=None,
            open_timeout=WAIT_S,
            close_timeout=WAIT_S,
        )
        self._reader = asyncio.create_task(self._read(self._socket))
        await self.hear("welcome", after=mark)
        return self

    def _address(self, since: Since, query: Mapping[str, str]) -> str:
        found: dict[str, Any] = dict(query)
        if since == "last" and self.witness.n is not None:
            since = (self.witness.n, self.witness.match.hex(), self.witness.h)
        if isinstance(since, tuple):
            names = ("since", "match", "h")
            found |= {name: value for name, value in zip(names, since, strict=True) if value is not None}
        asked = f"?{urlencode(found)}" if found else ""
        return f"ws{self.base.removeprefix('http')}/ws/tables/{self.code}{asked}"

    async def drop(self) -> None:
        """Close the connection, if there is one; the view and all that was received stay."""
        if self._socket and self._reader:
            await self._socket.close()
            await self._reader
        self._socket = self._reader = None

    async def cut(self) -> None:
        """Break the connection as a lost network does: no closing handshake."""
        if self._socket and self._reader:
            self._socket.transport.abort()
            await self._reader
        self._socket = self._reader = None

    async def __aenter__(self) -> "Player":
        return self if self._reader else await self.connect()

    async def __aexit__(self, *_: object) -> None:
        await self.drop()

    # Reading

    async def _read(self, socket: ClientConnection) -> None:
        try:
            async for frame in socket:
                await self._take(frame)
        except ConnectionClosed:
            pass
        except Exception as error:
            self.fault = error  # it belongs to those who wait
            socket.transport.abort()
        self.closed = (socket.close_code or 1006, socket.close_reason or "")
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(self.fault or self._gone())
        self._asked.clear()
        async with self._changed:
            self._changed.notify_all()

    async def _take(self, frame: str | bytes) -> None:
        message: Message = json.loads(frame)
        self.received.append(message)
        reply = self._meet(message)
        self.view = views.reduce(self.view, message)
        if reply and self.seals:
            await self.send(reply)
        answer = self._asked.pop(message["ref"], None) if "ref" in message else None
        if answer and not answer.done():
            answer.set_result(message)
        async with self._changed:
            self._changed.notify_all()

    def _meet(self, message: Message) -> Mapping[str, Any] | None:
        """Check a message that tells of the match; what the seal wants sent in return."""
        if message["type"] == "welcome":
            self.witness.welcome(message)
            turn, key = self.witness.checked
            if self.witness.is_ahead and turn:
                return {"type": "seen", "turn": turn, "key": key.hex()}
            return self.sealing.at_welcome(message["table"])
        if message["type"] != "event":
            return None
        if "ref" in message and list(message)[-1] != "ref":
            raise Lie(f"ref is not the last field of {message}")
        event = message["event"]
        self.witness.event(message)
        if event["type"] == "sealed":
            return self.sealing.at_sealed(event, self.view["table"])
        if event["type"] == "committed":
            return self.sealing.at_committed(event)
        if event["type"] == "opened":
            self.sealing.at_opened(event)
        return None

    # Waiting

    async def until(self, holds: Callable[[View], Any], *, wait_s: float = WAIT_S, what: str = "a view") -> View:
        """The view, once ``holds`` of it is true. Raises TimeoutError, ``Gone`` (both with a story) or what the reader met."""

        def is_so() -> bool:
            if self.fault:
                raise self.fault
            return bool(self.view and holds(self.view)) or self._fail_if_gone()

        await self._wait(is_so, wait_s, what)
        return self.view

    async def hear(
        self, kind: str | Callable[[Message], Any], *, after: int = 0, wait_s: float = WAIT_S, what: str | None = None
    ) -> Message:
        """The first message from index ``after`` of ``received`` on that is of this type, or for which ``kind`` is true."""
        matches = (lambda message: message["type"] == kind) if isinstance(kind, str) else kind
        place = after
        heard: list[Message] = []

        def is_heard() -> bool:
            nonlocal place
            heard.extend(message for message in self.received[place:] if matches(message))
            place = len(self.received)
            if self.fault and not heard:
                raise self.fault
            return bool(heard) or self._fail_if_gone()

        await self._wait(is_heard, wait_s, what or f"a message {kind}")
        return heard[0]

    async def wait_closed(self, wait_s: float = WAIT_S) -> int:
        """The close code, once the server closed this connection."""
        await self._wait(lambda: self.closed is not None, wait_s, "the close")
        await self.drop()
        assert self.closed
        return self.closed[0]

    async def _wait(self, is_so: Callable[[], bool], wait_s: float, what: str) -> None:
        try:
            async with self._changed, asyncio.timeout(wait_s):
                await self._changed.wait_for(is_so)
        except TimeoutError:
            raise TimeoutError(f"no {what} within {wait_s} s\n{self.story()}") from None

    def _fail_if_gone(self) -> bool:
        if self.closed:
            raise self._gone()
        return False

    def _gone(self) -> Gone:
        code, reason = self.closed or (1006, "never connected")
        return Gone(code, reason, self.story())

    def story(self) -> str:
        """Who this is, where the table stands, and the last messages: for the text of a failure."""
        table = self.view.get("table", {})
        who = f"{self.guest.name} ({self.guest.id})" if self.guest else "a watcher"
        where = f"phase {table.get('phase')}, n {self.view.get('n')}, turn {table.get('turn')}"
        last = "\n".join(f"  {json.dumps(message)[:600]}" for message in self.received[-LAST_SHOWN:])
        return f"{who} at {self.code}, seat {self.seat}: {where}\n{last}"

    # Acting

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send a message, and wait for no answer."""
        assert self._socket, "not connected"
        await self._socket.send(json.dumps(message))

    async def ask(self, message: Message, *, wait_s: float = WAIT_S) -> Message:
        """Send a command and return what answers it: the event it caused, another message with its ``ref``, or an error."""
        command = message if "id" in message else {**message, "id": next(self._ids)}
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._asked[command["id"]] = answer
        try:
            await self.send(command)
            async with asyncio.timeout(wait_s):
                return await answer
        except TimeoutError:
            raise TimeoutError(f"no answer to {command} within {wait_s} s\n{self.story()}") from None
        except ConnectionClosed:
            raise self._gone() from None
        finally:
            self._asked.pop(command["id"], None)

    async def do(self, message: Message, *, wait_s: float = WAIT_S) -> Message:
        """``ask``, but an error raises ``Refusal``."""
        answer = await self.ask(message, wait_s=wait_s)
        if answer["type"] == "error":
            raise Refusal(message, answer)
        return answer

    async def refused(self, message: Message) -> str:
        """The code of the error that answers a command which must not go through."""
        answer = await self.ask(message)
        assert answer["type"] == "error", f"{message} went through: {answer}"
        code = answer["code"]
        assert isinstance(code, str)
        return code

    # Playing

    @property
    def seat(self) -> int | None:
        """This player's seat, or None."""
        return views.seat_of(self.view, self.guest.id) if self.guest and self.view else None

    @property
    def turn(self) -> dict[str, Any]:
        """The turn state; empty when there is none."""
        return self.view.get("table", {}).get("turn") or {}

    @property
    def is_on_turn(self) -> bool:
        """Whether it is for this player to move."""
        seat = self.seat
        has_left = any(place.get("left") for place in self.view["table"]["seats"] if place["seat"] == seat)
        return seat is not None and not has_left and self.turn.get("seat") == seat and not self.is_finished

    @property
    def is_finished(self) -> bool:
        """Whether the match has ended."""
        return bool(self.view) and self.view["table"]["phase"] == "finished"

    async def act(self, command: Message) -> bool:
        """Send a roll or a write with the ``expect`` of what is seen now; False if the table had moved on before it arrived."""
        seen = self.view["n"]
        try:
            await self.do({**command, "expect": seen})
        except Refusal as refusal:
            if refusal.code not in OVERTAKEN:
                raise
            await self.until(lambda view: view["n"] > seen, what=f"event that made {command} {refusal.code}")
            return False
        return True

    async def play_turn(self, policy: Policy) -> None:
        """Play this player's turn up to its write, or until it was played for them."""
        number = self.turn["turn"]
        while self.is_on_turn and self.turn["turn"] == number:
            await self.act(policy(self.turn))

    async def play_to_end(self, policy: Policy, *, wait_s: float = 60.0) -> View:
        """Play every turn of this player until the match is over; ``wait_s`` is how long the others may take between turns."""
        while not self.is_finished:
            await self.until(lambda _: self.is_on_turn or self.is_finished, wait_s=wait_s, what="turn of mine")
            if self.is_on_turn:
                await self.play_turn(policy)
        return self.view
