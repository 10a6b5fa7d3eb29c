# GNU make 4. `make` alone lists the targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help install check serve site offline test scale recipes gpu bench metal fmt status
# A half-made file is removed, so that the next run makes it again.
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PORT ?= 8000
# The suite's processes: one a core, and no more than eight.
JOBS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); echo $$((n > 8 ? 8 : n)))
PY := .venv/bin/python
# PYTHONWARNINGS: setuptools warns of each editable installation, and newer pips print it.
PIP := PYTHONWARNINGS=ignore $(PY) -m pip install --quiet --disable-pip-version-check
# node and npm: those of .venv (there only where the machine's own are missing or too old), or else
# the machine's.
NODE_PATHS = PATH="$(CURDIR)/.venv/bin:$$PATH"

# The suite starts hundreds of Pythons, and each would compile the sources again: a second of a core.
unexport PYTHONDONTWRITEBYTECODE

# Material's banner about MkDocs 2 is known; a strict build need not print it each time.
export NO_MKDOCS_2_WARNING := 1

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: .venv/.installed node_modules/.installed ## install what the site and its suite need

serve: .venv/.installed node_modules/.installed ## serve the site on http://127.0.0.1:8000, and build again what changes (PORT=8001 for another port)
	@$(NODE_PATHS) $(PY) tools/assets.py
	@echo "Building the site ..."
	@$(NODE_PATHS) $(PY) tools/serve.py $(PORT)

site: site/.built ## build the site into site/
	@echo "The site is in site/"

offline: site/.built ## build the site for reading without a server: dist/lockstep-site.zip
	@$(PY) tools/offline.py

test: .venv/.installed node_modules/.installed ## run the whole CPU suite: every page, kernel and test (SHARD=2/4 for the second quarter)
	@$(NODE_PATHS) $(PY) tools/assets.py
	@echo "Looking for a browser ..."
	@browser=$$($(PY) -m tests.browser) && \
	export LOCKSTEP_CHROMIUM="$$browser" NUMBA_ENABLE_CUDASIM=1 && \
	echo "Running the suite in $(JOBS) processes ..." && \
	$(NODE_PATHS) $(PY) -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder $(if $(SHARD),--shard $(SHARD)) $(ARGS)
	@echo; echo "Evidence, for information (the site's deployment refuses stale records):"
	@$(PY) -m lockstep status || test $$? -eq 1

check: .venv/.installed node_modules/.installed ## check one page and all that concerns it (PAGE=docs/index.md)
	@$(NODE_PATHS) $(PY) tools/assets.py
	@NUMBA_ENABLE_CUDASIM=1 $(NODE_PATHS) $(PY) -m tests.check $(PAGE)

scale: .venv/.installed node_modules/.installed ## hold what a clock must tell, on 500 pages and an idle machine
	@$(NODE_PATHS) $(PY) tools/assets.py
	@LOCKSTEP_SCALE=1 $(NODE_PATHS) $(PY) -m pytest -q -s tests/test_scale.py

# Before anything is installed. CUDA 13 says which driver: docs/setup.md.
.PHONY: has-gpu
has-gpu:
	@[[ "$$(nvidia-smi -L 2>/dev/null)" == GPU* ]] || { \
	  echo "make $(MAKECMDGOALS): no NVIDIA GPU here (nvidia-smi lists none); 'make test' needs no GPU" >&2; exit 1; }
	@driver=$$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1); \
	  [ "$${driver%%.*}" -ge 580 ] || { \
	  echo "make $(MAKECMDGOALS): driver $$driver is too old for CUDA 13, which needs 580 or newer" >&2; exit 1; }

recipes: ## follow the contributors' recipes in clean clones of the last commit, with times (NAME=term; ARGS=--here installs nothing)
	@$(or $(PYTHON),python3) -m tests.recipes $(NAME) $(ARGS)

gpu: has-gpu .venv/.installed ## run every page and kernel on this machine's NVIDIA GPU and write evidence/
	@$(MAKE) .venv/.installed-gpu
	@env -u NUMBA_ENABLE_CUDASIM $(PY) -m lockstep gpu $(ARGS)

bench: has-gpu .venv/.installed ## measure the benchmarks on this machine's GPU (NAME=... for one of them)
	@$(MAKE) .venv/.installed-gpu
	@env -u NUMBA_ENABLE_CUDASIM $(PY) -m benchmarks $(NAME)

metal: ## run the Metal kernels on this Mac's GPU and write evidence/ (macOS on Apple silicon)
	@[[ "$$(uname -sm)" == "Darwin arm64" ]] || { \
	  echo "make metal: this is no Mac with Apple silicon; 'make test' runs the Metal kernels on a CPU" >&2; exit 1; }
	@$(MAKE) .venv/.installed-metal
	@$(PY) tools/apple.py

fmt: .venv/.installed ## format the Python files and mend what ruff can mend
	@.venv/bin/ruff format . && .venv/bin/ruff check --fix .

status: .venv/.installed ## list pages, blocks by proof, stale and missing evidence
	@$(PY) -m lockstep status

# ---------------------------------------------------------------- what the targets stand on

# Names of the stamps: a stamp older than what it depends on is made again, else nothing is done.

.venv/.installed: pyproject.toml tools/venv.sh
	@PYTHON="$(PYTHON)" tools/venv.sh .venv
	@echo "Installing Python packages into .venv (about 1 GB; minutes on a slow line) ..."
	@$(PIP) --editable '.[site]'
	@touch $@

.venv/.installed-gpu: .venv/.installed
	@echo "Installing CuPy, PyTorch and the CUDA libraries into .venv (about 6 GB) ..."
	@$(PIP) --editable '.[gpu,mpi]'
	@touch $@

# What a Mac needs, and no more: the packages of the suite include CUDA's, which macOS does not have.
.venv/.installed-metal: Makefile tools/venv.sh
	@PYTHON="$(PYTHON)" tools/venv.sh .venv
	@echo "Installing NumPy and PyObjC into .venv ..."
	@$(PIP) 'numpy>=2.2,<2.5' 'pyyaml==6.0.3' 'pyobjc-framework-Metal==12.2.*'
	@touch $@

# Debian's nodejs comes without npm, so both are asked for.
.venv/.node: .venv/.installed
	@if node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' 2>/dev/null \
	  && npm --version >/dev/null 2>&1; then :; else \
	  echo "No node 20 or newer with npm here: installing both into .venv ..."; \
	  $(PIP) --editable '.[node]'; fi
	@touch $@

node_modules/.installed: package.json package-lock.json .npmrc | .venv/.node
	@echo "Installing front-end packages into node_modules ..."
	@$(NODE_PATHS) npm ci --loglevel=error >/dev/null
	@touch $@

# Folders are listed beside files where a removed page must be noticed too.
SOURCES = $(shell find docs snippets evidence overrides web -not -path 'docs/assets/vendor*' 2>/dev/null) \
  $(shell find kernels benchmarks lockstep lockstep_site simulator tools -name '*.py' -o -name '*.mjs' 2>/dev/null)

site/.built: mkdocs.yml $(SOURCES) | .venv/.installed node_modules/.installed
	@echo "Building the site ..."
	@$(NODE_PATHS) $(PY) tools/assets.py
	@$(PY) -m mkdocs build --strict --quiet
	@$(NODE_PATHS) node tools/prerender.mjs site
	@touch $@
