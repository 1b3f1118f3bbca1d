# The commands of this repository. `make demo` and `make test` do all their own set-up.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
# Every set-up step leaves a stamp here; a step runs again only when what it read has changed.
STAMPS := $(VENV)/.stamps
LOCKED := flock .core.lock $(MAKE) --no-print-directory
CORE_SOURCES = $(shell find engine_core -name '*.pyx' -o -name '*.pxd' -o -name '*.h')

# Cython checks Python-level buffers; gcc's sanitizer checks the C arrays inside the state.
DEBUG_DIRECTIVES := language_level=3,boundscheck=True,wraparound=False,cdivision=False,initializedcheck=True,embedsignature=True
DEBUG_CFLAGS := -O1 -g -fno-strict-aliasing -fsanitize=bounds,shift,null,alignment -fno-sanitize-recover=all

.PHONY: core core-debug build-core build-core-debug

core: ## Rebuild what changed of the compiled core, in place
	@$(LOCKED) build-core

core-debug: ## The same with bounds checks on; `make core` goes back
	@$(LOCKED) build-core-debug

# A changed pyproject.toml (flags, directives) or a debug build before rebuilds everything.
build-core:
	@mkdir -p build
	@force=$$([[ build/core.stamp -nt pyproject.toml ]] || echo --force); \
	$(BIN)/python -W ignore -c 'from setuptools import setup; setup()' -q build_ext --inplace $$force
	@touch build/core.stamp

build-core-debug:
	@rm -f build/core.stamp
	@PYTHONWARNINGS=ignore CFLAGS='$(DEBUG_CFLAGS)' LDFLAGS='-fsanitize=bounds' \
	  $(BIN)/cythonize -i -f -q -X $(DEBUG_DIRECTIVES) $(filter %.pyx,$(CORE_SOURCES))
