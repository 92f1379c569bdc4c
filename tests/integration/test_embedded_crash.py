"""The embedded store under kill -9: what was answered is there, what is there is whole, and the outage is known.

Run as a program, this file is the process that is killed: it appends to several tables as fast as it can and prints each append
after its future is done.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from server.match.events import ENTRY_VERSION, Code, Entry, PlayerId, Sat
from server.stores.embedded import Durability, open_embedded
from server.tables.ports import Append

ROOT = Path(__file__).parents[2]
CODES = [Code(f"T{number:05}") for number in range(6)]
LIVES = 3
ANSWERS_A_LIFE = 400


def numbered(code: Code, number: int) -> Entry:
    event = Sat(at=number, seat=0, player=PlayerId(code))
    return Entry(version=ENTRY_VERSION, event=event, nonce=f"{code} {number}")


async def append_for_ever(folder: Path, durability: Durability) -> None:
    log = await open_embedded(folder, durability)

    async def fill(code: Code) -> None:
        number = len(await log.read(code))
        while True:
            # One entry, then two, so that appends and entries are counted differently.
            new = tuple(numbered(code, each) for each in range(number, number + 1 + number % 2))
            assert await log.append(code, number, Append(entries=new, wake_at_ms=number)) == "appended"
            number += len(new)
            sys.stdout.write(f"{code} {number}\n")
            sys.stdout.flush()

    await asyncio.gather(*(fill(code) for code in CODES))


async def logs(folder: Path) -> tuple[dict[Code, list[Entry]], dict[Code, int], int]:
    log = await open_embedded(folder, "full")
    found = {code: await log.read(code) for code in CODES}
    wakes, outages = dict(log.wakes(10**15)), len(log.outages())
    await log.close()
    return found, wakes, outages


@pytest.mark.parametrize("durability", ["full", "relaxed"])
def test_after_kill_9_every_answered_append_is_there_and_every_log_is_whole(tmp_path: Path, durability: Durability) -> None:
    answered: Counter[Code] = Counter()
    for life in range(1, LIVES + 1):
        command = [sys.executable, __file__, str(tmp_path), durability]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}) as child:
            assert child.stdout is not None
            lines = [child.stdout.readline() for _ in range(ANSWERS_A_LIFE)]
            child.send_signal(signal.SIGKILL)
            lines += child.stdout.readlines()
        assert child.returncode == -signal.SIGKILL
        for code, number in (line.split() for line in lines if line.endswith("\n")):
            answered[Code(code)] = int(number)
        found, wakes, outages = asyncio.run(logs(tmp_path))
        assert outages == 2 * life - 1
        for code in CODES:
            assert len(found[code]) >= answered[code] > 0
            assert found[code] == [numbered(code, number) for number in range(len(found[code]))]
            assert len(found[code]) - wakes[code] in {1, 2}


if __name__ == "__main__":
    asyncio.run(append_for_ever(Path(sys.argv[1]), "full" if sys.argv[2] == "full" else "relaxed"))
