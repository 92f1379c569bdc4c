"""``cubilete serve``: the whole service in one process, until it is told to stop.

Stopping (SIGTERM, Ctrl-C) is in our own order: no new connections, every socket told 1012, what is being appended finished,
stores closed; and only then does uvicorn end.
"""

import argparse
import asyncio
import ipaddress
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import segno
import structlog
import uvicorn

from server.app import Service
from server.cli.logs import set_up_logs
from server.gateway.httpwire import BoundedHttp
from server.gateway.transport import Bounds, SocketConnection, websocket_protocol
from server.records.migrate import RecordsUnusable
from server.settings import BadSettings, Settings, load_settings
from server.stores.embedded import StoreUnusable
from server.tables.ports import StoreUnavailable

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

CUT_S = 5
"""When the service stops, a socket that was told so and does not close is cut after this long."""
GRACE_S = 7
"""How long HTTP requests under way may take to finish then."""
BACKLOG = 2048
_ELSEWHERE = ("192.0.2.1", 9)
"""An address for documentation: nothing is sent to it, but it tells which interface would be used."""

log = structlog.get_logger(__name__)


def add_to(commands: "Commands") -> None:
    """Describe the subcommand to the parser."""
    parser = commands.add_parser("serve", help="run the service", description="Run the whole service in one process.")
    parser.add_argument("--host", help="address to listen on (default 127.0.0.1; 0.0.0.0: phones in the room can join)")
    parser.add_argument("--port", type=int, help="TCP port (default 8000; 0 takes a free one)")
    parser.add_argument("--data", type=Path, help="folder that everything is kept in (default ./data)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until told to stop; 2 if the service cannot start like this."""
    try:
        settings = load_settings(host=arguments.host, port=arguments.port, data=arguments.data)
        set_up_logs(settings.log_level)
        _run_fast(lambda: _serve(settings))
    except (BadSettings, StoreUnusable, StoreUnavailable, RecordsUnusable, OSError) as error:
        print(f"cubilete: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _run_fast(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run on uvloop where it exists."""
    if sys.platform == "win32":
        asyncio.run(main())
    else:
        import uvloop  # noqa: PLC0415 - not made for Windows

        uvloop.run(main())


async def _serve(settings: Settings) -> None:
    listening = listen(settings.host, settings.port)
    try:
        async with Service(settings) as service:
            server = Server(_uvicorn_config(service))
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, server.handle_exit)
            announce(settings, listening.getsockname()[1])
            await server.serve([listening])
    finally:
        listening.close()


class Server(uvicorn.Server):
    """uvicorn, which leaves the signals to us: it would end the process by them before our stores are closed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture nothing."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Tell every connection, and wait until they are gone; not for ever for those who do not answer."""
        cut = asyncio.get_running_loop().call_later(CUT_S, self._cut)
        try:
            await super().shutdown(sockets)
        finally:
            cut.cancel()

    def _cut(self) -> None:
        for connection in list(self.server_state.connections):
            if isinstance(connection, SocketConnection):
                connection.abort()


def _uvicorn_config(service: Service) -> uvicorn.Config:
    return uvicorn.Config(
        service.application,
        http=BoundedHttp,
        ws=websocket_protocol(service.endpoint, Bounds(message_bytes=service.settings.frame_bytes)),
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_S,
    )


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises ``OSError`` with a sentence that names address and port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise OSError(f"cannot listen on {host} port {port} ({error.strerror}); choose another with --port") from error
    return listening


def announce(settings: Settings, port: int) -> None:
    """Tell the terminal where to go; on a shared address, where phones in the room go, with a code to scan."""
    host = settings.host
    is_shared = host in ("", "0.0.0.0", "::")
    shown = "localhost" if is_shared or host == "127.0.0.1" else f"[{host}]" if ":" in host else host
    print(f"Cubilete is at http://{shown}:{port}")
    if is_shared and (lan := lan_address()):
        url = f"http://{lan}:{port}"
        print(f"On this network: {url}")
        segno.make(url, micro=False).terminal(compact=True)
    sys.stdout.flush()


def lan_address() -> str | None:
    """The address other devices in the network reach this machine by; None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
            found: str = probe.getsockname()[0]
        except OSError:
            return None
    return None if ipaddress.ip_address(found).is_loopback else found
