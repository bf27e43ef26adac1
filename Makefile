# Two commands matter: `make book` and `make test`. Both start from a bare machine with Python and Node (see README.md).
# Works with GNU make from 3.81 (macOS) on.

SHELL := /bin/sh
BIN := .venv/bin
# Programs started by chapters find the environment's tools first.
export PATH := $(CURDIR)/.venv/bin:$(CURDIR)/node_modules/.bin:$(PATH)
# npm lies beside its Node and starts `node` by name: where only LAB_NODE says which, both are found there.
ifneq ($(LAB_NODE),)
export PATH := $(PATH)$(shell node=$$(command -v '$(LAB_NODE)') && printf ':%s' "$$(cd "$$(dirname "$$node")" && pwd)")
endif
# Set by an outer notebook or build; not meant for ours.
unexport LAB_CHAPTER LAB_USAGE_FILE VIRTUAL_ENV PYTHONPATH

# One after another, whatever -j says: measurements at the same time ruin each other.
.NOTPARALLEL:
.PHONY: help book chapter new teaching test attack lab preview replay book-results links pdf lighthouse reference results bench tools nodes clean distclean lock bare setup setup-lab setup-preview setup-dev addons kernels browser lint pytest nodetest smoke site

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

book: setup ## run what has changed and build the site into _build/html
	@$(BIN)/python -m lab.book build

chapter: setup ## measure one chapter again: make chapter NAME=blocking/off-the-loop [PROFILE=course|reference]
	@LAB_MODE=live LAB_PROFILE=$(or $(PROFILE),$(LAB_PROFILE),course) $(BIN)/python -m lab.book chapter "$(NAME)"

new: setup ## begin a chapter: make new NAME=topic/name; or WHAT=server NAME=node/x, WHAT=question, WHAT=claim
	@$(BIN)/python -m lab.book new -- "$(or $(WHAT),chapter)" "$(NAME)"

teaching: setup ## count how each chapter teaches: words, minutes, questions and when they tell (ARGS=--json)
	@$(BIN)/python -m lab.book teaching $(ARGS)

lab: setup-lab ## JupyterLab on book/, both kernels ready
	@$(BIN)/jupyter lab --config tools/jupyter_lab_config.py $(ARGS)

preview: setup-preview ## serve the site from recorded results, rebuild on save; measures nothing
	@LAB_MODE=replay $(BIN)/python -m lab.book preview --port $(or $(PORT),8000)

replay: setup ## build the site from recorded results into _build/replay; measures nothing
	@LAB_MODE=replay $(BIN)/python -m lab.book build --output _build/replay

book-results: replay ## write data/book-results.json again, after records were added or taken out by hand
	@cp _build/replay/html/book-results.json data/

links: replay ## ask every outside link of the book whether it still answers (needs the network)
	@LAB_MODE=replay $(BIN)/jupyter-book build . --builder linkcheck --path-output _build/links

pdf: replay browser ## the whole book in one document, _build/pdf/nodejs-io-measured.pdf
	@node tools/pdf.mjs _build/replay/html _build/pdf

lighthouse: replay browser ## ask Lighthouse about four pages of the replayed site
	@$(ask_lighthouse) _build/replay/html

# Apart from what the book needs: who only reads or measures can do without its 200 packages.
define ask_lighthouse
cmp -s tools/lighthouse/package-lock.json tools/lighthouse/node_modules/.made || \
  { (cd tools/lighthouse && npm ci) && cp tools/lighthouse/package-lock.json tools/lighthouse/node_modules/.made; } && \
  node tools/lighthouse/run.mjs
endef

reference: setup ## record the reference run again (long; an idle machine, please)
	@LAB_MODE=live LAB_PROFILE=reference $(BIN)/python -m lab.book build

results: setup ## write what was measured here into one file, and say where it is
	@$(BIN)/python -m lab results

# The browser first, because it is needed last.
test: browser lint pytest nodetest smoke site ## linters, tests, the book in the smoke profile, the site in a browser

# Every case, also those that a test run leaves to the night; the pages are those of the recorded run.
attack: replay browser ## hostile servers, surroundings, signals, records, pages: all cases, some ten minutes
	@SITE=_build/replay/html LAB_ATTACK_SEED=$${LAB_ATTACK_SEED:-$$(($$(date +%s) / 86400))} \
	  $(BIN)/python -m pytest tests/attack -m "" $(ARGS)

browser: setup-dev ## get a browser into this folder or from the system's packages, if there is none
	@node tools/browser.mjs --install >/dev/null

lint: setup-dev
	@echo "== linters"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@npx --no-install biome check --error-on-warnings .
	@npx --no-install cspell lint --no-progress --no-summary

pytest: setup-dev
	@sh tools/nodes/install.sh $$($(BIN)/python -c 'from lab.processes import nodes; print(*nodes.SUPPORTED)')
	@echo "== Python tests"
	@few=0; $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder -m "not alone and not nightly" $(ARGS) || few=$$?; \
	  [ $$few = 0 ] || [ $$few = 5 ] || exit $$few; \
	  $(BIN)/python -m pytest -m "alone and not nightly" $(ARGS) || { code=$$?; [ $$code = 5 ] && [ $$few = 0 ] || exit $$code; }
# 5 is "no test": ARGS may leave one of the two nothing to do, and not both.

nodetest: setup-dev
	@echo "== Node tests"
	@files=`find tests/node -name '*.test.mjs' | sort`; \
	  if [ -n "$$files" ]; then "$${LAB_NODE:-node}" --test --test-reporter=spec --test-concurrency=1 $$files; fi

smoke: setup-dev
	@echo "== the book, smoke profile"
	@LAB_MODE=live LAB_PROFILE=smoke $(BIN)/python -m lab.book build

site: setup-dev
	@echo "== the site in a browser"
	@SITE=_build/smoke/html node --test --test-reporter=spec --test-concurrency=1 tests/site/*.alone.mjs
	@SITE=_build/smoke/html node --test --test-reporter=spec --test-concurrency=2 tests/site/*.test.mjs
	@$(ask_lighthouse) _build/smoke/html

bench: setup ## measure the build and the measurement core; prints and stores figures
	@for f in bench/*.py; do $(BIN)/python $$f || exit 1; done

# All layers together, so that they agree, then each for itself. Packages must come as wheels: readers have no compiler.
# The pins of before stand as long as they can; UPGRADE=-U takes the newest of all, UPGRADE="-P numpy" of one.
RESOLVE = $${UV:-uv} pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
  --only-binary :all: --no-binary pycnic --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-build-options --no-header
lock: ## resolve requirements.in and requirements/*.in into the .txt beside them (needs uv: `pip install uv` anywhere)
	@mkdir -p _build && cat requirements.txt requirements/*.txt | sed -n 's/^\([^ ]*==[^ ]*\).*/\1/p' | sort -u >_build/pins.txt
	@$(RESOLVE) $(UPGRADE) requirements.in requirements/*.in -o _build/pins.txt
	@for layer in requirements requirements/lab requirements/preview requirements/dev; do \
	  $(RESOLVE) -c _build/pins.txt $$layer.in -o $$layer.txt && \
	  sed '/^ *#   -c _build/d' $$layer.txt >_build/layer.txt && cp _build/layer.txt $$layer.txt || exit 1; done
	@for python in 3.11 3.12 3.13 3.14; do \
	  for platform in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu aarch64-apple-darwin; do \
	    $${UV:-uv} pip install --quiet --dry-run --no-deps --only-binary :all: --no-binary pycnic --target _build/nowhere \
	      --python-version $$python --python-platform $$platform -r _build/pins.txt || \
	      { echo "Python $$python on $$platform lacks a wheel: see above" >&2; exit 1; }; done; done

tools: ## install the optional programs of some comparisons (wrk, nginx, ab, hey, thin) from the system's packages
	@sh tools/programs.sh

nodes: ## Node 16 to 26 from npm into tools/nodes, to see and test what differs (NODES="24 26": only those)
	@sh tools/nodes/install.sh $(NODES)

bare: ## both commands in a bare Debian (needs root and apt): make bare SUITE=forky NODE=26 [AS=root]
	@AS="$(AS)" tools/bare-machine $(or $(SUITE),trixie) $(or $(NODE),24)

kernels: setup ## put both kernels into .venv again
	@$(BIN)/python -m lab.kernels.kernelspec

# The book's packages, and with a name those of a layer: `make setup-lab` for JupyterLab, and so on.
setup setup-lab setup-preview setup-dev:
	@sh tools/setup.sh $(patsubst setup-%,%,$(filter-out setup,$@))
	@$(BIN)/python -m lab.servers.rust_addon

addons: setup ## build the addons in Rust again if their sources changed; `make` does it too, where there is cargo

clean: ## remove what builds and chapters wrote; keeps the environments
	rm -rf _build data/runs .pytest_cache .mypy_cache .ruff_cache
	find book lab tests bench servers -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
	find book -name .ipynb_checkpoints -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean ## remove the environments too
	rm -rf .venv node_modules tools/lighthouse/node_modules tools/nodes/node_modules tools/nodes/[0-9]*/node_modules tools/browser/node_modules tools/browser/installed .setup-lock* *.egg-info servers/rust/*/target servers/rust/*/Cargo.lock
