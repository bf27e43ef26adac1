# Two commands matter: `make book` and `make test`. Both start from a bare machine with Python >= 3.10 and Node >= 20.
# Works with GNU make from 3.81 (macOS) on.

SHELL := /bin/sh
BIN := .venv/bin
# Programs started by chapters find the environment's tools first.
export PATH := $(CURDIR)/.venv/bin:$(CURDIR)/node_modules/.bin:$(PATH)
# Set by an outer notebook or build; not meant for ours.
unexport LAB_CHAPTER LAB_USAGE_FILE VIRTUAL_ENV PYTHONPATH

# One after another, whatever -j says: measurements at the same time ruin each other.
.NOTPARALLEL:
.PHONY: help book chapter test lab preview replay book-results links pdf lighthouse reference results bench tools nodes clean distclean lock setup addons kernels browser lint pytest nodetest smoke site

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

book: setup ## run what has changed and build the site into _build/html
	@$(BIN)/python -m lab.book build

chapter: setup ## measure one chapter again: make chapter NAME=blocking/off-the-loop [PROFILE=course|reference]
	@LAB_MODE=live LAB_PROFILE=$(or $(PROFILE),$(LAB_PROFILE),course) $(BIN)/python -m lab.book chapter "$(NAME)"

lab: setup ## JupyterLab on book/, both kernels ready
	@$(BIN)/jupyter lab --config tools/jupyter_lab_config.py $(ARGS)

preview: setup ## serve the site from recorded results, rebuild on save; measures nothing
	@LAB_MODE=replay $(BIN)/python -m lab.book preview --port $(or $(PORT),8000)

replay: setup ## build the site from recorded results into _build/replay; measures nothing
	@LAB_MODE=replay $(BIN)/python -m lab.book build --output _build/replay

book-results: replay ## write data/book-results.json again, after records were added or taken out by hand
	@cp _build/replay/html/book-results.json data/

links: replay ## ask every outside link of the book whether it still answers (needs the network)
	@LAB_MODE=replay $(BIN)/jupyter-book build . --builder linkcheck --path-output _build/links

pdf: replay browser ## the whole book in one document, _build/pdf/nodejs-io-measured.pdf
	@node tools/pdf.mjs _build/replay/html _build/pdf

lighthouse: replay browser ## ask Lighthouse about three pages of the replayed site
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

test: browser lint pytest nodetest smoke site ## linters, tests, the book in the smoke profile, the site in a browser

# Asked first, because it is needed last. The same places as in tests/site/browser.mjs.
browser:
	@if [ -n "$$CHROME" ]; then set -- "$$CHROME"; \
	else set -- chromium chromium-browser google-chrome-stable google-chrome \
	  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; fi; \
	for b; do if command -v "$$b" >/dev/null 2>&1; then exit 0; fi; done; \
	echo "make test needs Chromium or Chrome, and there is no $$1: run make tools (Debian: sudo apt-get install chromium), or set CHROME to its path." >&2; exit 1

lint: setup
	@echo "== linters"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@npx --no-install biome check --error-on-warnings .
	@npx --no-install cspell lint --no-progress --no-summary

pytest: setup
	@sh tools/nodes/install.sh $$($(BIN)/python -c 'from lab import nodes; print(*nodes.SUPPORTED)')
	@echo "== Python tests"
	@$(BIN)/python -m pytest $(ARGS)

nodetest: setup
	@echo "== Node tests"
	@files=`find tests/node -name '*.test.mjs' | sort`; \
	  if [ -n "$$files" ]; then "$${LAB_NODE:-node}" --test --test-reporter=spec --test-concurrency=1 $$files; fi

smoke: setup
	@echo "== the book, smoke profile"
	@LAB_MODE=live LAB_PROFILE=smoke $(BIN)/python -m lab.book build

site: setup
	@echo "== the site in a browser"
	@SITE=_build/smoke/html node --test --test-reporter=spec --test-concurrency=1 tests/site/*.test.mjs
	@$(ask_lighthouse) _build/smoke/html

bench: setup ## measure the build and the measurement core; prints and stores figures
	@for f in bench/*.py; do $(BIN)/python $$f || exit 1; done

lock: setup ## resolve requirements.in into requirements.txt (needs uv; `pip install uv` anywhere)
	@UV=$${UV:-uv}; $$UV pip compile --universal --python-version 3.10 --fork-strategy fewest \
	  --no-emit-index-url --no-emit-find-links --no-header requirements.in -o requirements.txt

tools: ## install optional programs (wrk, nginx, ab, hey, a browser) from the system's packages
	@sh tools/programs.sh

nodes: ## Node 16 to 26 from npm into tools/nodes, to see and test what differs (NODES="24 26": only those)
	@sh tools/nodes/install.sh $(NODES)

kernels: setup ## put both kernels into .venv again
	@$(BIN)/python -m lab.kernelspec

setup:
	@sh tools/setup.sh
	@$(BIN)/python -m lab.servers.rust_addon

addons: setup ## build the addons in Rust again if their sources changed; `make` does it too, where there is cargo

clean: ## remove what builds and chapters wrote; keeps the environments
	rm -rf _build data/runs .pytest_cache .mypy_cache .ruff_cache
	find book lab tests bench servers -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
	find book -name .ipynb_checkpoints -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean ## remove the environments too
	rm -rf .venv node_modules tools/lighthouse/node_modules tools/nodes/node_modules tools/nodes/[0-9]*/node_modules .setup-lock* *.egg-info servers/rust/*/target servers/rust/*/Cargo.lock
