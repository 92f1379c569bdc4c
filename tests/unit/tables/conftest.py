"""A house for every test, which must not hear of anything broken."""

from collections.abc import AsyncIterator

import pytest
from structlog.testing import capture_logs

from tests.unit.tables.kit import House, settle


@pytest.fixture
async def house() -> AsyncIterator[House]:
    with capture_logs() as logged:
        house = House(logged)
        yield house
        await house.kill()
        await settle()
    assert house.faults == [], [line for line in house.logged if line["log_level"] == "error"]
