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
# Many images of containers set it. A build and its kernels are Python started dozens of times, tests hundreds: with
# what was compiled thrown away, each compiles all packages again, which is three quarters of its start.
unexport PYTHONDONTWRITEBYTECODE

# One after another, whatever -j says: measurements at the same time ruin each other.
.NOTPARALLEL:
.PHONY: help book chapter new teaching test attack live check final grade exercises mutation lab preview replay book-results links pdf cards slides slides-names lighthouse reference versions candidate checks results bench tools nodes clean distclean lock bare setup setup-postgres setup-pycnic setup-lab setup-preview setup-dev setup-hub setup-classroom classroom course classtest clinic-set checkup release addons kernels browser lint pytest quick together alone prepared pages nodetest smoke site livetest hub hub-accounts hub-config hub-server hub-sizes class-test

help: ## list the targets
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

##@ The book

book: setup ## run what has changed and build the site into _build/html
	@$(BIN)/python -m lab.book build

chapter: setup ## measure one chapter again: make chapter NAME=cases/off-the-loop [PROFILE=course|reference]
	@LAB_MODE=live LAB_PROFILE=$(or $(PROFILE),$(LAB_PROFILE),course) $(BIN)/python -m lab.book chapter "$(NAME)"

new: setup ## begin a chapter: make new NAME=topic/name (or WHAT=server NAME=node/x, WHAT=question, WHAT=claim, WHAT=exercise NAME=topic/chapter/its-id)
	@$(BIN)/python -m lab.book new -- "$(or $(WHAT),chapter)" "$(NAME)"

teaching: setup ## count how each chapter teaches: words, minutes, questions and when they give their answers (ARGS=--json)
	@$(BIN)/python -m lab.book teaching $(ARGS)

live: setup-lab ## serve the book, with cells that run on the page (ARGS=--no-browser)
	@$(BIN)/python -m lab.live $(ARGS)

lab: setup-lab ## start JupyterLab in book/, with both kernels
	@$(BIN)/jupyter lab --config tools/jupyter_lab_config.py $(ARGS)

preview: setup-preview ## serve the site from recorded results and rebuild it on save; measures nothing
	@LAB_MODE=replay $(BIN)/python -m lab.book preview --port $(or $(PORT),8000)

replay: setup ## build the site from recorded results into _build/replay; measures nothing
	@LAB_MODE=replay $(BIN)/python -m lab.book build --output _build/replay

book-results: replay ## write data/book-results.json again after you have added or removed records by hand
	@cp _build/replay/html/book-results.json data/

links: replay ## check every external link in the book (needs the network)
	@LAB_MODE=replay $(BIN)/jupyter-book build . --builder linkcheck --path-output _build/links

slides: slides-names replay browser ## make slides of a chapter's questions and plots: make slides NAME=blocking/sync-or-async-files
	@node tools/slides.mjs _build/replay/html _build/slides $(NAME)

cards: replay browser ## draw a picture of each page and of each verdict for link previews (needs LAB_SITE_URL)
	@node tools/cards.mjs _build/replay/html

# Before anything is built.
slides-names:
	@[ -n "$(NAME)" ] || { echo "Name the chapter: make slides NAME=cases/off-the-loop" >&2; exit 2; }
	@for name in $(NAME); do [ -f "book/$$name.md" ] || { \
	  echo "There is no chapter $$name. Chapters are the files under book/, without .md: make slides NAME=cases/off-the-loop" >&2; exit 2; }; done

pdf: replay browser ## write the whole book into one document, _build/pdf/nodejs-io-measured.pdf
	@node tools/pdf.mjs _build/replay/html _build/pdf

lighthouse: replay browser ## test four pages of the replayed site with Lighthouse
	@$(ask_lighthouse) _build/replay/html

# Apart from what the book needs: who only reads or measures can do without its 200 packages.
define ask_lighthouse
cmp -s tools/lighthouse/package-lock.json tools/lighthouse/node_modules/.made || \
  { (cd tools/lighthouse && npm ci) && cp tools/lighthouse/package-lock.json tools/lighthouse/node_modules/.made; } && \
  node tools/lighthouse/run.mjs
endef

##@ What was measured

reference: setup ## record the reference run, or continue it: make reference NODE=24 [NAME="start timers/..."] [ARGS="--fresh --anyway"]
	@LAB_MODE=live LAB_PROFILE=reference $(BIN)/python -m lab.book reference $(if $(NODE),--node $(NODE)) $(NAME) $(ARGS)

# Its results go neither where the recorded run is nor where those of a reader are.
versions: setup ## measure every claim and order once on each Node, into data/versions.json, in two hours: make versions [ARGS="--nodes 24 26 --fresh --against"]
	@sh tools/nodes/install.sh $$($(BIN)/python -c 'from lab.processes import nodes; print(*nodes.VERSIONS)')
	@LAB_MODE=live LAB_PROFILE=$(or $(LAB_PROFILE),course) $(BIN)/python -m lab.book versions $(NAME) $(ARGS)

candidate: setup ## compare a nightly or a build of Node with a release, as Markdown: make candidate NODE=PATH_OR_LINK [BASE=26] [NAME="start event-loop/phases"]
	@[ -n "$(NODE)" ] || { echo 'Say which Node: make candidate NODE=out/Release/node' >&2; exit 2; }
	@sh tools/nodes/install.sh $$($(BIN)/python -c 'from lab.processes import nodes; print(nodes.CLIENT, $(or $(BASE),nodes.VERSIONS[-1]))')
	@LAB_MODE=live LAB_PROFILE=$(or $(LAB_PROFILE),course) $(BIN)/python -m lab.book candidate "$(NODE)" $(NAME) $(if $(BASE),--base $(BASE)) $(ARGS)

checks: setup ## count the checks of the recorded run by kind (ARGS=steady also lists the experiments)
	@$(BIN)/python -m lab.book checks $(ARGS)

results: setup ## write the results of this machine into one file, and print its path
	@$(BIN)/python -m lab results

##@ Exercises and classes

check: setup ## judge your program for an exercise: make check EXERCISE=summary FILE=mine.mjs
	@$(if $(and $(EXERCISE),$(FILE)),,echo "Write make check EXERCISE=summary FILE=mine.mjs; make exercises lists the exercises." >&2; exit 2)
	@$(BIN)/python -m lab check "$(EXERCISE)" "$(FILE)" $(ARGS)

final: setup ## judge all steps of your file drop, load and examine it, and write one page about it: make final FILE=my-drop/ [ARGS="--page mine.html"]
	@$(if $(FILE),,echo "Write make final FILE=my-drop/, the folder of your file drop." >&2; exit 2)
	@$(BIN)/python -m lab final "$(FILE)" $(ARGS)

mutation: setup ## try the checks on the answers of their exercises: make mutation [EXERCISE="summary abba"] [NODES="22 24 26"] [ARGS="--times 100 --beside 4 --resume"]
	@sh tools/sandbox.sh
	@$(if $(NODES),sh tools/nodes/install.sh $(NODES),:)
	@$(BIN)/python -m lab.grading.mutation $(EXERCISE) $(foreach node,$(NODES),--node $(node)) $(ARGS)

grade: setup ## judge a folder of hand-ins, with a folder for each student: make grade FOLDER=week-1 [ARGS="--out DIR"]
	@$(if $(FOLDER),,echo "Write make grade FOLDER=..., a folder that contains a folder for each student." >&2; exit 2)
	@sh tools/sandbox.sh
	@$(BIN)/python -m lab grade "$(FOLDER)" $(ARGS)

classroom: setup-classroom ## install what a class needs: nbgrader, and Dask for many hand-ins at once
	@sh tools/sandbox.sh
	@echo "Next: make course COURSE=../my-course [SYLLABUS=6|12]"

course: setup-classroom ## make a course for nbgrader: make course COURSE=../my-course [SYLLABUS=6|12] [START=2027-01-11]
	@$(if $(COURSE),,echo "Write make course COURSE=../my-course, with a new folder or the folder of a course." >&2; exit 2)
	@sh tools/sandbox.sh
	@$(BIN)/python -m lab.classroom make "$(COURSE)" --syllabus "$(or $(SYLLABUS),6)" --start "$(START)"

classtest: setup-classroom setup-dev ## test a class with the real nbgrader and Dask, in some minutes (ARGS="-m nightly")
	@sh tools/sandbox.sh
	@$(BIN)/python -m pytest tests/classroom -n 2 --dist loadfile $(ARGS)

exercises: setup ## list the exercises
	@$(BIN)/python -m lab exercises

##@ Tests (docs/testing.md says which one to run after which change)

# What neither builds, judges, measures nor opens a browser; 5 is "no test", as above.
QUICK := not alone and not nightly and not builds and not judges and not starts and not sandboxed and not nbgrader
quick: setup-lab setup-dev ## run before each push, in four minutes: linters and the tests that need seconds (SINCE=main: only tests of changed files)
	@tests=tests; \
	  if [ -n "$(SINCE)" ]; then tests=$$($(BIN)/python tests/selection.py "$(SINCE)") || exit 2; fi; \
	  if [ "$$tests" = tests ]; then echo "== linters and all quick tests"; \
	  else echo "== linters and the quick tests in" $${tests:-no file} "and tests/node"; fi; \
	  $(MAKE) --no-print-directory lint || exit 1; \
	  if [ -n "$$tests" ]; then \
	    $(BIN)/python -m pytest -n auto --dist worksteal -m "$(QUICK)" $$tests $(ARGS) || [ $$? = 5 ] || exit 1; fi; \
	  "$${LAB_NODE:-node}" --test --test-reporter=dot $(QUICK_NODE)

# The load generator's tests read the clock, and so do not run beside others.
NODE_TESTS = $(shell find tests/node -name '*.test.mjs' | sort)
QUICK_NODE = $(filter-out tests/node/loadgen/%,$(NODE_TESTS))

# First what measures nothing, all of it together: many tests of Python wait, as do the short loads of the smoke book, of which no
# number is read, while linters, tests in JavaScript and browsers compute. Then what reads a clock, with nothing beside it; then the
# pages of the book. Of the chapters some of each kind are run on their pages again, and looked at with what opens open; all of them
# take a quarter of an hour more each, by `make livetest` and `make site`, and every night.
test: LIVE_PAGES := start event-loop/phases instruments/what-a-load-test-measures instruments/noise-and-verdicts \
  streams/backpressure-today
test: browser together alone pages ## linters, tests, the book in the smoke profile, the site and its cells in a browser

NODE_TEST = "$${LAB_NODE:-node}" --test --test-reporter=spec
# Components of pages, on pages of the tests' own: they need no built site.
COMPONENTS = $(shell grep -L siteFolder tests/site/*.test.mjs)
SMOKE = LAB_MODE=live LAB_PROFILE=smoke $(BIN)/python -m lab.book build
# There while the last smoke book of `make test` was built without a failure.
SMOKE_BUILT = _build/smoke-built
# The smoke book has a folder for temporary files, and with it a lock of its own: no test waits for its loads, nor it for theirs.
together: prepared
	@echo "== what measures nothing"
	@mkdir -p _build && rm -f $(SMOKE_BUILT)
	@$(BIN)/python tools/side_by_side.py \
	  'pytest: $(PYTEST_MANY)' $(LINTERS) \
	  'smoke: own=$$(mktemp -d) && { TMPDIR=$$own $(SMOKE) && touch $(SMOKE_BUILT); code=$$?; rm -rf "$$own"; exit $$code; }' \
	  'nodetest: $(NODE_TEST) --test-concurrency=1 $(QUICK_NODE)' \
	  'components: node tools/browser.mjs --install >/dev/null && node --test --test-reporter=spec --test-concurrency=2 $(COMPONENTS)'

alone: prepared
	@echo "== what reads a clock"
	@code=0; $(PYTEST_ALONE) || code=1; \
	  $(NODE_TEST) --test-concurrency=1 $(filter-out $(QUICK_NODE),$(NODE_TESTS)) || code=1; exit $$code

# Nothing looks at how fast a page or a cell is, but for what comes before and after the others. `node --test` sorts its files by
# name, whatever their order here: the two longest begin at once because each is a command of its own.
LONGEST = pages weight
OTHER_SITE_TESTS = $(filter-out $(COMPONENTS) $(LONGEST:%=tests/site/%.test.mjs),$(wildcard tests/site/*.test.mjs))
LONGEST_TESTS = $(foreach name,$(LONGEST),'$(name): node --test --test-reporter=spec tests/site/$(name).test.mjs')
pages: setup-lab setup-dev
	@[ -e $(SMOKE_BUILT) ] || { echo "The smoke book was not built, so its pages are not tested (see above)." >&2; exit 1; }
	@echo "== the site in a browser, and its cells"
	@code=0; export SITE=_build/smoke/html CHAPTERS='$(LIVE_PAGES:%=book/%)' PAGES='$(LIVE_PAGES:%=book/%)'; \
	  node --test --test-reporter=spec --test-concurrency=1 tests/site/*.alone.mjs || code=1; \
	  $(BIN)/python tools/side_by_side.py $(LONGEST_TESTS) \
	    'cells and more: node --test --test-reporter=spec --test-concurrency=2 tests/live/*.test.mjs tests/live/chapters.mjs $(OTHER_SITE_TESTS)' || code=1; \
	  { $(ask_lighthouse) _build/smoke/html; } || code=1; exit $$code

# One after the other, as each is measured; what it has not named right is marked with a star.
clinic-set: setup ## run `lab examine` on healthy programs and on programs with a known problem, and print its results, in some 45 minutes (ARGS="07 starved-pool")
	@$(BIN)/python tests/clinic/variant_set.py $(ARGS)

# Every case, also those that a test run leaves to the night; the pages are those of the recorded run.
attack: setup-lab replay browser ## test with hostile servers, environments, signals, records and pages: all cases, in about ten minutes
	@SITE=_build/replay/html LAB_ATTACK_SEED=$${LAB_ATTACK_SEED:-$$(($$(date +%s) / 86400))} \
	  $(BIN)/python -m pytest tests/attack tests/live -m "" $(ARGS)

browser: setup-dev ## install a browser into this folder or from the system's packages if there is none
	@node tools/browser.mjs --install >/dev/null

# Each of these commands keeps one processor busy, and none reads what another writes.
LINTERS = "ruff: $(BIN)/ruff check . && $(BIN)/ruff format --check ." \
  "mypy: $(BIN)/mypy" \
  "biome: npx --no-install biome check --error-on-warnings ." \
  "cspell: npx --no-install cspell lint --no-progress --no-summary" \
  "style: $(BIN)/python bench/prose.py --check"
lint: setup-dev ## ruff, mypy, biome, the spelling check and the patterns of docs/style.md, at the same time
	@echo "== linters"
	@$(BIN)/python tools/side_by_side.py $(LINTERS)

# Many tests wait, for a sandbox, a build or a server, and use little of a processor meanwhile. Those that share a fixture are on
# one worker: tests/scheduling.py.
WORKERS := 8
# A few that fail beside others run again alone; what passes then is named at the end (RERUN=0: no second run).
RERUN := 8
PYTEST_MANY = $(BIN)/python tools/rerun_failed.py $(RERUN) -n $(WORKERS) --dist loadgroup -m "not alone and not nightly"
PYTEST_ALONE = $(BIN)/python -m pytest -m "alone and not nightly"
pytest: prepared ## run the tests in Python; tests that measure run alone, after the others (ARGS="-k name", ARGS=tests/text)
	@echo "== Python tests"
	@many=0; $(PYTEST_MANY) $(ARGS) || many=$$?; \
	  few=0; $(PYTEST_ALONE) $(ARGS) || few=$$?; \
	  case "$$many $$few" in "0 0"|"0 5"|"5 0") ;; [05]\ *) exit $$few ;; *) exit $$many ;; esac
# Both run, so that one run shows all failures. 5 is "no test": ARGS may leave one of the two nothing to do, and not both.

prepared: setup-lab setup-dev setup-postgres setup-pycnic
	@sh tools/sandbox.sh
	@sh tools/nodes/install.sh $$($(BIN)/python -c 'from lab.processes import nodes; print(*nodes.SUPPORTED)')

nodetest: setup-dev ## run the tests in JavaScript, one after another because some read the clock
	@echo "== Node tests"
	@$(NODE_TEST) --test-concurrency=1 $(NODE_TESTS)

smoke: setup-dev setup-postgres setup-pycnic ## run the whole book with very short loads into _build/smoke, in eight minutes
	@echo "== the book, smoke profile"
	@$(SMOKE)

site: setup-dev ## check every page of the smoke build in a browser, after make smoke, in ten minutes
	@echo "== the site in a browser"
	@SITE=_build/smoke/html node --test --test-reporter=spec --test-concurrency=1 tests/site/*.alone.mjs
	@CHAPTERS='$(LIVE_PAGES:%=book/%)' SITE=_build/smoke/html node --test --test-reporter=spec --test-concurrency=4 tests/site/*.test.mjs
	@$(ask_lighthouse) _build/smoke/html

livetest: setup-lab setup-dev ## run every cell on its page in a browser, after make smoke, in a quarter of an hour (PAGES=book/start: only that page)
	@echo "== the cells, run on their pages"
	@PAGES='$(or $(PAGES),$(LIVE_PAGES:%=book/%))' SITE=_build/smoke/html node --test --test-reporter=spec --test-concurrency=2 $(if $(PAGES),,tests/live/*.test.mjs) tests/live/chapters.mjs

##@ A hub for a class

define hub_proxy
cmp -s tools/hub/package-lock.json tools/hub/node_modules/.made || \
  { (cd tools/hub && npm ci) && cp tools/hub/package-lock.json tools/hub/node_modules/.made; }
endef

# Accounts may not write where the book lies: what is not compiled there, each would compile at each start.
hub-server: hub-config replay ## start a JupyterHub for a class (see the page teaching/hub): LAB_HUB_STUDENTS="ann ben" LAB_HUB_PASSWORD=... make hub-server
	@$(hub_proxy)
	@[ "$$LAB_HUB_SPAWNER" != local ] || $(BIN)/python -m compileall -q -j 0 lab .venv/lib >/dev/null 2>&1 || true
	@$(BIN)/python -m jupyterhub --config tools/hub/jupyterhub_config.py $(ARGS)

hub-config: setup-hub
	@$(BIN)/python tools/hub/check_config.py

hub-sizes: setup-hub setup-dev browser replay ## measure the resources that a hub and its students need, into data/hub-sizes.json (half an hour)
	@$(hub_proxy)
	@SITE=_build/replay/html node bench/hub.mjs

hub: setup-hub setup-dev browser replay ## test the book in a real JupyterHub behind its proxy, in a browser
	@$(hub_proxy)
	@SITE=_build/replay/html node --test --test-reporter=spec tests/live/hub.nightly.mjs

hub-accounts: setup-classroom setup-hub setup-dev ## test a hub with accounts, and what its students can do to each other (as root, some minutes)
	@sh tools/sandbox.sh
	@$(hub_proxy)
	@$(BIN)/python -m pytest tests/hub -m "" $(ARGS)

class-test: setup-classroom setup-hub setup-dev browser replay ## test a week of a class in a real hub, in a browser: release, work, grade, give back (PICTURES=DIR: a picture of each step)
	@sh tools/sandbox.sh
	@$(hub_proxy)
	@SITE=_build/replay/html node --test --test-reporter=spec tests/live/class.nightly.mjs

##@ Maintenance

# Those that need nothing but the book; the others say at their top what they take.
BENCHES = startup build generator cross_check trace false_alarms
bench: setup ## measure the build and the measurement core, print the numbers and store them
	@for f in $(BENCHES); do $(BIN)/python bench/$$f.py || exit 1; done

# All layers together, so that they agree, then each for itself. Packages must come as wheels: readers have no compiler.
# The pins of before stand as long as they can; UPGRADE=-U takes the newest of all, UPGRADE="-P numpy" of one.
RESOLVE = $${UV:-uv} pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
  --only-binary :all: --no-binary pycnic --no-binary bobo --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-build-options --no-header
lock: ## resolve requirements.in and requirements/*.in into the .txt next to them (needs uv: `pip install uv` anywhere)
	@mkdir -p _build && cat requirements.txt requirements/*.txt | sed -n 's/^\([^ ]*==[^ ]*\).*/\1/p' | sort -u >_build/pins.txt
	@$(RESOLVE) $(UPGRADE) requirements.in requirements/*.in -o _build/pins.txt
	@for layer in requirements requirements/postgres requirements/pycnic requirements/lab requirements/preview requirements/dev requirements/hub requirements/classroom; do \
	  $(RESOLVE) -c _build/pins.txt $$layer.in -o $$layer.txt && \
	  sed '/^ *#   -c _build/d' $$layer.txt >_build/layer.txt && cp _build/layer.txt $$layer.txt || exit 1; done
	@for python in 3.11 3.12 3.13 3.14 3.15; do \
	  for platform in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu aarch64-apple-darwin; do \
	    $${UV:-uv} pip install --quiet --dry-run --no-deps --only-binary :all: --no-binary pycnic --no-binary bobo --target _build/nowhere \
	      --python-version $$python --python-platform $$platform -r _build/pins.txt || \
	      { echo "Python $$python on $$platform lacks a wheel (see above)" >&2; exit 1; }; done; done

tools: ## install the optional programs of some comparisons: wrk, nginx, ab, hey, thin; artillery and pm2 from npm (600 MB)
	@sh tools/programs.sh

nodes: ## install Node 16 to 26 from npm into tools/nodes, to see and test what differs (NODES="24 26": only these)
	@sh tools/nodes/install.sh $(NODES)

bare: ## test both commands in a bare Debian (needs root and apt): make bare SUITE=forky NODE=26 [AS=root]
	@AS="$(AS)" tools/bare-machine $(or $(SUITE),trixie) $(or $(NODE),24)

kernels: setup ## install both kernels into .venv again
	@$(BIN)/python -m lab.kernels.kernelspec

# The book's packages, and with a name those of a layer: `make setup-lab` for JupyterLab, and so on.
setup setup-postgres setup-pycnic setup-lab setup-preview setup-dev setup-hub setup-classroom:
	@sh tools/setup.sh $(patsubst setup-%,%,$(filter-out setup,$@))
	@$(BIN)/python -m lab.servers.rust_addon
	@$(if $(filter setup,$(MAKECMDGOALS)),echo "Ready. Next: make exercises or make book",:)

checkup: setup ## build node-checkup, the clinic as a package for pip and for npx, into _build/checkup
	@$(BIN)/python tools/checkup/build.py

release: pdf checkup ## write the site, document, packages and records of a release into _build/release; measures nothing
	@$(BIN)/python tools/release/pack.py

addons: setup ## build the addons in Rust if their sources have changed, and retry failed builds; if cargo is installed, `make` also builds changed addons
	@$(BIN)/python -m lab.servers.rust_addon --again

# A hub's folder holds what students handed in: it is removed by who knows that it is there.
clean: ## remove the output of builds and chapters and everything you measured; keeps the environments and a hub's folder, _build/hub
	rm -rf data/runs .pytest_cache .mypy_cache .ruff_cache
	[ ! -d _build ] || find _build -mindepth 1 -maxdepth 1 ! -name hub -exec rm -rf {} +
	find book lab tests bench servers -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
	find book -name .ipynb_checkpoints -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean ## also remove the environments
	rm -rf .venv node_modules tools/lighthouse/node_modules tools/live/node_modules tools/live/bundle tools/hub/node_modules tools/loadtools/node_modules tools/nodes/node_modules tools/nodes/[0-9]*/node_modules tools/browser/node_modules tools/browser/installed tools/sandbox .setup-lock* *.egg-info servers/rust/*/target servers/rust/*/Cargo.lock
