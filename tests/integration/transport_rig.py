"""A real uvicorn in a thread of its own with our WebSocket class, and a client that can send what no library would."""

import asyncio
import queue
import socket
import struct
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import uvicorn

from server.gateway.connection import Connection, HandlerFactory, Rejection, Upgrade
from server.gateway.transport import Bounds, websocket_protocol

PATIENCE_S = 20
TEXT, BINARY, CLOSE, PING, PONG, CONTINUATION = 1, 2, 8, 9, 10, 0


class Recorder:
    """A handler that notes what it is told, and then does what the rig's ``answers`` say."""

    def __init__(self, connection: Connection, rig: "Rig") -> None:
        # Any: tests look at what is behind the interface, too.
        self.connection: Any = connection
        self.told: queue.Queue[tuple[Any, ...]] = queue.Queue()
        self._rig = rig

    def opened(self) -> None:
        self._tell("opened")

    def received(self, message: bytes) -> None:
        self._tell("received", message)

    def received_binary(self) -> None:
        self._tell("received_binary")

    def closed(self, code: int) -> None:
        self._tell("closed", code)

    def _tell(self, *what: Any) -> None:
        self.told.put(what)
        self._rig.answers(self.connection, *what)

    def next(self) -> tuple[Any, ...]:
        return self.told.get(timeout=PATIENCE_S)

    def heard_nothing_more(self) -> bool:
        return self.told.empty()


Answers = Callable[..., Any]
Answer = tuple[int, dict[str, str], bytes]
"""Status, headers in lower case, body."""


def silence(_connection: Connection, *_what: Any) -> None:
    """Do nothing."""


def echo(connection: Connection, *what: Any) -> None:
    """Send every message back."""
    if what[0] == "received":
        connection.send(what[1])


class Rig:
    """A server on a free loopback port. ``decide``, ``answers`` and ``make`` can be replaced at any time."""

    def __init__(self, loop: str, bounds: Bounds | None = None) -> None:
        self.decide: Callable[[Upgrade], Any] = lambda _: self.make
        self.make: HandlerFactory = self._record
        self.answers: Answers = echo
        self.upgrades: list[Upgrade] = []
        self.faults: list[dict[str, Any]] = []
        self._handlers: queue.Queue[Recorder] = queue.Queue()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        protocol = websocket_protocol(self, bounds)
        config = uvicorn.Config(self._app, ws=protocol, http="httptools", loop=loop, log_config=None, interface="asgi3")
        self.server = uvicorn.Server(config)
        self._started = threading.Event()
        self._thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self._listener]})

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(PATIENCE_S)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()
        assert not self.faults, self.faults

    def stop(self) -> None:
        self.server.should_exit = True
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()

    def accept(self, request: Upgrade) -> Rejection | HandlerFactory:
        self.upgrades.append(request)
        answer: Rejection | HandlerFactory = self.decide(request)
        return answer

    def handler(self) -> Recorder:
        """The handler of the connection that was opened next, which has been told so."""
        handler = self._handlers.get(timeout=PATIENCE_S)
        assert handler.next() == ("opened",)
        return handler

    def has_no_handler(self) -> bool:
        return self._handlers.empty()

    def run(self, call: Callable[[], Any]) -> Any:
        """Call on the server's loop, and give back what that gave back."""

        async def called() -> Any:
            return call()

        return asyncio.run_coroutine_threadsafe(called(), self._loop).result(PATIENCE_S)

    def _record(self, connection: Connection) -> Recorder:
        handler = Recorder(connection, self)
        self._handlers.put(handler)
        return handler

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "lifespan"
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(lambda _, context: self.faults.append(context))
        await receive()
        await send({"type": "lifespan.startup.complete"})
        self._started.set()
        await receive()
        await send({"type": "lifespan.shutdown.complete"})


class Client:
    """A WebSocket client, byte by byte."""

    def __init__(self, rig: Rig, receive_buffer: int | None = None) -> None:
        self.socket = socket.socket()
        self.socket.settimeout(PATIENCE_S)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(("127.0.0.1", rig.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._unread = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.socket.close()

    def ask(self, target: str = "/", *, method: str = "GET", without: str = "", **headers: str) -> Answer:
        """Send a handshake; ``headers`` with underscores."""
        asked = {
            "host": f"127.0.0.1:{self.socket.getpeername()[1]}",
            "upgrade": "websocket",
            "connection": "Upgrade",
            "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
            "sec-websocket-version": "13",
        }
        asked |= {name.replace("_", "-"): value for name, value in headers.items()}
        asked.pop(without, None)
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in asked.items()), "", ""]
        self.socket.sendall("\r\n".join(lines).encode("latin-1"))
        return self._read_answer()

    def _read_answer(self) -> Answer:
        while b"\r\n\r\n" not in self._unread:
            assert self._more(), "the server hung up without an answer"
        head, _, self._unread = self._unread.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return int(first.split()[1]), headers, self._read(int(headers.get("content-length", 0)))

    def open(self, target: str = "/", **headers: str) -> Self:
        status, _, _ = self.ask(target, **headers)
        assert status == 101
        return self

    def send(self, payload: bytes = b"", opcode: int = TEXT, *, is_final: bool = True) -> None:
        self.socket.sendall(frame(payload, opcode, is_final=is_final))

    def read(self) -> tuple[int, bytes]:
        """The next frame, which is whole and not masked: opcode and payload."""
        first, second = self._read(2)
        assert first & 0xF0 == 0x80
        assert second < 128
        length = second
        if second == 126:
            (length,) = struct.unpack("!H", self._read(2))
        elif second == 127:
            (length,) = struct.unpack("!Q", self._read(8))
        return first & 15, self._read(length)

    def read_code(self) -> int:
        """The code of the close frame that comes, whatever comes before it."""
        opcode, payload = self.read()
        while opcode != CLOSE:
            opcode, payload = self.read()
        return int.from_bytes(payload[:2])

    def is_hung_up(self) -> bool:
        """Wait until the server has shut its side, orderly or not."""
        try:
            return not self._unread and not self.socket.recv(1)
        except ConnectionResetError:
            return True

    def _read(self, size: int) -> bytes:
        while len(self._unread) < size:
            assert self._more(), "the server hung up"
        read, self._unread = self._unread[:size], self._unread[size:]
        return read

    def _more(self) -> bool:
        data = self.socket.recv(65536)
        self._unread += data
        return bool(data)


def frame(payload: bytes = b"", opcode: int = TEXT, *, is_final: bool = True, first: int | None = None) -> bytes:
    """A masked frame; ``first`` replaces the whole first byte."""
    first = (0x80 if is_final else 0) | opcode if first is None else first
    size = len(payload)
    if size < 126:
        head = bytes([first, 0x80 | size])
    elif size < 1 << 16:
        head = bytes([first, 0xFE]) + size.to_bytes(2)
    else:
        head = bytes([first, 0xFF]) + size.to_bytes(8)
    mask = b"\x1f\x2e\x3d\x4c"
    return head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
