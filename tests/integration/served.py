"""The service as players meet it: a real process with a data folder, or in the test's own loop with a clock that a test moves.

Owns starting, stopping and what both must leave behind: a clean end, nothing broken in the log. Who plays is in
``tests.outside``; sockets that say what no library would are in ``wire_kit``.
"""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from unittest.mock import patch

import uvicorn

from server.app import Service
from server.cli.serve import Server
from server.gateway.transport import Bounds, websocket_protocol
from server.settings import PREFIX, load_settings
from tests.fakes.clock import ManualClock
from tests.fakes.memory_log import MemoryDisk, MemoryLog

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys; from server.cli import main; sys.exit(main())"
PATIENCE_S = 60
FAULTS = ("error", "critical")
_BEAT_MS = 1_000
_LOOP_TURNS = 40


class Served:
    """One ``cubilete serve`` in a process of its own, on a free port, with everything it keeps in ``folder``/data."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.data = folder / "data"
        self._log = folder / "log"
        self._read_to = 0
        self._elsewhere = folder / "elsewhere"
        self._elsewhere.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, "serve", "--port", "0", "--data", str(self.data)],
                env=_environment(settings),
                cwd=self._elsewhere,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        self.base = f"http://127.0.0.1:{self._port()}"

    def _port(self) -> int:
        """The port that the process announces once it listens."""
        assert self.process.stdout
        said = self.process.stdout.readline().decode()
        found = re.search(r":(\d+)$", said.strip())
        assert found, f"no address but {said!r}: {self.log_text()}"
        return int(found[1])

    def stop(self) -> None:
        """End it as an operator does; it must end well, with nothing broken in its log and nothing written elsewhere."""
        self.process.send_signal(signal.SIGTERM)
        said, _ = self.process.communicate(timeout=PATIENCE_S)
        assert (self.process.returncode, said) == (0, b""), self.log_text()
        assert self.faults() == []
        assert list(self._elsewhere.iterdir()) == []

    def faults(self) -> list[str]:
        """The lines of the log since the last look that tell of something broken, or that are no lines of a log."""
        text = self.log_text()
        new, self._read_to = text[self._read_to :], len(text)
        return [line for line in new.splitlines() if is_fault(line)]

    def log_text(self) -> str:
        """All that the process has written to its log."""
        return self._log.read_text("utf-8")


def is_fault(line: str) -> bool:
    """Whether a line of the log is no JSON, or of a level that calls for an operator."""
    try:
        return json.loads(line)["level"] in FAULTS
    except (ValueError, KeyError, TypeError):
        return True


def _environment(settings: Mapping[str, object]) -> dict[str, str]:
    """This process's, with these settings of the service and no others."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    set_to = {f"{PREFIX}{name.upper()}": str(value) for name, value in settings.items()}
    return kept | set_to | {"PYTHONPATH": str(ROOT)}


class Timed:
    """A whole service in the test's own loop, behind a real uvicorn on a real port; its log is in memory, its clock a test's.

    ``logged`` is what it wrote to the operator; ``broken`` what the loop was told of.
    """

    def __init__(self, data: Path, logged: list[MutableMapping[str, Any]], bounds: Bounds, **settings: Any) -> None:
        self.clock = ManualClock()
        self.disk = MemoryDisk()
        self.log = MemoryLog(self.clock, self.disk)
        self.logged = logged
        self.broken: list[dict[str, Any]] = []
        self.service = Service(load_settings(data=data, **{"limits": False, "bot_pace_ms": 0, **settings}))
        self._bounds = bounds
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._server: Server

    async def __aenter__(self) -> Self:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: self.broken.append(context))
        await self._open_service()
        config = uvicorn.Config(
            self.service.application,
            http="httptools",
            ws=websocket_protocol(self.service.endpoint, self._bounds),
            lifespan="off",
            log_config=None,
            access_log=False,
        )
        config.load()
        self._server = Server(config)
        self._server.lifespan = config.lifespan_class(config)
        await self._server.startup([self._listener])
        return self

    async def _open_service(self) -> None:
        async def opened(*_: object) -> MemoryLog:
            return self.log

        with patch("server.app.open_embedded", opened):
            await self.service.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.hang_up()
        await self.service.__aexit__(kind, error, trace)
        if error is None:
            assert self.faults == []
            assert self.broken == []

    async def hang_up(self) -> None:
        """Stop listening, and tell every connection that the service restarts."""
        for server in self._server.servers:
            server.close()
        for connection in list(self._server.server_state.connections):
            connection.shutdown()
        await until(lambda: not self._server.server_state.connections)

    @property
    def faults(self) -> list[MutableMapping[str, Any]]:
        """What the operator was told of that is broken."""
        return [line for line in self.logged if line["log_level"] in FAULTS]

    @property
    def now(self) -> int:
        """The service's time."""
        return self.clock.now_ms()

    async def pass_ms(self, ms: int) -> None:
        """Let time pass while the service lives."""
        until_ms = self.now + ms
        while (left_ms := until_ms - self.now) > 0:
            self.clock.advance(min(left_ms, _BEAT_MS))
            await settle()

    async def pass_to(self, at_ms: int) -> None:
        """Let time pass until it is ``at_ms``."""
        await self.pass_ms(at_ms - self.now)


Opens = Callable[..., Awaitable[Timed]]
"""Opens a service whose clock a test moves: settings as keywords, ``bounds`` for the transport."""


async def settle() -> None:
    """Let everything run that can run without a clock."""
    for _ in range(_LOOP_TURNS):
        await asyncio.sleep(0)


async def until(is_so: Callable[[], object]) -> None:
    """Let the loop turn until something is so; for what tells nobody when it happens."""
    async with asyncio.timeout(PATIENCE_S):
        while not is_so():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0)
