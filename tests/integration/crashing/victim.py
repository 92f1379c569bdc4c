"""A server process on a data folder that can be killed, stopped and started again, each time on a port of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from server.settings import PREFIX
from tests.integration.served import is_fault

ROOT = Path(__file__).parents[3]
SETTINGS = {"limits": "off", "bot_pace_ms": 0, "clocks": "1,2,15,45"}


class Nursery:
    """The program ``nursery``, running."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.integration.crashing.nursery"],
            cwd=ROOT,
            # Threads of numpy's would be forked too.
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **order: Any) -> dict[str, Any]:
        """Give an order and return its answer."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{json.dumps(order)}\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        """End it; nothing it has started may be running."""
        self._process.communicate()
        assert self._process.returncode == 0


class Victim:
    """``cubilete serve`` with all it keeps in ``folder``/data. Nothing may break in it, however often it is killed."""

    def __init__(self, nursery: Nursery, folder: Path, **settings: object) -> None:
        self.data = folder / "data"
        self.home = folder / "home"
        self.log, self.refusals = folder / "log", folder / "refusals"
        self.base = ""
        self._nursery = nursery
        self._pid = 0
        self._settings = {f"{PREFIX}{name.upper()}": str(value) for name, value in {**SETTINGS, **settings}.items()}
        self.home.mkdir(parents=True)

    def start(self, data: Path | None = None, *, dies_at: str | None = None) -> str:
        """Start it, on another folder if one is named; the address that it has this time."""
        said = self._run(data or self.data, dies_at, self.log)
        found = re.search(r":(\d+)$", said.strip())
        assert found, f"no address but {said!r}: {self.log.read_text()}"
        self.base = f"http://127.0.0.1:{found[1]}"
        return self.base

    def fail(self, data: Path) -> tuple[int, str]:
        """Start another one where none can start; its exit code and what it says to the operator."""
        running, said = self._pid, self._run(data, None, self.refusals)
        assert not said
        code = self._wait()
        self._pid = running
        return code, self.refusals.read_text()

    def _run(self, data: Path, dies_at: str | None, log: Path) -> str:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
        places = {name: str(self.home) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
        answer = self._nursery.ask(
            arguments=["serve", "--port", "0", "--data", str(data)],
            environment=kept | places | self._settings,
            folder=str(self.home),
            log=str(log),
            dies_at=dies_at,
        )
        self._pid = answer["pid"]
        said: str = answer["said"]
        return said

    def kill(self) -> None:
        """kill -9."""
        os.kill(self._pid, signal.SIGKILL)
        self.wait_killed()

    def wait_killed(self) -> None:
        """Wait until it has died by a kill, its own or another's."""
        assert self._wait() == -signal.SIGKILL
        self.check_log()

    def stop(self) -> float:
        """End it as an operator does; the seconds that took."""
        began = time.monotonic()
        os.kill(self._pid, signal.SIGTERM)
        assert self._wait() == 0
        self.check_log()
        return time.monotonic() - began

    def end(self) -> None:
        """See that it does not run any more."""
        if self._pid:
            self.kill()

    def _wait(self) -> int:
        code: int = self._nursery.ask(wait=self._pid)["code"]
        self._pid = 0
        return code

    def check_log(self) -> None:
        """Nothing in its log tells of something broken."""
        faults = [line for line in self.log.read_text().splitlines() if is_fault(line)]
        assert not faults, faults
