"""Short ways for tests over the wire: tables under way, everybody up to date, and sockets that say what no library would."""

import asyncio
import json
import socket
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from tests.integration.transport_rig import CLOSE, PING, PONG, TEXT, frame
from tests.outside.player import Guest, Message, Player, create_table, http_client
from tests.outside.scripts import best_box, first_roll, play, seat_players, sit, start
from tests.outside.view import View

PATIENCE_S = 30
ROLL = {"type": "roll", "held": []}


async def playing(base: str, count: int = 2, **settings: Any) -> list[Player]:
    """People whose match has begun, in turn order, the one on turn first (bots left out)."""
    players = await seat_players(base, count, **settings)
    await start(players)
    return by_turn(players)


def by_turn(players: Sequence[Player]) -> list[Player]:
    """The players in turn order, from the seat on turn on."""
    table = players[0].view["table"]
    order = table["order"]
    first = order.index(table["turn"]["seat"])
    seats = {player.seat: player for player in players}
    return [seats[seat] for seat in (*order[first:], *order[:first]) if seat in seats]


async def finished(base: str, count: int = 2, **settings: Any) -> list[Player]:
    """People whose match has just ended, with one roll a turn."""
    players = await playing(base, count, **settings)
    await play(players, first_roll)
    return players


async def join(player: Player, *, seals: bool = True) -> Player:
    """Somebody new who watches the table of ``player``."""
    guest = await Guest.arrive(player.base)
    return await Player(player.base, player.code, guest, seals=seals).connect()


async def tab(player: Player) -> Player:
    """Another connection of the same player, or of somebody else without a session."""
    return await Player(player.base, player.code, player.guest).connect()


async def fresh(player: Player) -> View:
    """What a new connection of the same player is shown."""
    async with Player(player.base, player.code, player.guest, seals=False) as new:
        return new.view


async def up_to_date(players: Iterable[Player]) -> None:
    """Wait until each has received all that was sent to it so far."""
    await asyncio.gather(*(player.do({"type": "ping", "t": 0}) for player in players))


async def roll(player: Player, *held: int, **more: Any) -> Message:
    """Roll; the event."""
    return await player.do({"type": "roll", "held": list(held), "expect": player.view["n"], **more})


async def write_best(player: Player, **more: Any) -> Message:
    """Write the box that pays most; the event."""
    return await player.do({**best_box(player.turn), "expect": player.view["n"], **more})


async def play_turns(players: Sequence[Player], count: int) -> None:
    """Whoever is on turn rolls once and writes, ``count`` times; then everybody knows."""
    for _ in range(count):
        await up_to_date(players)
        player = next(player for player in players if player.is_on_turn)
        await roll(player)
        await write_best(player)
    await up_to_date(players)


def kinds(player: Player) -> list[str]:
    """The types of the events this player was shown, in order."""
    return [message["event"]["type"] for message in player.received if message["type"] == "event"]


def events(player: Player, kind: str) -> list[Message]:
    """The events of one type this player was shown, in order."""
    shown = (message["event"] for message in player.received if message["type"] == "event")
    return [event for event in shown if event["type"] == kind]


def texts(player: Player, after: int = 0) -> list[str]:
    """What this player was sent from a place on, message by message, without the references."""
    return [json.dumps({**message, "ref": None}, sort_keys=True) for message in player.received[after:]]


async def get(base: str, path: str, guest: Guest | None = None) -> httpx.Response:
    """Any HTTP read."""
    async with http_client(base, guest.headers if guest else None) as http:
        return await http.get(path)


async def new_table(base: str, **settings: Any) -> Player:
    """A guest who made a table and looks at it, without sitting."""
    guest = await Guest.arrive(base, "Ana")
    return await Player(base, await create_table(guest, **settings), guest).connect()


async def waiting(base: str, count: int = 2, **settings: Any) -> list[Player]:
    """People who sit and wait; the first is the creator."""
    return await seat_players(base, count, **settings)


async def newcomer(player: Player) -> Player:
    """Somebody new who sits down at the table of ``player``."""
    new = await join(player)
    await sit(new)
    return new


def handshake(path: str, host: str, more: Mapping[str, str] | None = None) -> bytes:
    """A request to open a WebSocket."""
    asked = {
        "host": host,
        "upgrade": "websocket",
        "connection": "Upgrade",
        "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "sec-websocket-version": "13",
        **(more or {}),
    }
    lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in asked.items()), "", ""]
    return "\r\n".join(lines).encode("latin-1")


class RawSocket:
    """A connection to a table, frame by frame. Nothing is answered unless the test does."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def knock(
        cls, base: str, path: str, receive_buffer: int | None = None, **headers: str
    ) -> tuple[Self, int, dict[str, str]]:
        """A handshake (``headers`` with underscores): the socket, the status and the headers of the answer."""
        url = urlsplit(base)
        wire = socket.socket()
        if receive_buffer is not None:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        wire.setblocking(False)
        await asyncio.get_running_loop().sock_connect(wire, (url.hostname, url.port))
        knocking = cls(*await asyncio.open_connection(sock=wire))
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        knocking.writer.write(handshake(path, url.netloc, named))
        first, *rest = (await knocking._wait(knocking.reader.readuntil(b"\r\n\r\n"))).decode("latin-1").split("\r\n")
        answer = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        return knocking, int(first.split()[1]), answer

    @classmethod
    async def open(cls, player: Player, receive_buffer: int | None = None) -> Self:
        """A further connection of the same player to the same table."""
        headers = player.guest.headers if player.guest else {}
        opened, status, _ = await cls.knock(player.base, f"/ws/tables/{player.code}", receive_buffer, **headers)
        assert status == 101
        return opened

    def send(self, payload: bytes, opcode: int = TEXT) -> None:
        """Send one whole frame."""
        self.writer.write(frame(payload, opcode))

    async def read(self) -> tuple[int, bytes]:
        """The next frame: opcode and payload."""
        first, second = await self._exactly(2)
        length = second
        if second == 126:
            (length,) = struct.unpack("!H", await self._exactly(2))
        elif second == 127:
            (length,) = struct.unpack("!Q", await self._exactly(8))
        return first & 15, await self._exactly(length)

    async def hear(self, kind: str) -> Message:
        """The next message of a type."""
        return await self.next(lambda message: message["type"] == kind)

    async def next(self, fits: Callable[[Message], bool]) -> Message:
        """The next message that fits; pings are answered, everything else is passed over."""
        while True:
            opcode, payload = await self.read()
            assert opcode != CLOSE, payload
            if opcode == PING:
                self.send(payload, PONG)
            elif opcode == TEXT:
                message: Message = json.loads(payload)
                if fits(message):
                    return message

    async def ask(self, message: Message) -> Message:
        """Send a command that has an id; what answers it."""
        self.send(json.dumps(message).encode())
        return await self.next(lambda answer: answer.get("ref") == message["id"])

    async def read_code(self) -> int:
        """The code of the close frame that comes, whatever comes before it."""
        opcode, payload = await self.read()
        while opcode != CLOSE:
            opcode, payload = await self.read()
        return int.from_bytes(payload[:2])

    def drop(self) -> None:
        """Break the connection without a word."""
        self.writer.transport.abort()

    async def _exactly(self, size: int) -> bytes:
        return await self._wait(self.reader.readexactly(size))

    async def _wait(self, reading: Any) -> Any:
        async with asyncio.timeout(PATIENCE_S):
            return await reading

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.drop()
