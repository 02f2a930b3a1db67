# Every command a person or CI runs. `make` alone lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup check fix test test-all test-slow bench demo lock

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/make \1|\2/' | column -t -s '|'

setup: $(STAMP) ## install everything into .venv (CPython 3.11 or newer; no compiler)

# The lock file lists every package, so --no-deps installs exactly these and nothing a dependency asks for besides.
$(STAMP): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(STAMP)

check: $(STAMP) ## formatting, lint, types, layers, changelog
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/unit/test_packaging.py

fix: $(STAMP) ## format and mend what lint can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

test: $(STAMP) ## the tests that need no service, GPU or training stack
	$(BIN)/python -m pytest -m "not es and not pg and not llm and not slow"
	@echo "Left out: tests marked es (a real Elasticsearch), pg (a real PostgreSQL), llm (the local model server) and slow. 'make test-all' runs the first three, 'make test-slow' the last."

test-all: $(STAMP) ## all but the slow tests; fails where a service is missing
	POLARIS_TEST_STRICT=1 $(BIN)/python -m pytest -m "not slow"

test-slow: $(STAMP) ## proofs that take minutes
	POLARIS_TEST_STRICT=1 $(BIN)/python -m pytest -m slow

bench: $(STAMP) ## benchmarks: one command each, ratios in one run
	$(BIN)/python bench/run.py

demo: $(STAMP) ## the whole main job on examples/, embedded, no service
	$(BIN)/polaris-admin demo

lock: $(STAMP) ## write requirements.lock anew from pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --extra local --extra parquet --extra postgres --extra duckdb --extra dev pyproject.toml docker/build-requirements.in -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --no-deps docker/model-requirements.in >> requirements.lock
