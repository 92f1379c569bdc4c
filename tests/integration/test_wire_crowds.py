"""Many at one table, or at many: those who vanish, do not read, come and go all the time, or hang up in mid-request."""

import asyncio
import json
import random
from collections.abc import Sequence
from urllib.parse import urlsplit

from server.gateway.transport import Bounds
from tests.integration.served import Opens, Served, Timed
from tests.integration.transport_rig import CLOSE, frame
from tests.integration.wire_kit import PATIENCE_S, RawSocket, handshake, play_turns, playing, roll, waiting, write_best
from tests.outside.player import Guest, Message, Player, create_table
from tests.outside.scripts import best_box

WATCHERS = 50
EVENTS = 1_000
READS = 2_000
TABLES = 20
MANY = 5_000


async def test_a_client_that_vanished_is_told_as_gone_and_delays_nobody(timing: Opens) -> None:
    """Within two pings, which are ten seconds apart in earnest (``Bounds``) and half a second here."""
    timed = await timing(bounds=Bounds(ping_s=0.5))
    ana, ben, carla = await waiting(timed.base, 3)
    await ana.drop()
    silent = await RawSocket.open(ana)
    await silent.hear("welcome")
    await ben.until(lambda view: view["table"]["seats"][0]["connected"])
    mark = len(ben.received)
    for _ in range(20):
        await carla.do({"type": "ping", "t": 1})
    for player in (ben, carla):
        await player.until(lambda view: not view["table"]["seats"][0]["connected"])
    told = [message for message in ben.received[mark:] if message["type"] == "presence"]
    assert [message["seats"]["0"]["connected"] for message in told] == [False]


def test_a_vanished_client_is_noticed_within_thirty_seconds_in_earnest() -> None:
    assert 2 * Bounds().ping_s < 30


async def test_a_watcher_who_never_reads_delays_nobody_is_closed_and_comes_back_with_since(timing: Opens) -> None:
    """The buffers of the system are small here, so that it takes hundreds of messages and not thousands to fill them."""
    timed = await timing(bounds=Bounds(kernel_bytes=4096, high_water_bytes=4096))
    players = await playing(timed.base, 3)
    ana = players[0]
    await roll(ana)
    known = ana.view["n"], ana.view["table"]["match"], ana.view["h"]
    stuck = await RawSocket.open(Player(timed.base, ana.code), receive_buffer=1024)
    await stuck.hear("welcome")
    await ana.until(lambda view: view.get("watching") == 1)
    stuck.writer.transport.pause_reading()  # type: ignore[attr-defined]
    waits: list[float] = []
    loop = asyncio.get_running_loop()
    while ana.view["watching"]:
        since = loop.time()
        await ana.do({"type": "hold", "held": [len(waits) % 5]})
        waits.append(loop.time() - since)
        assert len(waits) < MANY
    assert sorted(waits)[len(waits) * 95 // 100] < 0.2
    stuck.writer.transport.resume_reading()  # type: ignore[attr-defined]
    assert await stuck.read_code() == 4008
    await write_best(ana)
    await play_turns(players, 1)
    back = await Player(timed.base, ana.code).connect(since=known)
    assert [event["event"]["type"] for event in back.received[0]["events"]] == ["scored", "rolled", "scored"]


class Steady:
    """A seat that plays three rolls a turn and notes the number of every event; it looks at nothing else."""

    def __init__(self, player: Player, socket: RawSocket) -> None:
        self.seat, self.socket = player.seat, socket
        self.numbers: list[int] = []

    @classmethod
    async def take_over(cls, player: Player) -> "Steady":
        """Go on for a player whose match has begun."""
        steady = cls(player, await RawSocket.open(player))
        await steady.socket.hear("welcome")
        await player.drop()
        return steady

    def act(self, turn: Message, n: int) -> None:
        """Roll or write, if it is this seat's turn."""
        if turn["seat"] == self.seat:
            what = best_box(turn) if turn["roll"] == 3 else {"type": "roll", "held": []}
            self.socket.send(json.dumps({**what, "expect": n}).encode())

    async def play(self) -> None:
        """Until the match is over."""
        while True:
            message = await self.socket.next(lambda message: message["type"] in ("event", "error"))
            assert message["type"] == "event", message
            self.numbers.append(message["n"])
            if message["event"]["type"] == "finished":
                return
            if "turn" in message:
                self.act(message["turn"], message["n"])


class Watcher(asyncio.Protocol):
    """A connection without a session that looks at ``events`` events, then goes; it reads no closer, to be one of many."""

    def __init__(self, code: str, events: int, *, is_polite: bool) -> None:
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._code, self._left, self._is_polite = code, events, is_polite
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]
        self._transport.write(handshake(f"/ws/tables/{self._code}", "cubilete.test"))

    def data_received(self, data: bytes) -> None:
        if self._left >= 0:
            self._left -= data.count(b'{"type":"event"')
            if self._left < 0:
                self.go()

    def go(self) -> None:
        """With a close frame, whose answer ends the connection, or without a word."""
        if self._is_polite:
            self._transport.write(frame(b"\x03\xe8", CLOSE))
        else:
            self.drop()

    def drop(self) -> None:
        """Without a word."""
        self._transport.abort()

    def connection_lost(self, _: Exception | None) -> None:
        self.gone.set_result(None)


class Crowd:
    """Watchers of one table, of whom another one comes whenever one goes, while ``is_open``."""

    def __init__(self, base: str, code: str, size: int) -> None:
        self.came = 0
        self.is_open = True
        url = urlsplit(base)
        self._at, self._code = (str(url.hostname), int(url.port or 0)), code
        self._here: set[Watcher] = set()
        self._places = [asyncio.create_task(self._place(random.Random(seed))) for seed in range(size)]

    async def _place(self, chance: random.Random) -> None:
        while self.is_open:
            watcher = await self._arrive(Watcher(self._code, chance.randrange(250), is_polite=chance.random() < 0.5))
            self._here.add(watcher)
            if not self.is_open:
                watcher.drop()
            await watcher.gone
            self._here.remove(watcher)

    async def _arrive(self, watcher: Watcher) -> Watcher:
        await asyncio.get_running_loop().create_connection(lambda: watcher, *self._at)
        self.came += 1
        return watcher

    async def close(self) -> None:
        """Let everybody go."""
        self.is_open = False
        for watcher in self._here:
            watcher.drop()
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*self._places)


async def test_watchers_come_and_go_while_four_players_get_every_one_of_a_thousand_events_in_order(timed: Timed) -> None:
    numbers: list[int] = []
    for _ in range(2):
        players = await playing(timed.base, 4, sheet="triple")
        steady = [await Steady.take_over(player) for player in players]
        crowd = Crowd(timed.base, players[0].code, WATCHERS)
        for each in steady:
            each.act(players[0].turn, players[0].view["n"])
        await asyncio.gather(*(each.play() for each in steady))
        await crowd.close()
        assert crowd.came > 2 * WATCHERS
        last = steady[0].numbers[-1]
        assert [each.numbers for each in steady] == [list(range(3, last + 1))] * 4
        numbers += steady[0].numbers
    assert len(numbers) >= EVENTS


async def read_some(base: str, codes: Sequence[str], chance: random.Random, count: int) -> int:
    """Read tables at random, hanging up on a third of the reads at a moment by chance; how many were read."""
    url = urlsplit(base)
    done = 0
    for _ in range(count):
        code = chance.choice(codes)
        reader, writer = await asyncio.open_connection(url.hostname, url.port)
        writer.write(f"GET /api/tables/{code} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        if chance.random() < 1 / 3:
            for _ in range(chance.randrange(12)):
                await asyncio.sleep(0)
            writer.transport.abort()
            continue
        answer = await reader.read()
        writer.close()
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["table"]["code"] == code
        done += 1
    return done


async def test_reads_that_are_given_up_never_mix_up_answers(served: Served) -> None:
    """With the embedded store there is no connection to a store to spoil: a snapshot is read from memory or from its log."""
    ana = await Guest.arrive(served.base)
    codes = [await create_table(ana) for _ in range(TABLES)]
    done = await asyncio.gather(*(read_some(served.base, codes, random.Random(seed), READS // 10) for seed in range(10)))
    assert READS / 2 < sum(done) < READS * 4 / 5
