"""One seed for everything a test draws, printed, so that a failure can be had again; and hypothesis's profiles."""

import os
import random
import secrets

import hypothesis
import pytest

# Time is measured by the benchmarks: an example that takes long on a busy machine is no failure.
hypothesis.settings.register_profile("local", deadline=None, print_blob=True, derandomize=False)
hypothesis.settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True, database=None)

SEED = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, help="what the tests draw from; the header of every run shows it")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    seed = config.option.seed
    is_fixed = seed is None and "CI" in os.environ
    hypothesis.settings.load_profile("ci" if is_fixed else "local")
    if seed is None:
        seed = 0 if is_fixed else secrets.randbelow(2**32)
    config.stash[SEED] = seed
    config.option.hypothesis_seed = str(seed)


def pytest_report_header(config: pytest.Config) -> str:
    return f"seed: {config.stash[SEED]} (again: --seed={config.stash[SEED]})"


def pytest_runtest_setup(item: pytest.Item) -> None:
    # Of its own for every test, so that a test draws the same alone and among others.
    random.seed(f"{item.config.stash[SEED]} {item.nodeid}")
