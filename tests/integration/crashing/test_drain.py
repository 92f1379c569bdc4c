"""Stopping as an operator does, and the data folder: all is told and on disk, one process at a time, nothing elsewhere."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.integration.crashing.comeback import check_nothing_was_taken_back, given_back, move
from tests.integration.crashing.victim import Victim
from tests.integration.wire_kit import RawSocket, play_turns, playing
from tests.outside.player import Guest, create_table
from tests.outside.scripts import drop_all, first_roll, play, whole_match

MOST_S = 10


async def test_a_stopped_service_tells_everybody_leaves_a_clean_store_and_gives_the_time_back(victim: Victim) -> None:
    """Also when somebody does not read, and does not even close."""
    people = await playing(victim.start(), clock=45)
    await play_turns(people, 3)
    stuck = await RawSocket.open(people[0])
    deadline = people[0].turn["deadline"]
    assert victim.stop() < MOST_S
    for player in people:
        assert await player.wait_closed() == 1012
    assert await stuck.read_code() == 1012
    stuck.writer.close()
    assert not [path for path in victim.data.iterdir() if path.name.endswith("-wal") and path.stat().st_size]
    assert whole(victim.data / "tables.db")
    base = victim.start()
    for player in people:
        move(player, base)
        await player.connect(since="last")
        assert (await given_back(player))["event"]["deadline"] > deadline
    await play(people, first_roll)
    events = await check_nothing_was_taken_back(people)
    assert [event["type"] for event in events].count("clock") == 1
    await drop_all(people)
    assert victim.stop() < MOST_S


def whole(database: Path) -> bool:
    with closing(sqlite3.connect(database)) as connection:
        answer: str = connection.execute("PRAGMA integrity_check").fetchone()[0]
    return answer == "ok"


async def test_a_second_process_on_the_same_folder_is_refused_and_harms_nothing(victim: Victim) -> None:
    people = await playing(victim.start(), clock=45)
    code, said = victim.fail(victim.data)
    assert (code, said.count("\n")) == (2, 1)
    assert f"{victim.data} is in use by process" in said
    await play(people, first_roll)
    await check_nothing_was_taken_back(people)
    await drop_all(people)


async def test_a_folder_that_cannot_be_used_is_refused(victim: Victim, tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("no folder")
    code, said = victim.fail(taken / "data")
    assert (code, said.count("\n")) == (2, 1)
    assert str(taken) in said


async def test_nothing_is_written_but_in_the_data_folder(victim: Victim) -> None:
    """The home, the working folder and the one for temporary files stay empty; so does everything beside."""
    people = await whole_match(victim.start(), 2, first_roll, bots=["medium"])
    await drop_all(people)
    guest = await Guest.arrive(victim.base)
    await create_table(guest)
    victim.stop()
    assert names_in(victim.home) == []
    assert names_in(victim.home.parent) == ["data", "home", "log"]
    assert names_in(victim.data) == ["records.db", "secret.key", "tables.db", "tables.lock"]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
