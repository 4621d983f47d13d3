# Two commands do everything: `make start` opens the course, `make test` runs the tests.
PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/python -m pytest
ARGS ?=
COMPILE := $(BIN)/uv pip compile --quiet --upgrade --universal --generate-hashes --no-emit-index-url --no-header --no-annotate pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help setup setup-room setup-test start try test test-fast proof lint format lock clean

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Set up only: .venv, locked packages, the pinned Node, the notebooks
	@command -v $(PYTHON) >/dev/null || { echo "Python is missing. Install it: sudo apt install python3 python3-venv" >&2; exit 2; }
	@$(PYTHON) -m course.install course

setup-room:
	@command -v $(PYTHON) >/dev/null || { echo "Python is missing. Install it: sudo apt install python3 python3-venv" >&2; exit 2; }
	@$(PYTHON) -m course.install room

setup-test:
	@command -v $(PYTHON) >/dev/null || { echo "Python is missing. Install it: sudo apt install python3 python3-venv" >&2; exit 2; }
	@$(PYTHON) -m course.install test

start: setup ## Set up what is missing and open the course in JupyterLab (ARGS="--no-browser")
	@$(BIN)/fourthreads start $(ARGS)

try: setup-room ## Two bets in the terminal; needs the smallest set-up only
	@$(BIN)/python -m course try $(ARGS)

# What computes runs two at a time; what measures runs after it, alone, as a measurement wants the machine to itself. Both
# run in any case, and either fails the whole. (pytest's 5 means that ARGS, such as -k, chose none.)
MEASURES := node or container or browser
define run-tests
	@computed=0; $(PYTEST) -n 2 -q -rs -m "not (slow or $(MEASURES))" $(ARGS) || computed=$$?; \
	measured=0; $(PYTEST) -rs -m "($(1)) and not slow" $(ARGS) || measured=$$?; \
	for code in $$computed $$measured; do [ $$code = 0 ] || [ $$code = 5 ] || exit 1; done
endef

test: setup-test lint ## Run the tests, as CI does (ARGS="-k gates")
	$(call run-tests,$(MEASURES))

test-fast: setup-test ## Run the tests that need neither container nor browser
	$(call run-tests,node and not (container or browser))

proof: setup-test ## Prove what takes long, on a quiet machine; course/docs/proof.md (ARGS="model bench")
	@$(BIN)/python -m tests.proof $(ARGS)

lint: setup-test ## Check style, form and types
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy

format: setup-test ## Put the code into its form
	@$(BIN)/ruff check --fix-only
	@$(BIN)/ruff format

lock: setup-test ## Move every dependency to its newest version and lock it by hash
	@$(COMPILE) --extra course --group test -o requirements-test.lock
	@$(COMPILE) --extra course -c requirements-test.lock -o requirements.lock
	@$(COMPILE) -c requirements.lock -o containers/room.lock
	@git --no-pager diff --stat -- '*.lock'

clean: ## Remove what was made here; learners' work stays
	rm -rf .venv build artefacts .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info .set-up.lock
	find course labs grader tests -name __pycache__ -type d -exec rm -rf {} +
