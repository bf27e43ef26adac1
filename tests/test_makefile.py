"""Commands of the Makefile that remove or run whole folders: nothing that is not meant."""

import re
import shutil
import subprocess

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
