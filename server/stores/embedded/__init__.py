"""The table log of a service that is one process: SQLite in a data directory, nothing else to run.

``open_embedded`` opens it. Inside: ``folder`` (the lock), ``schema`` (the database), ``opening`` (from disk to memory), ``log``
(the port, on the loop), ``attendance`` (who is there), ``writer`` with ``jobs``, ``draft`` and ``ledger`` (the one thread that
writes), ``queries`` (the one that reads), ``unusable`` (why it cannot be opened).
"""

import asyncio
import logging
from pathlib import Path

from server.stores.clock import TimeSource
from server.stores.embedded.log import EmbeddedLog
from server.stores.embedded.opening import open_store
from server.stores.embedded.schema import Durability
from server.stores.embedded.unusable import DirectoryInUse, StoreDamaged, StoreNewer, StoreUnusable, StoreUnwritable

__all__ = [
    "DirectoryInUse",
    "Durability",
    "EmbeddedLog",
    "StoreDamaged",
    "StoreNewer",
    "StoreUnusable",
    "StoreUnwritable",
    "open_embedded",
]

_logger = logging.getLogger(__name__)


async def open_embedded(directory: Path, durability: Durability, source: TimeSource | None = None) -> EmbeddedLog:
    """Open the store in ``directory``, made if missing, for this process alone. Raises ``StoreUnusable``.

    ``full``: what is appended survives a power cut. ``relaxed``: it survives a crash of the process, a power cut may take the
    last moments back. ``source`` is where time comes from, by default the system.
    """
    if durability == "relaxed":
        _logger.warning("durability is relaxed: a power cut may take back what players have seen")
    return EmbeddedLog(await asyncio.to_thread(open_store, directory, durability, source or TimeSource()))
