"""A store that lost its last writes: what is there is a beginning of what was, and who knows more can show it."""

import json
import os
import shutil
from collections.abc import Sequence

from tests.integration.crashing.comeback import come_back, shown_events
from tests.integration.crashing.victim import Victim
from tests.integration.wire_kit import play_turns, playing
from tests.outside.player import Message, Player
from tests.outside.scripts import drop_all, export_of
from tests.outside.verifier import verify

WAL = "tables.db-wal"


async def test_a_backup_put_back_ends_its_running_match_void_by_the_word_of_who_saw_more(victim: Victim) -> None:
    people = await playing(victim.start(), clock=45)
    await play_turns(people, 4)
    backup = victim.data.with_name("backup")
    shutil.copytree(victim.data, backup)
    await play_turns(people, 2)
    victim.kill()
    await check_it_ends_void(people, victim.start(backup))
    victim.stop()


async def test_writes_torn_by_a_power_cut_are_as_if_never_made(victim: Victim) -> None:
    people = await playing(victim.start(), clock=45)
    await play_turns(people, 4)
    wal = victim.data / WAL
    whole = wal.stat().st_size
    await play_turns(people, 2)
    victim.kill()
    with wal.open("r+b") as file:
        file.seek(whole - 100)
        file.write(os.urandom(wal.stat().st_size - whole))
    await check_it_ends_void(people, victim.start())
    victim.stop()


async def check_it_ends_void(people: Sequence[Player], base: str) -> None:
    """The server has a beginning of what was seen; a key of a turn that it has not ended proves that there was more."""
    seen = [shown["event"] for shown in shown_events(people[0])]
    heads = {shown["n"]: shown["h"] for shown in shown_events(people[0])}
    marks = [len(player.received) for player in people]
    await come_back(people, base)
    for player, mark in zip(people, marks, strict=True):
        welcome = await player.hear("welcome", after=mark)
        assert "events" not in welcome
        assert welcome["n"] < len(seen) - 1
        assert welcome["h"] in (heads[welcome["n"]], welcome["h"] if player is people[1] else None)
        await player.until(lambda view: view["table"]["phase"] == "finished")
    data = await export_of(base, people[0].view["table"]["match"])
    assert verify(data) == []
    events: list[Message] = json.loads(data)["events"]
    kept = [event for event in events[:-1] if event["type"] != "clock"]
    assert kept == seen[: len(kept)]
    assert len(kept) > 4
    assert events[-1]["reason"] == "void"
    await drop_all(people)
