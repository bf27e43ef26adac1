"""What runs elsewhere on our behalf, as far as it can be read here."""

import re

import pytest
import yaml

from lab import paths
from lab.processes import nodes


def test_every_action_is_named_by_its_commit_with_the_version_beside_it():
    files = sorted((paths.ROOT / ".github" / "workflows").glob("*.yml"))
    actions = [
        line.split("uses:")[1]
        for file in files
        for line in file.read_text().splitlines()
        if "uses:" in line
    ]
    assert actions
    loose = [
        one for one in actions if not re.fullmatch(r" [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)
    ]
    assert loose == []
    # One version of each in all of them.
    assert len({one.split("@")[0] for one in actions}) == len(set(actions))


def test_no_step_keeps_the_token_that_fetched_the_repository():
    for file in sorted((paths.ROOT / ".github" / "workflows").glob("*.yml")):
        for name, job in yaml.safe_load(file.read_text())["jobs"].items():
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/checkout@"):
                    kept = step.get("with", {}).get("persist-credentials")
                    assert kept is False, f"{file.name}: {name}"


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
