"""One nursery for all servers that are killed here, and a victim for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.crashing.victim import Nursery, Victim


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    nursery = Nursery()
    yield nursery
    nursery.close()


@pytest.fixture
def victim(nursery: Nursery, tmp_path: Path) -> Iterator[Victim]:
    victim = Victim(nursery, tmp_path)
    yield victim
    victim.end()
