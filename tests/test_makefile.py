"""Commands of the Makefile that remove or run whole folders: nothing that is not meant."""

import itertools
import os
import re
import shutil
import subprocess
import sys

import pytest

from lab import paths

MAKEFILE = paths.ROOT / "Makefile"


def test_clean_removes_what_builds_wrote_and_keeps_what_a_hubs_students_handed_in(tmp_path):
    shutil.copy(MAKEFILE, tmp_path)
    for folder in ("_build/hub/exchange", "_build/html", "_build/.hidden", "data/runs/x", "book"):
        (tmp_path / folder).mkdir(parents=True)
    hand_in = tmp_path / "_build/hub/exchange/anna.mjs"
    hand_in.write_text("export {};\n")
    for _ in range(2):  # with nothing left to remove, too
        subprocess.run(["make", "clean"], cwd=tmp_path, check=True, capture_output=True)
        assert hand_in.exists()
        assert [one.name for one in (tmp_path / "_build").iterdir()] == ["hub"]
        assert not (tmp_path / "data/runs").exists()
    shutil.rmtree(tmp_path / "_build")
    subprocess.run(["make", "clean"], cwd=tmp_path, check=True, capture_output=True)


def test_make_bench_runs_programs_that_are_there_and_need_no_words():
    [line] = re.findall(r"^BENCHES = (.+)$", MAKEFILE.read_text("utf-8"), re.M)
    for name in line.split():
        text = (paths.ROOT / "bench" / f"{name}.py").read_text("utf-8")
        # One that is called without a `--` in front must be given, unless it says how many may be.
        needed = re.findall(r'add_argument\(\s*"(?!-)[^)]*?\)', text, re.S)
        assert all("nargs" in one for one in needed), f"bench/{name}.py must be told something"


def make(folder, *words, **env):
    command = ["make", "--no-print-directory", *words]
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "MAKEFLAGS": "", **env},  # those of the make that runs the tests
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_lists_by_group_every_target_that_says_what_it_does():
    help_text = make(paths.ROOT, "help").stdout
    text = MAKEFILE.read_text("utf-8")
    targets = re.findall(r"^([a-z-]+):.*## ", text, re.M)
    assert {"quick", "test", "lint", "pytest", "nodetest", "smoke"} <= set(targets)
    assert re.findall(r"^  make ([a-z-]+) ", help_text, re.M) == targets
    tests = help_text.partition("\nTests")[2].partition("\n\n")[0]
    assert re.search(r"make quick .*make test .*make nodetest", tests, re.S)
    assert set(targets) <= set(re.search(r"^\.PHONY: (.*)", text, re.M).group(1).split())


@pytest.fixture
def copy(tmp_path):
    """The Makefile among programs that note how they are called, and end as CODES says."""
    shutil.copy(MAKEFILE, tmp_path)
    (tmp_path / "tests" / "node" / "loadgen").mkdir(parents=True)
    for name in ("node/glue", "node/loadgen/settling", "site/part", "site/page", "live/page"):
        (tmp_path / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / f"{name}.test.mjs").touch()
    (tmp_path / "tests" / "site" / "page.test.mjs").write_text("siteFolder();\n")
    program = tmp_path / ".venv" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.write_text(
        "#!/bin/sh\n"
        'case "$*" in *side_by_side*pytest:*|*side_by_side*weight:*) '
        f'exec {sys.executable} "$@" ;; esac\n'
        'case "$*" in *install.sh*|*browser.mjs*|*rust_addon*|*print*) exit 0 ;; esac\n'
        'echo "$*" >>calls\n'
        'case "$*" in *selection.py*) printf "%s" "$SELECTS"; exit ${SELECTION:-0} ;;\n'
        "*side_by_side*) exit ${LINT:-0} ;; *-m\\ alone*) exit ${ALONE:-0} ;;\n"
        "*pytest*|*rerun_failed*) exit ${PYTEST:-0} ;; *lab.book*) exit ${SMOKE:-0} ;;\n"
        "*tests/node*) exit ${NODE:-0} ;; *) exit ${SITE_TESTS:-0} ;; esac\n"
    )
    program.chmod(0o755)
    (program.parent / "node").symlink_to("python")
    for name in ("ruff", "mypy", "npx"):
        linter = program.parent / name
        linter.write_text("#!/bin/sh\necho linter >>calls\nexit ${LINT:-0}\n")
        linter.chmod(0o755)
    (tmp_path / ".ci").mkdir()
    shutil.copy(paths.ROOT / ".ci" / "run", tmp_path / ".ci")
    (tmp_path / "tools" / "nodes").mkdir(parents=True)
    shutil.copy(paths.ROOT / "tools" / "side_by_side.py", tmp_path / "tools")
    (tmp_path / "tools" / "lighthouse" / "node_modules").mkdir(parents=True)
    installed = ("lighthouse/package-lock.json", "lighthouse/node_modules/.made")
    for file in ("setup.sh", "sandbox.sh", "nodes/install.sh", *installed):
        (tmp_path / "tools" / file).touch()
    return tmp_path


def quick(copy, *words, **env):
    """How `make quick` ended, and the calls of pytest and of Node's test runner that it made."""
    (copy / "calls").unlink(missing_ok=True)
    env = {"LAB_NODE": str(copy / ".venv" / "bin" / "python"), **env}
    done = make(copy, "quick", *words, **env)
    calls = (copy / "calls").read_text().splitlines()
    return (
        done.returncode,
        [call for call in calls if "pytest" in call],
        [call for call in calls if call.startswith("--test")],
    )


def test_quick_runs_all_rooms_and_what_reads_no_clock(copy):
    code, (pytests,), (nodes,) = quick(copy)
    assert code == 0
    assert pytests.rstrip().endswith(" tests")
    for mark in ("alone", "nightly", "builds", "judges", "sandboxed"):
        assert f"not {mark}" in pytests
    assert "tests/node/glue.test.mjs" in nodes and "loadgen" not in nodes


def test_quick_since_runs_what_was_selected(copy):
    code, (pytests,), nodes = quick(copy, "SINCE=main", SELECTS="tests/text/a.py\ntests/plot/b.py")
    assert code == 0 and nodes
    assert pytests.rstrip().endswith("tests/text/a.py tests/plot/b.py")
    assert "tests/selection.py main" in (copy / "calls").read_text()


def test_quick_since_runs_no_pytest_where_nothing_was_selected(copy):
    assert quick(copy, "SINCE=main", SELECTS="")[:2] == (0, [])


@pytest.mark.parametrize("falls", ["LINT", "PYTEST", "NODE", "SELECTION"])
def test_quick_fails_with_each_of_its_parts(copy, falls):
    code, *_ = quick(copy, "SINCE=main", SELECTS="tests/text/a.py", **{falls: "1"})
    assert code != 0


@pytest.mark.parametrize(
    ("many", "alone", "good"),
    [(0, 0, True), (5, 0, True), (0, 5, True), (5, 5, False), (1, 0, False), (0, 1, False),
     (5, 1, False), (1, 5, False)],
)  # fmt: skip
def test_make_pytest_runs_both_halves_and_fails_where_one_does_or_both_had_nothing_to_do(
    copy, many, alone, good
):
    done = make(copy, "pytest", PYTEST=str(many), ALONE=str(alone))
    assert (done.returncode == 0) == good
    calls = (copy / "calls").read_text().splitlines()
    assert [" -m alone " in call for call in calls if " -m " in call] == [False, True]


def test_make_pytest_ends_with_the_code_of_the_half_that_failed_first(copy):
    for many, alone, code in [(3, 4, 3), (5, 4, 4), (0, 4, 4), (3, 0, 3)]:
        done = make(copy, "pytest", PYTEST=str(many), ALONE=str(alone))
        assert f"Error {code}\n" in done.stderr


def ci(copy, **env):
    """How .ci/run ended, the line in which it names what failed, and which parts ran."""
    (copy / "calls").unlink(missing_ok=True)
    env = {"LAB_NODE": str(copy / ".venv" / "bin" / "node"), "LC_ALL": "C", **env}
    command = ["bash", copy / ".ci" / "run"]
    process = subprocess.run(
        command, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    calls = (copy / "calls").read_text()
    ran = [part for part, sign in SIGNS.items() if sign in calls]
    return process.returncode, [x for x in process.stderr.splitlines() if "== Failed:" in x], ran


SIGNS = {"pytest": "-m not alone", "lint": "linter", "smoke": "lab.book",
         "nodetest": "tests/node/glue", "components": "tests/site/part",
         "alone": "-m alone", "generator": "loadgen/settling",
         "frames": "tests/site/*.alone", "site": "tests/site/page.test",
         "longest": "tests/site/weight", "live": "tests/live/page",
         "lighthouse": "lighthouse/run"}  # fmt: skip
PARTS = list(SIGNS)


def test_ci_runs_each_part_of_make_test(copy):
    assert ci(copy) == (0, [], PARTS)


def test_ci_goes_on_after_a_part_that_failed_and_names_all_that_did(copy):
    code, (line,), ran = ci(copy, LINT="1", ALONE="1", NODE="3")
    assert code == 2
    assert ran == PARTS
    named, *targets = re.search(r"Failed: (.+?) (together) (alone) \(", line).groups()
    assert set(named.split(", ")) == {"ruff", "mypy", "biome", "cspell", "nodetest"}
    assert targets == ["together", "alone"]


@pytest.mark.parametrize(
    ("falls", "target"),
    [("PYTEST", "together"), ("LINT", "together"), ("NODE", "together"), ("ALONE", "alone"),
     ("NODE", "alone"), ("SMOKE", "smoke"), ("SMOKE", "pages"), ("SITE_TESTS", "pages")],
)  # fmt: skip
def test_make_test_fails_with_each_of_its_parts(copy, falls, target):
    code, (line,), _ = ci(copy, **{falls: "1"})
    assert code == 2
    assert target in line


def test_nothing_runs_beside_what_reads_a_clock(copy):
    """The calls in their order: of each part, all come before the first of the next one."""
    assert ci(copy)[0] == 0
    calls = (copy / "calls").read_text().splitlines()
    places = {
        part: [at for at, call in enumerate(calls) if sign in call] for part, sign in SIGNS.items()
    }
    together = ("pytest", "lint", "smoke", "nodetest", "components")
    order = [[at for part in together for at in places[part]]]
    order += [places[part] for part in ("alone", "generator", "frames")]
    order += [[*places["site"], *places["longest"]]]
    order += [places["lighthouse"]]
    assert all(max(before) < min(after) for before, after in itertools.pairwise(order))
    assert not any("-n " in calls[at] for at in places["alone"])


def test_components_are_tried_once_and_need_no_build(copy):
    assert ci(copy)[0] == 0
    calls = (copy / "calls").read_text().splitlines()
    assert len([call for call in calls if "tests/site/part" in call]) == 1
    assert len([call for call in calls if "tests/site/page.test" in call]) == 1


def test_ci_does_not_look_at_a_build_that_failed(copy):
    assert ci(copy)[0] == 0  # what an earlier run built is not looked at either
    code, (line,), ran = ci(copy, SMOKE="1", PYTEST="1")
    assert code == 2
    assert ran == PARTS[: PARTS.index("frames")]
    named = re.search(r"Failed: (.+?) together pages \(", line).group(1)
    assert set(named.split(", ")) == {"pytest", "smoke"}


def test_the_pages_of_an_earlier_build_can_be_looked_at_without_another(copy):
    (copy / "calls").unlink(missing_ok=True)
    assert make(copy, "site", LAB_NODE=str(copy / ".venv" / "bin" / "node")).returncode == 0
    assert "lab.book" not in (copy / "calls").read_text()


def test_the_page_on_tests_names_files_that_are_there():
    page = (paths.ROOT / "docs" / "testing.md").read_text("utf-8")
    named = set(re.findall(r"\b(?:tests|lab|tools|\.github)/[\w./-]+", page))
    assert len(named) > 15
    assert [name for name in named if not (paths.ROOT / name.rstrip(".")).exists()] == []
    targets = re.findall(r"^([a-z-]+):.*## ", MAKEFILE.read_text("utf-8"), re.M)
    assert set(re.findall(r"\bmake ([a-z-]+)", page)) <= set(targets)


@pytest.mark.parametrize(
    ("sign", "mark"),
    [(r"from tiny_book import|^import tiny_book", "builds"), (r"\b(run|batch)\.grade\(", "judges")],
)
def test_a_file_that_builds_or_judges_says_which_of_its_tests_do(sign, mark):
    files = [f for f in (paths.ROOT / "tests").rglob("test_*.py") if f.name != "test_makefile.py"]
    files = [f for f in files if re.search(sign, f.read_text("utf-8"), re.M)]
    assert len(files) > 4
    silent = [f.name for f in files if not re.search(rf"mark\.({mark}|sandboxed)\b", f.read_text())]
    assert silent == []


@pytest.mark.parametrize(
    ("name", "text"), [("nope", "There is no chapter nope"), ("", "Name the chapter")]
)
def test_slides_of_no_chapter_are_refused_before_anything_is_built(name, text):
    done = make(paths.ROOT, "slides", f"NAME={name}")
    assert done.returncode == 2
    assert text in done.stderr
    assert done.stdout == "", "nothing is set up or built for it"


def test_a_hub_is_asked_about_its_settings_before_the_site_is_built():
    steps = make(paths.ROOT, "-n", "hub-server").stdout
    assert steps.index("check_config.py") < steps.index("lab.book build")


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ({"LAB_HUB_SPAWNER": "kubernetes"}, "Set it to simple, local or docker."),
        (
            {"LAB_HUB_STUDENTS": "ann ben", "LAB_HUB_INSTRUCTORS": "ann"},
            "List each person only once.",
        ),
        ({"LAB_COURSE": "/nowhere"}, "make course COURSE=/nowhere"),
    ],
)
def test_a_setting_of_a_hub_that_is_wrong_is_one_sentence(tmp_path, setting, text):
    env = {**os.environ, "LAB_HUB_STATE": str(tmp_path / "hub"), **setting}
    command = [sys.executable, "tools/hub/check_config.py"]
    process = subprocess.run(
        command, cwd=paths.ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert process.returncode == 2
    assert text in process.stderr
    assert "Traceback" not in process.stderr
