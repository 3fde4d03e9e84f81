# Everything runs in .venv; a stamp file remembers what was installed, so that a second run starts at once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
SUITE ?= -m "not nightly"
# One process a core; many tests start processes of their own, so more than four would disturb each other.
SPREAD ?= -n auto --maxprocesses 4 --dist worksteal

.PHONY: help demo install test check pytest test-nightly benchmark clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: $(VENV)/.installed ## Install, build the kernel, fuzz an example with a planted bug
	@$(BIN)/monotreme fuzz examples/token --contract TokenHarness --config examples/token/echidna.yaml --seed 1; \
	code=$$?; if [ $$code -eq 1 ]; then echo "(exit code 1: a test was falsified, as planted)"; else exit $$code; fi

install: $(VENV)/.installed ## Create .venv and install the project with its pinned dependencies

test: check pytest ## Lint, type-check and run the whole test suite

check: $(VENV)/.test-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

pytest: $(VENV)/.test-installed
	$(BIN)/python -m pytest $(SUITE) $(SPREAD)

test-nightly: $(VENV)/.test-installed ## Run the long tests too
	$(BIN)/python -m pytest $(SPREAD)

benchmark: $(VENV)/.test-installed ## Print the throughput table
	$(BIN)/python -m benchmarks.throughput

clean: ## Remove the environment and caches of this folder
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; set PYTHON=/path/to/python3") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

# A compiler without a native solc runs on Node.js: from PATH, else from its wheel.
$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install --quiet --constraint constraints.txt --editable $$(command -v npm >/dev/null 2>&1 && echo . || echo '.[node]')
	@touch $@

$(VENV)/.test-installed: $(VENV)/.installed
	$(PIP) install --quiet --constraint constraints.txt --editable '.[test]'
	@touch $@
