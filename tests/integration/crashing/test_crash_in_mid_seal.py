"""kill -9 in the middle of seals: what was committed stays, the running step starts again, and the match begins."""

from tests.integration.crashing.comeback import check_nothing_was_taken_back, come_back, owed
from tests.integration.crashing.victim import Victim
from tests.outside.dice import chain
from tests.outside.player import Player
from tests.outside.scripts import drop_all, first_roll, play, seat_players

TURNS = 22
STEPS = 3
"""The first commits, the second commits, the first reveals: after each of them, and before, a seal can be interrupted."""


async def sealed(base: str, steps: int) -> list[Player]:
    """Two people in a seal of which the first ``steps`` are done."""
    people = await seat_players(base, 2)
    for player in people:
        player.seals = False
    await people[0].do({"type": "start"})
    for player in (people[0], people[1], people[0])[:steps]:
        await player.do(owed(player))
        if player is people[1]:
            await people[0].until(lambda view: view["table"].get("commitments"))
    await people[1].until(lambda view: view["n"] == (1 if steps > 1 else 0))
    return people


async def test_a_seal_goes_on_from_where_it_was(victim: Victim) -> None:
    base = victim.start()
    tables = [await sealed(base, steps) for steps in range(STEPS + 1)]
    victim.kill()
    base = victim.start()
    for people in tables:
        for player in people:
            player.seals = True
        await come_back(people, base)
    for people in tables:
        for player in people:
            await player.until(lambda view: view["table"]["phase"] == "playing")
        await play(people, first_roll)
        events = await check_nothing_was_taken_back(people)
        assert [event["type"] for event in events[:3]] == ["sealed", "committed", "opened"]
        assert events[0]["attempt"] == 1
        await drop_all(people)
    victim.stop()


async def test_a_seal_that_somebody_leaves_after_the_crash_fails_and_the_next_begins_anew(victim: Victim) -> None:
    people = await sealed(victim.start(), 2)
    first = dict(people[0].view["table"])
    victim.kill()
    await come_back(people, victim.start())
    mark = len(people[0].received)
    await people[1].do({"type": "stand"})
    told = await people[0].hear("lobby", after=mark)
    assert told["aborted"]["match"] == first["match"]
    assert "match" not in told["table"]
    assert people[0].view["table"]["seats"][1]["kind"] == "free"
    keys = chain(bytes.fromhex(first["match"]), bytes.fromhex(told["aborted"]["root"]), TURNS)
    assert keys[0].hex() == first["anchor"]
    await drop_all(people)
