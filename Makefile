# Each target does its own set-up; `make demo` and `make test` need python3 (3.11 or later) only.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Processes that tests run in: one a processor.
JOBS ?= auto
# Our matrices are small: two processes with threads of linear algebra get in each other's way.
export OPENBLAS_NUM_THREADS ?= 1
# Tests of the command line start Python often: compiled modules are kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check frozen frozen-accept docs coverage fuzz bench wheel clean

demo: $(VENV)/.demo
	@mkdir -p demo
	@$(BIN)/headcount judge example:stars example:judge -o demo/card.html

test: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@# Types beside the tests: the one keeps a single processor busy, and not for long.
	@$(BIN)/pyright --pythonpath $(BIN)/python > $(VENV)/types.txt 2>&1 & types=$$!; \
		$(BIN)/pytest -n $(JOBS) --dist worksteal; tests=$$?; \
		wait $$types; types=$$?; cat $(VENV)/types.txt; exit $$((tests | types))

# Lint, types and tests of what differs from BASE: what to run while working.
BASE ?= HEAD
check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@files=$$($(BIN)/python tests/changed.py types $(BASE)); test -z "$$files" || \
		{ $(BIN)/pyright --pythonpath $(BIN)/python $$files && $(BIN)/pytest -q $$files; \
		code=$$?; test $$code -eq 5 || exit $$code; }  # 5: no doctest in them
	@files=$$($(BIN)/python tests/changed.py tests $(BASE)); test -z "$$files" || \
		{ $(BIN)/pytest -q -n $(JOBS) --dist worksteal $$files || test $$? -eq 5; }  # 5: no test in them

# What commands answer, beside what they answered when it was last accepted; some minutes. Accepting
# shows what changes, and writes it.
frozen: $(VENV)/.dev
	$(BIN)/python tests/frozen/frozen.py check

frozen-accept: $(VENV)/.dev
	$(BIN)/python tests/frozen/frozen.py accept

# The site, in docs/_build: open index.html. A warning is an error.
docs: $(VENV)/.dev
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build

coverage: $(VENV)/.dev
	$(BIN)/pytest -n $(JOBS) --dist worksteal --cov --cov-report=term

# Mutated files through every command: an answer or a refusal, nothing else. Then tables whose truth
# is known, in many renderings: the truth, or a refusal that leads to it.
RUNS ?= 10000
SEED ?= 0
fuzz: $(VENV)/.dev
	$(BIN)/python tests/fuzz.py --runs $(RUNS) --seed $(SEED)
	$(BIN)/python -m tests.io.known_truth --runs $(RUNS) --seed $(SEED)

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py $(PARTS)

# Every command of the README and the install page, in a fresh clone and an empty environment; then with
# the wheel alone. Takes minutes. WHOLE=--all runs `make test` there, too.
wheel:
	sh tests/wheel.sh

clean:
	rm -rf $(VENV) .bench-venv* demo docs/_build docs/reference/generated .pytest_cache .ruff_cache .hypothesis .coverage

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "headcount needs Python 3.11 or later; say which: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[report]'
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.demo
