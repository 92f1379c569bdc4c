"""Why an embedded store cannot be opened: each message tells an operator what to do."""

from pathlib import Path


class StoreUnusable(Exception):
    """The data directory cannot be used by this process as it is."""


class DirectoryInUse(StoreUnusable):
    """Another process has the data directory."""

    def __init__(self, directory: Path, holder: str) -> None:
        super().__init__(
            f"The data directory {directory} is in use by process {holder or 'unknown'}. "
            "Stop that process, or give this one a directory of its own."
        )


class StoreDamaged(StoreUnusable):
    """The file is no database, not one of ours, or broken."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} cannot be read as a store of tables ({reason}). Move it away and restore a backup.")


class StoreNewer(StoreUnusable):
    """A newer program has written the database."""

    def __init__(self, path: Path, version: int) -> None:
        super().__init__(
            f"{path} was written by a newer program (layout {version}). Update this program, or give it another directory."
        )


class StoreUnwritable(StoreUnusable):
    """The operating system or the disk does not let us."""

    def __init__(self, directory: Path, reason: str) -> None:
        super().__init__(f"The data directory {directory} cannot be used: {reason}. Give it rights and room, on a local disk.")
