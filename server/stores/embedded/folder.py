"""The data directory: made if missing, private, and for one process at a time.

The lock is the operating system's and goes with the process that holds it, however that ends; the file itself stays.
"""

import fcntl
import os
from contextlib import ExitStack
from pathlib import Path

from server.stores.embedded.unusable import DirectoryInUse, StoreUnwritable

LOCK_FILE = "tables.lock"
DATABASE_FILE = "tables.db"


def claim(directory: Path) -> int:
    """Make ``directory`` if need be and lock it; returns the lock's file descriptor, to be closed to let go.

    Raises ``DirectoryInUse`` or ``StoreUnwritable``.
    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The secrets of running matches are in there: for our own eyes only.
        os.close(os.open(directory / DATABASE_FILE, os.O_CREAT | os.O_RDWR, 0o600))
        with ExitStack() as undo:
            lock = os.open(directory / LOCK_FILE, os.O_CREAT | os.O_RDWR, 0o600)
            undo.callback(os.close, lock)
            _lock(lock, directory)
            undo.pop_all()
    except OSError as error:
        raise StoreUnwritable(directory, error.strerror or str(error)) from error
    return lock


def _lock(lock: int, directory: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise DirectoryInUse(directory, os.read(lock, 20).decode("ascii", "replace")) from error
    os.ftruncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())
