"""The table of acceptance cases names tests that exist."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ROWS = [line for line in (TESTS / "cases.md").read_text("utf-8").splitlines() if line.startswith("| H")]
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:6])
def test_every_test_that_a_case_names_exists(row: str) -> None:
    named = NAMED.findall(row)
    assert named
    missing = [(path, name) for path, name in named if f"def {name}(" not in (TESTS / path).read_text("utf-8")]
    assert missing == []
