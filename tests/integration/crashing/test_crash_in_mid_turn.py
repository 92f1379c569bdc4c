"""kill -9 in the middle of turns: dice and rolls stay as they were seen, lost time is given back, the matches end (H035)."""

from tests.integration.crashing.comeback import check_nothing_was_taken_back, come_back, given_back
from tests.integration.crashing.victim import Victim
from tests.integration.wire_kit import ROLL, playing
from tests.outside.player import Player
from tests.outside.scripts import drop_all, first_roll, play

LEAST_MS = 10_000


async def rolled(base: str, clock: int) -> list[Player]:
    """Two people, the first of whom has rolled once."""
    people = await playing(base, clock=clock)
    assert await people[0].act(ROLL)
    await people[1].until(lambda view: view["table"]["turn"]["roll"] == 1)
    return people


async def test_a_match_goes_on_from_what_was_shown_and_its_clock_from_where_it_stood(victim: Victim) -> None:
    """At two tables at once: one with much time left, one whose time is over when the service is back."""
    base = victim.start()
    matches = {clock: await rolled(base, clock) for clock in (45, 1)}
    before = {clock: people[0].turn for clock, people in matches.items()}
    victim.kill()
    base = victim.start()
    for clock, people in matches.items():
        await come_back(people, base)
        for player in people:
            told = await given_back(player)
            given = told["event"]
            lost_ms = given["to"] - max(given["from"], before[clock]["deadline"] - 1000 * clock)
            assert given["deadline"] == max(before[clock]["deadline"] + lost_ms, given["to"] + LEAST_MS)
            assert told["turn"] == {**before[clock], "deadline": given["deadline"]}
            assert not any(seat["away"] for seat in player.view["table"]["seats"])
    for people in matches.values():
        await play(people, first_roll)
        events = await check_nothing_was_taken_back(people)
        clocks = [event["turn"] for event in events if event["type"] == "clock"]
        assert clocks == [1]
        assert not next(event["auto"] for event in events if event["type"] == "scored")
        await drop_all(people)
    victim.stop()
