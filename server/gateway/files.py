"""The files that browsers are given, read once and kept in memory."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Pages:
    """What browsers are given, read once."""

    how_to_join: bytes
    style: bytes
    icon: bytes


def read_pages(web: Path) -> Pages:
    """The pages in the folder ``web``."""
    return Pages(*((web / name).read_bytes() for name in ("index.html", "page.css", "icon.svg")))
