"""Many at one table, or at many: those who vanish, do not read, come and go all the time, or hang up in mid-request."""

import asyncio
import json
import random
from asyncio import CancelledError
from collections.abc import Sequence
from types import NoneType

import httpx

from server.gateway.transport import Bounds
from tests.integration.served import Opens, Served
from tests.integration.transport_rig import CLOSE
from tests.integration.wire_kit import RawSocket, play_turns, playing, roll, waiting, write_best
from tests.outside.player import Guest, Message, Player, create_table, http_client
from tests.outside.scripts import best_box

WATCHERS = 50
EVENTS = 1_000
READS = 600
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


async def come_and_go(base: str, codes: list[str], chance: random.Random) -> None:
    """One watcher after another: arrives, sees some events, and goes, politely or not; until there is no code left."""
    while codes:
        socket, status, _ = await RawSocket.knock(base, f"/ws/tables/{codes[-1]}")
        assert status == 101
        await socket.watch(events=chance.randrange(250))
        if chance.random() < 0.5:
            socket.send(b"\x03\xe8", CLOSE)
            await socket.watch()
        socket.drop()


async def test_watchers_come_and_go_while_four_players_get_every_one_of_a_thousand_events_in_order(served: Served) -> None:
    numbers: list[int] = []
    for _ in range(2):
        players = await playing(served.base, 4, sheet="triple")
        codes = [players[0].code]
        steady = [await Steady.take_over(player) for player in players]
        for each in steady:
            each.act(players[0].turn, players[0].view["n"])
        crowd = [asyncio.create_task(come_and_go(served.base, codes, random.Random(seed))) for seed in range(WATCHERS)]
        await asyncio.gather(*(each.play() for each in steady))
        codes.clear()
        for task in crowd:
            task.cancel()
        assert {type(gone) for gone in await asyncio.gather(*crowd, return_exceptions=True)} <= {NoneType, CancelledError}
        last = steady[0].numbers[-1]
        assert [each.numbers for each in steady] == [list(range(3, last + 1))] * 4
        numbers += steady[0].numbers
    assert len(numbers) >= EVENTS


async def read_some(http: httpx.AsyncClient, codes: Sequence[str], chance: random.Random, count: int) -> tuple[int, int]:
    """Read tables at random, giving up on a third of the reads at a moment by chance; how many were read and given up."""
    done = given_up = 0
    for _ in range(count):
        code = chance.choice(codes)
        reading = asyncio.create_task(http.get(f"/api/tables/{code}"))
        if chance.random() < 1 / 3:
            for _ in range(chance.randrange(12)):
                await asyncio.sleep(0)
            reading.cancel()
        try:
            answer = await reading
        except asyncio.CancelledError:
            given_up += 1
        else:
            assert answer.json()["table"]["code"] == code
            done += 1
    return done, given_up


async def test_reads_that_are_given_up_never_mix_up_answers(served: Served) -> None:
    """With the embedded store there is no connection to a store to spoil: a snapshot is read from memory or from its log."""
    ana = await Guest.arrive(served.base)
    codes = [await create_table(ana) for _ in range(TABLES)]
    async with http_client(served.base) as http:
        counts = await asyncio.gather(*(read_some(http, codes, random.Random(seed), READS // 10) for seed in range(10)))
    done, given_up = map(sum, zip(*counts, strict=True))
    assert done + given_up == READS
    assert given_up > READS // 20
