"""kill -9 again and again, at any moment, while people and a bot play: the match ends, and nothing shown was taken back."""

import asyncio
import random
import sys
from collections.abc import Sequence

from tests.integration.crashing.comeback import check_nothing_was_taken_back, come_back
from tests.integration.crashing.victim import Victim
from tests.outside.player import Player
from tests.outside.scripts import by_chance, drop_all, seat_players, start

KILLS = 9
MOVES_BETWEEN = 8
LATEST_S = 0.012
"""About twice as long as a command takes to be decided, written and answered."""
TURNS = 44


async def test_a_match_lives_through_kills_at_any_moment(victim: Victim) -> None:
    seed = random.getrandbits(32)
    sys.stdout.write(f"seed of the kills: {seed}\n")
    chance = random.Random(seed)
    policy = by_chance(seed)
    people = await seat_players(victim.start(), 3, clock=45, bots=["medium"])
    await start(people)
    for _ in range(KILLS):
        for _ in range(chance.randrange(MOVES_BETWEEN)):
            player = await on_turn(people)
            await player.act(policy(player.turn))
        player = await on_turn(people)
        await player.send({**policy(player.turn), "expect": player.view["n"]})
        await asyncio.sleep(chance.random() * LATEST_S)
        victim.kill()
        await come_back(people, victim.start())
    async with asyncio.TaskGroup() as group:
        for player in people:
            group.create_task(player.play_to_end(policy))
    events = await check_nothing_was_taken_back(people)
    assert sum(event["type"] == "scored" for event in events) == TURNS
    assert not any(event.get("auto") for event in events)
    await drop_all(people)
    victim.stop()


async def on_turn(people: Sequence[Player]) -> Player:
    """The person on turn, once they know it; bots play meanwhile."""
    first = people[0]
    seats = {player.seat: player for player in people}
    await first.until(lambda _: first.turn["seat"] in seats, what="a turn of somebody here")
    player = seats[first.turn["seat"]]
    await player.until(lambda view: view["n"] >= first.view["n"])
    return player
