"""The program that servers are forked from: it has imported the service, so that a start takes a moment and no second.

It reads orders from standard input, a JSON object a line, and answers each with one. ``start`` forks a process that runs
``cubilete`` with ``arguments``, ``environment`` and ``folder`` to be in, its standard error in ``log``; the answer has its
``pid`` and ``said``, the first line it printed (empty: it ended without one). With ``dies_at`` it kills itself as soon as an
event of that type is on disk, before its tables hear of it. ``wait`` answers with the exit ``code`` of a process that ends.
"""

import json
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from server.cli import main
from server.match.events import Code, Entry
from server.stores.embedded import Durability, EmbeddedLog, open_embedded

_outputs: dict[int, Any] = {}


def obey() -> None:
    """Carry out orders until there are no more."""
    for line in sys.stdin:
        order = json.loads(line)
        answer = _wait(order["wait"]) if "wait" in order else _start(order)
        sys.stdout.write(f"{json.dumps(answer)}\n")
        sys.stdout.flush()


def _start(order: dict[str, Any]) -> dict[str, Any]:
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reading)
        sys.exit(_serve(order, writing))
    os.close(writing)
    _outputs[pid] = os.fdopen(reading)
    return {"pid": pid, "said": _outputs[pid].readline()}


def _wait(pid: int) -> dict[str, int]:
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    _outputs.pop(pid).close()
    return {"code": code}


def _serve(order: dict[str, Any], output: int) -> int:
    """What a forked process does; its exit code."""
    log = os.open(order["log"], os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    for source, target in ((os.open(os.devnull, os.O_RDONLY), 0), (output, 1), (log, 2)):
        os.dup2(source, target)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    with ExitStack() as patched:
        if order["dies_at"]:
            patched.enter_context(patch("server.app.open_embedded", _deadly(order["dies_at"])))
        return main(order["arguments"])


def _deadly(kind: str):
    async def open_deadly(directory: Path, durability: Durability) -> EmbeddedLog:
        log = await open_embedded(directory, durability)

        def die(_code: Code, _first: int, entries: Sequence[Entry]) -> None:
            if any(entry.event.__struct_config__.tag == kind for entry in entries):
                os.kill(os.getpid(), signal.SIGKILL)

        # The log calls its listeners one after another: this one is the first, the tables' comes later.
        log.listen(die, lambda *_: None)
        return log

    return open_deadly


if __name__ == "__main__":
    obey()
