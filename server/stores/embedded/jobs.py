"""What the loop asks of the writer, and what the writer leaves in it as an answer."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from server.match.events import Code
from server.stores.embedded.ledger import Tip
from server.tables.ports import Append, Outcome

Statement = tuple[str, Sequence[Any] | Mapping[str, Any]]


class AppendJob(Struct, eq=False):
    """An append to one table. ``outcome`` and ``tip`` (None: the table is closed by it) are the writer's answer."""

    code: Code
    expected: int
    change: Append
    blob: bytes
    future: asyncio.Future[Outcome]
    outcome: Outcome = "conflict"
    tip: Tip | None = None


class WriteJob(Struct, eq=False):
    """Statements that touch no log. ``future`` is None where nobody waits."""

    statements: tuple[Statement, ...]
    future: asyncio.Future[None] | None


class PresenceJob(Struct, eq=False):
    """Someone (``""``: anyone) came to a table or went from it. Nobody waits for it."""

    table_id: int
    player: str
    is_connected: bool
    since_ms: int


Job = AppendJob | WriteJob | PresenceJob


class Batch(Struct, eq=False):
    """What one loop turn collected; ``timer`` gives up waiting for it."""

    jobs: list[Job]
    timer: asyncio.TimerHandle
