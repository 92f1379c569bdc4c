"""People at the tables of a worker: connections that remember what they were sent, and short ways to a match."""

import asyncio
import itertools
import json
from collections.abc import Sequence
from typing import Any

from server.fairness.seal import commitment
from server.match.commands import Command, Commit, Reveal, Roll, Score, Sit, Start
from server.match.events import Code, PlayerId
from server.tables.live import LiveTable
from server.tables.service import Tables
from server.tables.talk import Remark
from server.tables.telling import Since
from tests.unit.tables.kit import form, settle

ANA, BEN, CARLA, DANI, EVA, FELA = PEOPLE = [PlayerId(name) for name in ("ana", "ben", "carla", "dani", "eva", "fela")]
Message = dict[str, Any]
_ids = (f"c{number}" for number in itertools.count(1))


class Person:
    """One connection of a player (None: somebody without a session); ``got`` is all it was sent, in order."""

    def __init__(self, tables: Tables, code: Code, player: PlayerId | None) -> None:
        self.tables, self.code, self.player = tables, code, player
        self.got: list[Message] = []
        self.closed: int | None = None
        self._live: LiveTable | None = None

    # The table's side

    def send(self, message: bytes) -> None:
        self.got.append(json.loads(message))

    def close(self, code: int, reason: str) -> None:
        assert reason
        if self.closed is None:
            self.closed = code
            asyncio.get_running_loop().call_soon(self.part)

    # The person's side

    async def join(self, since: Since | None = None) -> "Person":
        self._live = await self.tables.join(self.code, self, since)
        await settle()
        return self

    def part(self) -> None:
        if self._live is not None:
            self.tables.part(self._live, self)
        self._live = None

    async def hang_up(self) -> None:
        self.part()
        await settle()

    def send_in(self, command: Command | Remark, stamp_ms: int | None = None) -> None:
        """Let a message arrive, now or at ``stamp_ms``, and wait for nothing."""
        assert self._live is not None
        self.tables.receive(self._live, self, command, self.now_ms if stamp_ms is None else stamp_ms)

    async def do(self, command: Command | Remark, stamp_ms: int | None = None) -> Message:
        """Send in a command that has an id, and return what answers it; the last thing that does, if there are several."""
        mark = len(self.got)
        self.send_in(command, stamp_ms)
        await settle()
        answers = [message for message in self.got[mark:] if command.id is not None and message.get("ref") == command.id]
        return answers[-1] if answers else {}

    async def roll(self, *held: int, ref: str | None = None, stamp_ms: int | None = None) -> Message:
        return await self.do(Roll(held=held, expect=self.n, id=ref or next(_ids)), stamp_ms)

    async def score(self, box: str, *, stamp_ms: int | None = None) -> Message:
        return await self.do(Score(box=box, expect=self.n, id=next(_ids)), stamp_ms)

    @property
    def now_ms(self) -> int:
        return self.tables.means.clock.now_ms()

    @property
    def welcome(self) -> Message:
        return self.all_of("welcome")[-1]

    @property
    def events(self) -> list[Message]:
        """The event messages, as everybody gets them."""
        return [{name: value for name, value in each.items() if name != "ref"} for each in self.all_of("event")]

    @property
    def kinds(self) -> list[str]:
        """The types of the events."""
        return [each["event"]["type"] for each in self.events]

    @property
    def n(self) -> int:
        """The last event this person has seen."""
        numbers = [each["n"] for each in self.got if each["type"] in ("event", "welcome")]
        assert numbers[-1] is not None
        return int(numbers[-1])

    def all_of(self, kind: str) -> list[Message]:
        return [message for message in self.got if message["type"] == kind]


async def arrive(tables: Tables, code: Code, *players: PlayerId | None) -> list[Person]:
    """A connection for each of ``players``."""
    return [await Person(tables, code, player).join() for player in players]


async def sit(tables: Tables, code: Code, *players: PlayerId) -> list[Person]:
    """The players, connected and seated in this order."""
    people = await arrive(tables, code, *players)
    for person in people:
        await person.do(Sit())
    return people


async def waiting(tables: Tables, count: int = 2, **wishes: Any) -> list[Person]:
    """The first ``count`` people at a new table of the first of them."""
    bots = len(wishes.get("bots", ()))
    code = await tables.open(ANA, form(**{"seats": max(2, count + bots), **wishes}))
    return await sit(tables, code, *PEOPLE[:count])


async def seal(people: Sequence[Person]) -> None:
    """The first one starts, everybody commits and reveals."""
    await people[0].do(Start())
    await commit(people)
    await reveal(people)


async def commit(people: Sequence[Person]) -> None:
    for person in people:
        seat, match = await _seat_and_match(person)
        await person.do(Commit(commitment=commitment(match, seat, contribution(seat)).hex()))


async def reveal(people: Sequence[Person]) -> None:
    for person in people:
        seat, _ = await _seat_and_match(person)
        await person.do(Reveal(entropy=contribution(seat).hex()))


def contribution(seat: int) -> bytes:
    """What the person on a seat draws."""
    return bytes([seat + 1]) * 32


async def _seat_and_match(person: Person) -> tuple[int, bytes]:
    table = (await person.tables.get(person.code)).table
    seat = table.seat_of(person.player)
    assert seat is not None
    assert table.match is not None
    return seat, table.match.id_bytes


async def playing(tables: Tables, count: int = 2, **wishes: Any) -> list[Person]:
    """The people at a table whose match has begun: the one on turn first (a bot's turn: the creator), then in turn order."""
    people = await waiting(tables, count, **wishes)
    await seal(people)
    return await by_turn(people)


async def by_turn(people: Sequence[Person]) -> list[Person]:
    """The people of a running match, from the seat on turn on; those whose seat follows a bot's are put in turn order too."""
    table = (await people[0].tables.get(people[0].code)).table
    assert table.match is not None
    assert table.match.turn is not None
    order = table.match.order
    first = order.index(table.match.turn.seat)
    seats = {table.seat_of(person.player): person for person in people}
    return [seats[seat] for seat in (*order[first:], *order[:first]) if seat in seats]


async def finished(tables: Tables, count: int = 2, **wishes: Any) -> list[Person]:
    """The people at a table whose match has just ended, played with one roll a turn."""
    people = await playing(tables, count, **wishes)
    while people[0].kinds[-1] != "finished":
        await play_turn(people)
    return people


async def play_turn(people: Sequence[Person]) -> None:
    """Whoever is on turn rolls once and writes the box that pays most."""
    match = (await people[0].tables.get(people[0].code)).table.match
    assert match is not None
    assert match.turn is not None
    on_turn = next(person for person in people if person.player == match.seats[match.turn.seat].player)
    answer = await on_turn.roll()
    boxes = answer["turn"]["boxes"]
    await on_turn.score(min(boxes, key=lambda box: (-boxes[box], box)))
