"""A store of every kind, opened on a folder of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.contract.harness import ADAPTERS, Store


@pytest_asyncio.fixture(params=ADAPTERS, ids=lambda adapter: adapter.__name__.lower())
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    store: Store = request.param(tmp_path / "data")
    await store.open()
    yield store
    await store.shut()
