"""Whole matches in a few lines: seats at a new table, a start, simple policies, the export and its check."""

import asyncio
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.outside.player import Guest, Message, Player, Policy, create_table, http_client
from tests.outside.verifier import verify
from tests.outside.view import View, occupied

Turn = Mapping[str, Any]


def most_frequent(turn: Turn) -> Message:
    """Hold the most frequent face (the higher of two) and roll three times; then write the box that pays most."""
    faces = turn.get("dice") or []
    counts = Counter(faces)
    best = max(counts, key=lambda face: (counts[face], face), default=0)
    held = [place for place, face in enumerate(faces) if face == best]
    if not faces or (turn["roll"] < 3 and len(held) < 5):
        return {"type": "roll", "held": held}
    return best_box(turn)


def first_roll(turn: Turn) -> Message:
    """Roll once and write the box that pays most: the shortest match."""
    return best_box(turn) if turn.get("dice") else {"type": "roll", "held": []}


def by_chance(seed: int) -> Policy:
    """Any legal thing, the same one for the same seed and the same turns."""
    chance = random.Random(seed)

    def decide(turn: Turn) -> Message:
        if not turn.get("dice"):
            return {"type": "roll", "held": []}
        if turn["roll"] < 3 and chance.random() < 0.7:
            return {"type": "roll", "held": sorted(chance.sample(range(5), chance.randrange(5)))}
        return {"type": "score", "box": chance.choice(sorted(turn["boxes"]))}

    return decide


def best_box(turn: Turn) -> Message:
    """Write the box that pays most; of several the first by name."""
    boxes: Mapping[str, int] = turn["boxes"]
    return {"type": "score", "box": min(boxes, key=lambda box: (-boxes[box], box))}


async def seat_players(base: str, count: int, **settings: Any) -> list[Player]:
    """``count`` new guests, connected and seated at a table that the first of them made with these settings."""
    guests = [await Guest.arrive(base, f"Guest {number}") for number in range(1, count + 1)]
    bots = len(settings.get("bots", ()))
    code = await create_table(guests[0], **{"seats": max(2, count + bots), **settings})
    players = [Player(base, code, guest) for guest in guests]
    for player in players:
        await player.connect()
        await sit(player)
    await players[0].until(lambda view: len(occupied(view)) == count + bots, what=f"table of {count + bots}")
    return players


async def sit(player: Player) -> int:
    """Take a free seat, unless this player has one already (a creator may be seated by creating)."""
    if player.seat is None:
        await player.send({"type": "sit"})
        await player.until(lambda _: player.seat is not None, what="seat of mine")
    assert player.seat is not None
    return player.seat


async def start(players: Sequence[Player]) -> None:
    """Let the first player, the creator, start; all seal by themselves; return when everyone sees the first turn."""
    await players[0].do({"type": "start"})
    for player in players:
        await player.until(lambda view: view["table"]["phase"] in ("playing", "finished"), what="first turn", wait_s=15)


async def play(players: Iterable[Player], policy: Policy = most_frequent, *, wait_s: float = 60.0) -> View:
    """Everyone plays by the same policy to the end; the view of one of them at the end."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(player.play_to_end(policy, wait_s=wait_s)) for player in players]
    return tasks[0].result()


async def whole_match(base: str, count: int, policy: Policy = most_frequent, **settings: Any) -> list[Player]:
    """Players at the end of a match they have just played, still connected."""
    players = await seat_players(base, count, **settings)
    await start(players)
    await play(players, policy)
    return players


async def drop_all(players: Iterable[Player]) -> None:
    """Close every connection."""
    for player in players:
        await player.drop()


async def export_of(base: str, match: str) -> bytes:
    """The transcript as anyone can fetch it, byte for byte."""
    async with http_client(base) as http:
        answer = await http.get(f"/api/matches/{match}/transcript")
    assert answer.status_code == 200, f"{answer.status_code} {answer.text[:500]}"
    return answer.content


async def check_export(player: Player) -> None:
    """The export of the match this player was in is without fault, and has the head that this player computed."""
    match = player.view["table"]["match"]
    data = await export_of(player.base, match)
    assert verify(data) == []
    if player.witness.head:
        assert player.witness.head.hex().encode() in data
