"""What runs elsewhere on our behalf, as far as it can be read here."""

import os
import re
import subprocess

import pytest
import yaml

from lab import paths
from lab.processes import nodes

OURS = sorted((paths.ROOT / ".github" / "workflows").glob("*.yml"))
# Those that others copy into a repository of their own.
COPIED = [
    paths.ROOT / "lab/grading/repository/check.yml",
    paths.ROOT / "tools/checkup/action/example.yml",
]
WORKFLOWS = [*OURS, *COPIED]


def read(file):
    """A workflow as it is written: `on` is no truth value."""
    return yaml.load(file.read_text(), yaml.BaseLoader)


def jobs_of(file):
    return read(file)["jobs"].items()


def test_every_action_is_named_by_its_commit_with_the_version_beside_it():
    """In our own workflows, and in those that readers copy, which nothing else updates."""
    listing = subprocess.run(
        ["git", "ls-files", "*.yml", "*.yaml", "*.md"],
        cwd=paths.ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    uses = [
        match[1]
        for name in listing.stdout.splitlines()
        for match in re.finditer(r"^\s*(?:- )?uses:(.*)$", (paths.ROOT / name).read_text(), re.M)
        if "OWNER/REPOSITORY" not in match[1]
    ]
    assert len(uses) > 20
    loose = [
        use for use in uses if not re.fullmatch(r" [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use)
    ]
    assert loose == []
    # One version of each in all files.
    assert len({use.split("@")[0] for use in uses}) == len(set(uses))


def test_no_step_keeps_the_token_that_fetched_the_repository():
    for file in WORKFLOWS:
        for name, job in jobs_of(file):
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/checkout@"):
                    kept = step.get("with", {}).get("persist-credentials")
                    assert kept == "false", f"{file.name}: {name}"


def test_every_job_ends_by_itself_and_a_workflow_may_only_read_what_a_job_does_not_ask_for():
    for file in WORKFLOWS:
        assert read(file)["permissions"] == {"contents": "read"}, file.name
        for name, job in jobs_of(file):
            assert 0 < int(job["timeout-minutes"]) < 360, f"{file.name}: {name}"


def test_no_expression_is_pasted_into_a_shell():
    """The runner replaces it before the shell reads the line, so text could be a command."""
    for file in WORKFLOWS:
        for name, job in jobs_of(file):
            for step in job["steps"]:
                assert "${{" not in step.get("run", ""), f"{file.name}: {name}"


def test_a_job_that_may_write_builds_nothing_from_packages_of_others():
    """The image's own steps run inside Docker, without the token."""
    for file in WORKFLOWS:
        for name, job in jobs_of(file):
            if "write" not in job.get("permissions", {}).values():
                continue
            commands = "\n".join(step.get("run", "") for step in job["steps"])
            assert not re.search(r"^(make|pip|npm (ci|install))\b", commands, re.M), name


def test_no_run_that_publishes_is_stopped_half_way():
    for file in OURS:
        workflow = read(file)
        writes = any(
            "write" in job.get("permissions", {}).values() for job in workflow["jobs"].values()
        )
        if writes:
            stops = workflow["concurrency"]["cancel-in-progress"]
            assert stops == "${{ github.event_name == 'pull_request' }}", file.name


def test_what_is_kept_of_a_run_has_an_end():
    for file in OURS:
        for name, job in jobs_of(file):
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/upload-artifact@"):
                    assert int(step["with"]["retention-days"]) <= 30, f"{file.name}: {name}"


# ---- Steps of a publication, with programs that only write down what they are commands for


@pytest.fixture
def step(tmp_path):
    """Runs a step of a workflow, which is the one that has these words, as the runner does."""
    programs, log = tmp_path / "programs", tmp_path / "log"
    programs.mkdir()
    log.touch()
    folder = tmp_path / "workspace"
    (folder / "release").mkdir(parents=True)
    for name in ("a.zip", "a.pdf", "a.whl", "node-checkup-1.2.0.tgz", "SHA256SUMS", "notes.md"):
        (folder / "release" / name).touch()

    def run(file, words, fakes, **variables):
        for name, script in fakes.items():
            text = f'#!/bin/sh\necho "{name} $*" >>"{log}"\n{script}\n'
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        steps = [
            step
            for _, job in jobs_of(paths.ROOT / ".github/workflows" / file)
            for step in job["steps"]
            if words in step.get("run", "")
        ]
        output = tmp_path / "output"
        output.write_text("")
        process = subprocess.run(
            ["bash", "-e", "-c", steps[0]["run"]],
            cwd=folder,
            env={
                "PATH": f"{programs}:{os.environ['PATH']}",
                "GITHUB_OUTPUT": str(output),
                "GITHUB_REPOSITORY": "Us/Course",
                "GITHUB_REF_NAME": "v1.2.0",
                "GITHUB_ACTOR": "us",
                "GH_TOKEN": "x",
                **variables,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        commands = log.read_text().splitlines()
        log.write_text("")
        return process, commands, output.read_text()

    return run


# What `gh release view` answers on a release that is not there, on a draft, and on a published one.
STATES = {"": "exit 1", "true": "echo true", "false": "echo false"}


@pytest.mark.parametrize("draft", STATES)
def test_the_page_of_a_release_is_published_whole_and_only_once(step, draft):
    gh = f'case "$2" in view) {STATES[draft]} ;; esac'
    process, commands, _ = step("release.yml", "gh release create", {"gh": gh})
    assert process.returncode == 0, process.stderr
    verbs = [line.split()[2] for line in commands]
    wanted = {"": ["create", "upload", "edit"], "true": ["upload", "edit"], "false": []}
    assert verbs == ["view", *wanted[draft]]
    for line in commands:
        assert "create" not in line or "--draft" in line
        assert "upload" not in line or {"release/a.zip", "release/SHA256SUMS"} <= set(line.split())


def test_a_release_that_lacks_a_file_stays_a_draft(step):
    gh = 'case "$2" in view) exit 1 ;; upload) exit 1 ;; esac'
    process, commands, _ = step("release.yml", "gh release create", {"gh": gh})
    assert process.returncode != 0
    assert not [line for line in commands if " edit " in line]


def test_a_version_to_be_tried_is_not_the_one_that_most_get(step):
    gh = 'case "$2" in view) exit 1 ;; esac'
    _, commands, _ = step(
        "release.yml", "gh release create", {"gh": gh}, GITHUB_REF_NAME="v1.2.0-rc.1"
    )
    assert "--prerelease" in " ".join(commands)
    for name, tags in (("v1.2.0-rc.1", ["1.2.0-rc.1"]), ("v1.2.0", ["1.2.0", "latest"])):
        _, commands, _ = step(
            "release.yml", "docker push", {"docker": "cat >/dev/null"}, GITHUB_REF_NAME=name
        )
        pushed = [line.split()[2] for line in commands if line.startswith("docker push")]
        assert pushed == [f"ghcr.io/us/course:{tag}" for tag in tags]
        # A repository's name may have capitals, which an image's may not.
    for name, tag in (("v1.2.0-rc.1", "next"), ("v1.2.0", "latest")):
        _, commands, _ = step("release.yml", "npm publish", {"npm": ""}, GITHUB_REF_NAME=name)
        assert commands[-1].endswith(f"--tag {tag}")
        assert "./release/node-checkup-1.2.0.tgz" in commands[-1]


def test_a_package_that_is_there_already_is_left_as_it_is(step):
    npm = '[ "$1" != view ] || echo 1.2.0'
    process, commands, _ = step("release.yml", "npm publish", {"npm": npm})
    assert process.returncode == 0 and len(commands) == 1


def test_the_site_of_a_repository_without_pages_is_built_and_not_published(step):
    process, _, output = step("site.yml", "gh api", {"gh": "exit 1"})
    assert process.returncode == 0 and output == "" and "::notice::" in process.stdout
    process, _, output = step("site.yml", "gh api", {"gh": "echo https://us.example/course/"})
    assert output == "base_url=https://us.example/course/\n"
    jobs = dict(jobs_of(paths.ROOT / ".github/workflows/site.yml"))
    assert jobs["deploy"]["if"] == "needs.build.outputs.base_url"
    assert jobs["build"]["outputs"]["base_url"] == "${{ steps.pages.outputs.base_url }}"


def test_what_is_pinned_is_looked_after_once_a_month():
    """Each kind of lock file of this repository."""
    updates = yaml.safe_load((paths.ROOT / ".github/dependabot.yml").read_text())["updates"]
    kinds = {update["package-ecosystem"]: update for update in updates}
    assert kinds.keys() == {"github-actions", "pip", "npm", "docker"}
    locks = {
        f"/{file.parent.relative_to(paths.ROOT)}".removesuffix("/.")
        for file in paths.ROOT.glob("tools/*/package-lock.json")
    }
    assert locks <= set(kinds["npm"]["directories"])
    copied = {f"/{file.parent.relative_to(paths.ROOT)}" for file in COPIED}
    assert set(kinds["github-actions"]["directories"]) == {"/", *copied}


def test_every_command_of_a_workflow_is_a_target_that_exists():
    targets = set(
        re.findall(r"^([a-z-]+(?: [a-z-]+)*):", (paths.ROOT / "Makefile").read_text(), re.M)
    )
    target_names = {name for names in targets for name in names.split()}
    files = sorted((paths.ROOT / ".github" / "workflows").glob("*.yml"))
    for file in files:
        for job in yaml.safe_load(file.read_text())["jobs"].values():
            for step in job["steps"]:
                for words in re.findall(r"^ *make ([a-z -]+)", step.get("run", ""), re.M):
                    assert set(words.split()) <= target_names, f"{file.name}: make {words}"


def test_every_image_is_named_by_its_digest():
    files = [paths.ROOT / "Dockerfile", *sorted((paths.ROOT / ".github/workflows").glob("*.yml"))]
    images = [
        image
        for file in files
        for image in re.findall(r"^(?:FROM|\s+image:) +(\S+)", file.read_text(), re.M)
    ]
    stages = set(re.findall(r" AS (\w+)$", files[0].read_text(), re.M))
    images = [image for image in images if image not in stages]
    assert images
    assert [one for one in images if not re.fullmatch(r"[\w.:/-]+@sha256:[0-9a-f]{64}", one)] == []
    # The same one in all of them.
    assert len({one.split("@")[0] for one in images}) == len(set(images))


@pytest.mark.parametrize("command", ["make attack", "make hub-accounts"])
def test_the_night_may_do_what_only_root_can(command):
    """Else it leaves out a full disk, a folder that can only be read, another user, and a hub with
    accounts.
    """
    nightly = yaml.safe_load((paths.ROOT / ".github/workflows/nightly.yml").read_text())
    (job,) = [
        job
        for job in nightly["jobs"].values()
        if any(command in step.get("run", "") for step in job["steps"])
    ]
    assert "--privileged" in job["container"]["options"].split()
    # A Python of the runner's own lies where another user may not go.
    assert not [step for step in job["steps"] if "setup-python" in step.get("uses", "")]


def test_the_week_measures_every_node_and_lists_none_of_them():
    """So that a new Node is one line, in lab/processes/nodes.py."""
    weekly = yaml.safe_load((paths.ROOT / ".github/workflows/weekly.yml").read_text())
    steps = [step.get("run", "") for step in weekly["jobs"]["versions"]["steps"]]
    assert "make versions ARGS=--against" in steps
    assert steps.index("make tools") < steps.index("make versions ARGS=--against")
    (rule,) = re.findall(
        r"^versions: .*\n((?:\t.*\n)+)", (paths.ROOT / "Makefile").read_text(), re.M
    )
    assert "nodes.VERSIONS" in rule
    assert not re.search(r"\b(18|20|22|24|26)\b", rule)


def test_every_push_and_pull_request_runs_make_quick_on_each_node_and_python():
    quick = yaml.load((paths.ROOT / ".github/workflows/quick.yml").read_text(), yaml.BaseLoader)
    assert quick["on"].keys() >= {"push", "pull_request"}
    assert quick["on"]["push"] == "", "whatever the branch"
    assert quick["permissions"] == {"contents": "read"}
    (job,) = quick["jobs"].values()
    assert job["steps"][-1] == {"run": "make quick"}
    matrix = job["strategy"]["matrix"]["include"]
    assert {int(entry["node"]) for entry in matrix} == {*nodes.SUPPORTED, nodes.CLIENT}
    setup = (paths.ROOT / "tools/setup.sh").read_text()
    (oldest, newest) = map(int, re.search(r"^oldest=(\d+) newest=(\d+)", setup, re.M).groups())
    pythons = {entry["python"] for entry in matrix}
    assert pythons == {f"3.{minor}" for minor in range(oldest, newest + 1)}
