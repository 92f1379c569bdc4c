"""What the rest of the gateway and the tables see of a client's connection, whatever carries it.

Owns the roles (``Connection`` is written to, ``Handler`` is told, ``Endpoint`` decides who gets in) and the outbox, the bound
on what may wait for a client that does not read. Knows no wire: frames, time-outs and the handshake are in ``transport``.

Everything here runs on the event loop, and nothing here waits. A handler is told one thing after another, and never from within
``send`` or ``close``: whoever sends to a set of connections may change that set when it hears ``closed``.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

SUBPROTOCOL = "cubilete.v1"


class Connection(Protocol):
    """A client that can be written to."""

    @property
    def is_open(self) -> bool:
        """Whether what is sent now may still arrive."""

    def send(self, message: bytes) -> None:
        """Send one text message, UTF-8. Never blocks, never raises; into a closed connection it does nothing.

        The same object sent to many connections in a row is framed once.
        """

    def close(self, code: int, reason: str = "") -> None:
        """Say why (``reason``: at most 123 bytes of UTF-8) and hang up. What still waits in the outbox is dropped.

        Once closed, it does nothing.
        """


class Handler(Protocol):
    """Who is told what a client does. An exception closes that connection with 1011 and hurts nobody else."""

    def opened(self) -> None:
        """The handshake is answered; the connection can be written to. Comes first."""

    def received(self, message: bytes) -> None:
        """A whole text message: valid UTF-8 within the limit, maybe empty."""

    def received_binary(self) -> None:
        """A whole binary message, which nobody asked for."""

    def closed(self, code: int) -> None:
        """The connection is no longer open, whoever closed it: our code, else the peer's, else 1006. Comes once and last."""


class Headers:
    """The headers of a request; their names in any case. A name may come more than once."""

    __slots__ = ("_values",)

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            self._values.setdefault(name.lower(), []).append(value)

    def get(self, name: str) -> str | None:
        """The first value of ``name``."""
        values = self._values.get(name.lower())
        return values[0] if values else None

    def get_all(self, name: str) -> Sequence[str]:
        """Every value of ``name``, in order."""
        return self._values.get(name.lower(), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """A well-formed request to open a connection, not answered yet.

    ``path`` is without the query and percent-decoded, ``query`` is as it came, ``peer`` is the address at the other end of the
    wire (a proxy's, if there is one; None for a local socket), ``subprotocols`` are those the client offers, best first.
    """

    path: str
    query: str
    headers: Headers
    scheme: Literal["http", "https"]
    peer: str | None
    subprotocols: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rejection:
    """The HTTP answer to an upgrade that is refused; ``body`` is JSON."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


HandlerFactory = Callable[[Connection], Handler]


class Endpoint(Protocol):
    """Who decides whether a connection is opened."""

    def accept(self, request: Upgrade) -> HandlerFactory | Rejection:
        """Decide without waiting: what needs a store is found out by the handler, which may send and close later."""


class Outbox:
    """What is held back for a client that does not read: frames, oldest first, bounded in number and in bytes."""

    __slots__ = ("_frames", "_most_bytes", "_most_frames", "_size")

    def __init__(self, most_frames: int, most_bytes: int) -> None:
        self._frames: deque[bytes] = deque()
        self._size = 0
        self._most_frames = most_frames
        self._most_bytes = most_bytes

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def size_bytes(self) -> int:
        """How many bytes are held."""
        return self._size

    def put(self, frame: bytes) -> bool:
        """Hold ``frame``; False, and nothing changed, if that is more than fits."""
        if len(self._frames) >= self._most_frames or self._size + len(frame) > self._most_bytes:
            return False
        self._frames.append(frame)
        self._size += len(frame)
        return True

    def take(self) -> bytes:
        """Give the oldest frame away. Raises ``IndexError`` if none is held."""
        frame = self._frames.popleft()
        self._size -= len(frame)
        return frame
