# The commands of this repository. `make demo` and `make test` do all their own set-up.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
BIN := .venv/bin
# Tools that call others (cython-lint, buf, the protocol generator) find them here.
export PATH := $(CURDIR)/$(BIN):$(PATH)
CHECKED := arena engine_core bots tests docs proto
# A set-up step leaves a stamp and runs again only when what it read has changed.
STAMPS := .venv/.stamps
# One make at a time touches the environment and the compiled core.
LOCKED := flock .core.lock $(MAKE)
CORE_SOURCES = $(shell find engine_core arena -name '*.pyx' -o -name '*.pxd' -o -name '*.h')
# The stamp by which arena knows that a bot's build step has run (arena/server/host.py), and what it reads.
NODE_STAMPS := bots/vanguard/.built
NODE_SOURCES = $(wildcard bots/sdk/typescript/*.json bots/sdk/typescript/src/*.ts)

# In the debug build Cython checks buffers and divisions, and gcc's sanitizer the arrays inside the state.
DEBUG_DIRECTIVES := language_level=3,boundscheck=True,wraparound=False,cdivision=False,initializedcheck=True,embedsignature=True
DEBUG_CFLAGS := -O1 -g -fno-strict-aliasing -fsanitize=bounds,shift,null,alignment -fno-sanitize-recover=all

DEMO := results/demo

.PHONY: help setup demo test lint proto docs lock core core-debug clean installed build-core build-core-debug

help: ## Show the commands
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

setup: ## Create .venv, install what is pinned, build the core, install the Node bots' packages
	@$(LOCKED) installed

demo: setup ## Play a tournament of the classic game among all bots and show the leaderboard
	@$(BIN)/arena tournament run results/demo.toml

# One worker more than there are cores: many tests wait, for a bot that hangs or for Ray.
test: setup ## Run every test
	@.ci/ensure-tools sdks
	@$(BIN)/python -m pytest -n $$(($$(nproc) + 1)) --dist loadfile

lint: setup ## Check style, types and protocol files
	@$(BIN)/ruff check --quiet $(CHECKED)
	@$(BIN)/ruff format --check --quiet $(CHECKED)
	@$(BIN)/mypy
	@$(BIN)/cython-lint engine_core arena tests/kernels
	@cd proto && ../$(BIN)/buf lint

proto: setup ## Generate the Python protocol modules (arena/v1) from proto/
	@$(BIN)/python proto/generate.py

docs: setup ## Write the generated parts of the pages anew
	@$(BIN)/python docs/generate.py

core: ## Rebuild what changed of the compiled core, in place
	@$(LOCKED) build-core

core-debug: ## The same with bounds checks on; `make core` goes back
	@$(LOCKED) build-core-debug

lock: setup ## Refresh requirements.lock from pyproject.toml's ranges
	@scratch=$$(mktemp -d); trap 'rm -rf "$$scratch"' EXIT; \
	$(BIN)/python -m venv $$scratch; \
	$(BIN)/python -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb")); \
	  x = p["project"]["optional-dependencies"]; \
	  print(*p["build-system"]["requires"], *p["project"]["dependencies"], *x["test"], *x["lint"], sep="\n")' \
	  > $$scratch/wanted; \
	$$scratch/bin/pip install -q -r $$scratch/wanted; \
	{ echo '# Written by `make lock`: runtime, test and lint packages, pinned. No index addresses.'; \
	  $$scratch/bin/pip freeze --all --exclude pip; } > requirements.lock

clean: ## Remove the environment and everything built
	rm -rf .venv build *.egg-info $(DEMO)
	find bots \( -name node_modules -o -name dist -o -name build -o -name target -o -name .built \) -prune \
	  -exec rm -rf {} +
	find engine_core arena/server \( -name '*.so' -o -name '*.c' \) -delete

# ---- steps of the set-up; each is called with the lock held

installed: $(STAMPS)/packages build-core $(STAMPS)/project $(NODE_STAMPS)

$(STAMPS)/python: .ci/ensure-tools
	@python=$$(.ci/ensure-tools); [[ -x $(BIN)/python ]] || "$$python" -m venv .venv
	@mkdir -p $(STAMPS); touch $@

$(STAMPS)/packages: requirements.lock $(STAMPS)/python
	$(BIN)/python -m pip install -q --no-deps -r requirements.lock
	@touch $@

# After the core, so that pip finds the generated C and the sources need translating only once.
$(STAMPS)/project: pyproject.toml $(STAMPS)/packages | build-core
	$(BIN)/python -m pip install -qq --no-deps --no-build-isolation -e .
	@touch $@

$(NODE_STAMPS): $(NODE_SOURCES) bots/vanguard/bot.js $(STAMPS)/python
	sh bots/sdk/typescript/build.sh
	@touch $@

# A changed pyproject.toml (flags, directives) or a debug build before rebuilds everything.
build-core: $(STAMPS)/packages
	@mkdir -p build; \
	force=$$([[ build/core.stamp -nt pyproject.toml ]] || echo --force); \
	$(BIN)/python -W ignore -c 'from setuptools import setup; setup()' -q build_ext --inplace $$force
	@touch build/core.stamp

build-core-debug: $(STAMPS)/packages
	@rm -f build/core.stamp
	@PYTHONWARNINGS=ignore CFLAGS='$(DEBUG_CFLAGS)' LDFLAGS='-fsanitize=bounds' \
	  $(BIN)/cythonize -i -f -q -X $(DEBUG_DIRECTIVES) $(filter %.pyx,$(CORE_SOURCES))
