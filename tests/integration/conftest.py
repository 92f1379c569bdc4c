"""The services that tests over the wire talk to; see ``served``."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from server.gateway.transport import Bounds
from tests.integration.served import Opens, Served, Timed
from tests.integration.wire_kit import RawSocket
from tests.outside.player import Player

HangUp = Callable[[], Awaitable[None]]
CLOCKS = "1,2,15,45"


@pytest.fixture
async def _callers(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[HangUp]:
    """Whoever is still connected when a test ends hangs up, before the service that they are connected to ends."""
    players: list[Player] = []
    sockets: list[RawSocket] = []
    connect, made = Player.connect, RawSocket.__init__

    async def connect_and_note(player: Player, *arguments: Any, **more: Any) -> Player:
        players.append(player)
        return await connect(player, *arguments, **more)

    def make_and_note(socket: RawSocket, *arguments: Any) -> None:
        sockets.append(socket)
        made(socket, *arguments)

    async def hang_up() -> None:
        for socket in sockets:
            socket.drop()
        for player in players:
            await player.drop()

    monkeypatch.setattr(Player, "connect", connect_and_note)
    monkeypatch.setattr(RawSocket, "__init__", make_and_note)
    yield hang_up
    await hang_up()


@pytest.fixture(scope="session")
def _running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("served"), limits="off", bot_pace_ms=0, clocks=CLOCKS, log_level="debug")
    yield served
    served.stop()


@pytest.fixture
def served(_running: Served, _callers: HangUp) -> Iterator[Served]:
    """A real process without limits by address, with bots that do not dawdle, that logs all it can; nothing may break in it."""
    yield _running
    assert _running.faults() == []


@pytest.fixture
async def timing(tmp_path: Path, _callers: HangUp) -> AsyncIterator[Opens]:
    """Opens services with settings of a test's own; they end with the test, and nothing may have broken in them."""
    async with AsyncExitStack() as stack:
        logged = stack.enter_context(capture_logs())

        async def opened(bounds: Bounds | None = None, **settings: Any) -> Timed:
            return await stack.enter_async_context(Timed(tmp_path / "data", logged, bounds or Bounds(), **settings))

        yield opened
        await _callers()


@pytest.fixture
async def timed(timing: Opens) -> Timed:
    """A service whose clock a test moves."""
    return await timing(clocks="2,15,45")
