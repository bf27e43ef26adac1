"""The GitHub Action: its steps run here as the runner runs them, over a repository that has two
versions of a server.
"""

import json
import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
import yaml
from house import ROOT

pytestmark = pytest.mark.timeout(1800)  # only what hangs takes so long, on a busy machine as well
ACTION = ROOT / "tools" / "checkup" / "action"
FOLDER, TEMPORARY = "the api", "runner temp"  # a path may have blanks
WELL = """
require("http").createServer((request, response) => response.end("well"))
  .listen(process.env.PORT, "127.0.0.1");
"""
# Answers the first requests, and then refuses.
FAILS = (
    WELL.replace("response.end", "response.writeHead((left -= 1) > 0 ? 200 : 503).end")
    + "let left = 40;\n"
)


def git(folder, *words):
    config = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *config, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A repository whose server is in a folder, and fails from its second commit on."""
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / FOLDER).mkdir()
    for text in (WELL, FAILS):
        (folder / FOLDER / "server.cjs").write_text(text)
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message=a version")
    return folder


@pytest.fixture
def runner(repository, tmp_path):
    """Runs a step of the action with inputs; what the step before left is there."""
    steps = yaml.safe_load((ACTION / "action.yml").read_text())["runs"]["steps"]
    declarations = yaml.safe_load((ACTION / "action.yml").read_text())["inputs"]

    (tmp_path / TEMPORARY).mkdir()
    queue = tmp_path / "queue"
    queue.mkdir()
    queue.chmod(0o1777)

    def run(index, **given):
        inputs = {name: str(one.get("default", "")) for name, one in declarations.items()} | given
        step = steps[index]
        environment = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found[1]], value)
            for name, value in step.get("env", {}).items()
        }
        assert step["shell"] == "bash"
        offline = {
            "PYTHONPATH": sysconfig.get_path("purelib"),
            "PIP_NO_INDEX": "1",
            "CHECKUP_QUEUE": str(queue),  # it waits for no other test that measures
            "PIP_NO_BUILD_ISOLATION": "0",  # pip's own word for "without"
        }
        return subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=repository,
            capture_output=True,
            text=True,
            check=False,
            env={
                **os.environ,
                **offline,
                **environment,
                "GITHUB_ACTION_PATH": str(ACTION),
                "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"),
                "GITHUB_OUTPUT": str(tmp_path / "output"),
                "RUNNER_TEMP": str(tmp_path / TEMPORARY),
            },
        )

    yield run
    git(repository, "worktree", "prune")


@pytest.fixture
def inputs(repository):
    """What a workflow gives: of a server in a folder, and few processes of it."""
    commits = {"base": git(repository, "rev-parse", "HEAD~1"), "head": "main"}
    return {**commits, "folder": FOLDER, "command": "node server.cjs", "pairs": "1"}


def is_installed_and_prepared(runner, inputs, place):
    installed = runner(0, **inputs)
    assert installed.returncode == 0, installed.stderr
    assert "node-checkup 0.1.0" in installed.stdout
    prepared = runner(1, **inputs, prepare="echo ready >prepared")
    assert prepared.returncode == 0, prepared.stderr
    return all((place / version / FOLDER / "prepared").exists() for version in ("base", "head"))


def output_of(tmp_path):
    return dict(line.split("=", 1) for line in (tmp_path / "output").read_text().splitlines())


@pytest.mark.nightly
def test_the_steps_find_that_a_version_fails(runner, repository, inputs, tmp_path):
    assert is_installed_and_prepared(runner, inputs, tmp_path / TEMPORARY / "node-checkup")
    compared = runner(2, **inputs)
    assert compared.returncode == 1, compared.stderr
    assert "::error::The head is worse" in compared.stdout
    summary = (tmp_path / "summary").read_text()
    assert summary.startswith(f"## ❌ head/{FOLDER} against base/{FOLDER}: worse")
    output = output_of(tmp_path)
    assert output["verdict"] == "worse"
    assert Path(output["report"]).read_text().startswith("<!doctype html>")
    assert json.loads(Path(output["json"]).read_text())["kind"] == "comparison"
    assert git(repository, "worktree", "list").count("\n") == 0


def test_the_steps_say_why_nothing_was_compared(runner, repository, inputs, tmp_path):
    assert is_installed_and_prepared(runner, inputs, tmp_path / TEMPORARY / "node-checkup")
    compared = runner(2, **{**inputs, "command": "PORT=1 node srv.cjs"})
    assert compared.returncode == 2, compared.stderr
    assert "Cannot find module" in (tmp_path / "summary").read_text()
    assert output_of(tmp_path)["verdict"] == "not examined"
    assert git(repository, "worktree", "list").count("\n") == 0


@pytest.mark.parametrize(
    ("code", "fail_on_worse", "ends_with"), [(0, "true", 0), (1, "true", 1), (1, "false", 0)]
)
def test_words_reach_the_comparison_whole_and_its_verdict_the_job(
    runner, inputs, tmp_path, code, fail_on_worse, ends_with
):
    program = tmp_path / TEMPORARY / "node-checkup" / "environment" / "bin" / "node-checkup"
    program.parent.mkdir(parents=True)
    program.write_text(
        '#!/bin/sh\nprintf "%s\\n" "$@" >words\necho "# summary" >summary.md\n'
        f'echo \'{{"verdict": "a verdict"}}\'\nexit {code}\n'
    )
    program.chmod(0o755)
    assert runner(1, **inputs).returncode == 0
    more = "--header=x: 1 2\n--limit\n10\n"
    compared = runner(2, **{**inputs, "arguments": more, "fail-on-worse": fail_on_worse})
    assert compared.returncode == ends_with, compared.stderr
    words = (tmp_path / TEMPORARY / "node-checkup" / "words").read_text().splitlines()
    assert words[words.index("--folders") + 1 :][:2] == [f"base/{FOLDER}", f"head/{FOLDER}"]
    assert words[-5:] == ["--header=x: 1 2", "--limit", "10", "--", "node server.cjs"]
    assert (tmp_path / "summary").read_text() == "# summary\n"
    assert output_of(tmp_path)["verdict"] == "a verdict"


def test_a_revision_or_a_folder_that_is_not_there_is_told_with_what_to_do(runner):
    process = runner(1, base="0" * 40, head="main")
    assert (process.returncode, "with: { base: main }" in process.stdout) == (2, True)
    process = runner(1, base="main", head="main", folder="srv")
    assert (process.returncode, "There is no folder srv" in process.stdout) == (2, True)
    process = runner(1, base="nowhere", head="main")
    assert (process.returncode, "fetch-depth: 0" in process.stdout) == (2, True)


def test_no_input_is_pasted_into_a_shell():
    """An expression in a script would run what a pull request writes into its title."""
    steps = yaml.safe_load((ACTION / "action.yml").read_text())["runs"]["steps"]
    assert not [step for step in steps if "${{" in step["run"]]


def test_the_example_uses_the_action_with_inputs_that_it_has():
    example = yaml.safe_load((ACTION / "example.yml").read_text())
    (step,) = [
        step
        for step in example["jobs"]["compare"]["steps"]
        if step.get("uses", "").startswith("OWNER/REPOSITORY/")
    ]
    path = step["uses"].removeprefix("OWNER/REPOSITORY/").partition("@")[0]
    declared = yaml.safe_load((ROOT / path / "action.yml").read_text())["inputs"]
    assert set(step["with"]) <= set(declared)
    required = {name for name, one in declared.items() if one.get("required")}
    assert required <= set(step["with"])
