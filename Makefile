# Every command a person or CI runs. `make` alone lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
TRAIN  := $(VENV)/.installed-train
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps

.DEFAULT_GOAL := help
.PHONY: help setup setup-train check fix test test-all test-services test-slow bench bench-train demo lock

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/make \1|\2/' | column -t -s '|'

setup: $(STAMP) ## install everything into .venv (CPython 3.11 or newer; no compiler)

# The lock file lists every package, so --no-deps installs exactly these and nothing a dependency asks for besides.
$(STAMP): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-build-isolation -e .
	touch $(STAMP)

setup-train: $(TRAIN) ## install the training stack as well (torch and trl; some GB)

$(TRAIN): $(STAMP) requirements-train.lock
	$(INSTALL) --require-hashes -r requirements-train.lock
	touch $(TRAIN)

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
	$(BIN)/python -m pytest -m "not es and not pg and not llm and not train and not slow"
	@echo "Left out: tests marked es (a real Elasticsearch), pg (a real PostgreSQL), llm (the local model server), train (torch and trl) and slow. 'make test-all' runs all but the last, 'make test-slow' that."

test-services: $(STAMP) $(TRAIN) ## the tests that `make test` leaves out, but for the slow ones; fails where a service is missing
	POLARIS_TEST_STRICT=1 $(BIN)/python -m pytest -m "(es or pg or llm or train) and not slow"

test-all: test test-services ## all but the slow tests

test-slow: $(TRAIN) ## proofs that take minutes
	POLARIS_TEST_STRICT=1 $(BIN)/python -m pytest -m slow

bench-train: $(TRAIN) ## a full-size training step beside plain trl: time and memory of a pair
	$(BIN)/python bench/train.py

bench: $(STAMP) ## benchmarks: one command each, ratios in one run
	$(BIN)/python bench/run.py

demo: $(STAMP) ## the whole main job on examples/, embedded, no service
	$(BIN)/polaris-admin demo

lock: $(STAMP) ## write requirements.lock anew from pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --extra local --extra parquet --extra postgres --extra duckdb --extra dev pyproject.toml docker/build-requirements.in -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --no-deps docker/model-requirements.in >> requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header --extra train --constraint requirements.lock pyproject.toml -o requirements-train.lock
