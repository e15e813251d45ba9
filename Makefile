# Two commands do all the set-up: `make demo` runs the main job, `make test` passes the tests.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DEMO   := $(CURDIR)/.demo
ENV    := ENCYCLOPEDIA_HOME=$(DEMO)

.PHONY: demo test lint bench fuzz oracles clean

$(BIN)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -m compileall -q encyclopedia adapters
	@touch $@

demo: $(BIN)/.installed
	@echo '$$ encyclopedia corpus index packages'
	@$(ENV) $(BIN)/encyclopedia corpus index packages --text
	@echo; echo '$$ encyclopedia search "aiohttp client session timeout" --limit 3'
	@$(ENV) $(BIN)/encyclopedia search "aiohttp client session timeout" --limit 3 --text
	@echo; echo '$$ encyclopedia corpus add notes tests/fixtures/notes'
	@$(ENV) $(BIN)/encyclopedia corpus list --json | grep -q '"notes"' || $(ENV) $(BIN)/encyclopedia corpus add notes tests/fixtures/notes --text
	@echo; echo '$$ encyclopedia search "what do we do before a database migration" --corpus notes --limit 2'
	@$(ENV) $(BIN)/encyclopedia search "what do we do before a database migration" --corpus notes --limit 2 --text

test: $(BIN)/.installed
	$(BIN)/python -m pytest -q -n 2

lint: $(BIN)/.installed
	$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy && $(BIN)/lint-imports

bench: $(BIN)/.installed
	$(BIN)/python -m benchmarks

# What the vendors' own clients send and read, beside our adapters, on the same fakes; no real service is asked.
oracles: $(BIN)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[oracles]'
	$(BIN)/python -m pytest -q oracles

# Half a minute for each parser, guided by what it reaches; `python -m tests.fuzz NAME --seconds N` looks longer at one.
fuzz: $(BIN)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python -m tests.fuzz

clean:
	rm -rf $(VENV) $(DEMO) dist build
