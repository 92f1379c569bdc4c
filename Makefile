# GNU make 3.81 and a POSIX shell are enough.

HOST = 127.0.0.1
PORT = 8000
DATA = data
PYTHON =
UV = uv
UPGRADE =

BIN = .venv/bin
CORE = server/rules/*,server/fairness/*,server/match/*
COMPILE = $(UV) pip compile --quiet --no-config --universal --fork-strategy fewest --python-version 3.11 \
	--generate-hashes --no-emit-index-url --custom-compile-command "make lock" $(UPGRADE)

.PHONY: help play setup dev test test-long bench lint lock clean

help:
	@echo "make play       install into .venv and start on http://localhost:$(PORT)  (HOST=0.0.0.0  PORT=8000  DATA=data)"
	@echo "make test       all tests that every change must pass, and how much of the code they reach"
	@echo "make lint       style, types, layers"
	@echo "make setup      only install"
	@echo "make test-long  the tests that are too slow for every change"
	@echo "make bench      how fast the parts are"
	@echo "make lock       write the lock files anew from pyproject.toml  (needs uv;  UPGRADE=--upgrade  takes newer versions)"
	@echo "make clean      remove .venv and all that the tools leave behind; games in DATA stay"

setup:
	@PYTHON="$(PYTHON)" sh .ci/venv requirements.lock

dev:
	@PYTHON="$(PYTHON)" sh .ci/venv requirements-dev.lock

play: setup
	@exec $(BIN)/cubilete serve --host "$(HOST)" --port "$(PORT)" --data "$(DATA)"

# The reports speak only when too little is reached, so that the test runner has the last word.
test: dev
	@$(BIN)/python -m pytest --cov --cov-report=
	@text="$$($(BIN)/coverage report --include="$(CORE)" --fail-under=100)" || { echo "$$text"; exit 1; }
	@text="$$($(BIN)/coverage report --omit="$(CORE)" --fail-under=90)" || { echo "$$text"; exit 1; }

test-long: dev
	@$(BIN)/python -m pytest -m long

bench: dev
	@$(BIN)/python -m pytest -m bench -s tests/bench

lint: dev
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

lock:
	$(COMPILE) --group build pyproject.toml -o requirements.lock
	$(COMPILE) --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock

clean:
	rm -rf .venv .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .coverage .coverage.* build dist
	find server tests migrations -name __pycache__ -type d -prune -exec rm -rf {} +
