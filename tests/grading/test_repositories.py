"""A class by repositories: a template, a list, and what students pushed, from bare repositories."""

import csv
import os
import re
import shutil
import socket
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest
import yaml

from lab import paths
from lab.__main__ import main
from lab.grading import repositories
from lab.grading.exercise import exercise

DAY = "2027-01-18T12:00:00+00:00"
PERSON = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
PERSON |= {name.replace("AUTHOR", "COMMITTER"): text for name, text in PERSON.items()}


def git(folder, *words, date=DAY):
    env = {**os.environ, **PERSON, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    command = ["git", "-c", "init.defaultBranch=main", *words]
    done = subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, text=True)
    return done.stdout


def pushed(folder, name, files, date=DAY):
    """A bare repository with one more commit of these files, on main."""
    work, bare = folder / f"{name}-work", folder / f"{name}.git"
    if not bare.exists():
        git(folder, "init", "--quiet", "--bare", str(bare))
        git(folder, "clone", "--quiet", str(bare), str(work))
        git(work, "checkout", "--quiet", "-B", "main")
    for path, text in files.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(text)
    git(work, "add", "--all", "--force")
    git(work, "commit", "--quiet", "--message", "work", date=date)
    git(work, "push", "--quiet", "origin", "HEAD:main")
    return bare


def the_list(folder, *lines):
    file = folder / "class.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def fetch(folder, *lines, before=None):
    listed = repositories.listed(the_list(folder, *lines))
    return list(repositories.fetch(listed, folder / "hand-ins", before))


def test_a_template_has_tasks_starters_and_a_workflow_and_is_judged_as_it_is(tmp_path, capsys):
    folder = tmp_path / "template"
    assert main(["template", str(folder), "summary", "drop-01", "summary"]) == 0
    assert "2 exercises in" in capsys.readouterr().out
    assert (folder / "summary/summary.mjs").read_text() == exercise("summary").begin({})
    assert (folder / "summary/task.md").read_text().startswith(f"# {exercise('summary').title}\n")
    assert "[File drop 1: answer](drop-01/task.md)" in (folder / "README.md").read_text()
    workflow = yaml.safe_load((folder / ".github/workflows/check.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    # The actions are those of the course's own workflows.
    ours = (paths.ROOT / ".github/workflows/site.yml").read_text() + (
        paths.ROOT / ".github/workflows/release.yml"
    ).read_text()
    for step in workflow["jobs"]["check"]["steps"]:
        assert step.get("uses", "") in ours


def test_a_template_has_what_a_syllabus_names(tmp_path):
    chosen = [item.id for item in repositories.template(tmp_path / "new", syllabus="6")]
    assert chosen[:2] == ["summary", "one-of-five"]
    assert len(chosen) == len(set(chosen))


def test_a_template_goes_into_no_folder_that_has_something_and_needs_exercises(tmp_path):
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(repositories.NoClass, match="is not empty"):
        repositories.template(tmp_path, ["summary"])
    with pytest.raises(repositories.NoClass, match="Name exercises"):
        repositories.template(tmp_path / "new")
    with pytest.raises(repositories.NoClass, match="there are 6, 12"):
        repositories.template(tmp_path / "new", syllabus="7")


@pytest.mark.parametrize(
    "lines",
    [
        ["anna https://git.example/anna.git"],
        ["student,repository", "anna , git@git.example:course/anna.git"],
        ["\ufeffStudent Repository", "# the first group", "", "anna\tfile:///srv/anna.git"],
        ['"anna","/srv/git/anna, the first.git"'],
        ["anna@uni.example ssh://git@git.example/anna"],
        ["anna;https://git.example/anna.git\r"],
        [
            '"assignment_name","roster_identifier","student_repository_url","points_awarded"',
            '"week 1","anna","https://github.com/us/week-1-anna","0"',
        ],
        ["Name,Student ID,Repository URL", "Anna B,anna,https://git.example/anna"],
    ],
)
def test_a_list_is_read_as_people_write_it(tmp_path, lines):
    (one,) = repositories.listed(the_list(tmp_path, *lines))
    assert one.student in ("anna", "anna@uni.example")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["anna"], "is not a student's id and an address"),
        (["anna https://a b"], "is not a student's id and an address. Write a comma between"),
        (["../anna https://a"], "cannot be the name of a folder"),
        ([".git https://a"], "cannot be the name of a folder"),
        (["anna ext::sh -c id"], "is not a student's id and an address"),
        (["anna ext::id"], "is not an address of a repository"),
        (["anna --upload-pack=id"], "is not an address of a repository"),
        (["anna https://a", "ben https://b", "Anna https://c"], "line 3: Anna is in line 1"),
        (
            ["anna https://a", "ben https://a/"],
            "line 2: ben has the address of anna in line 1",
        ),
        (["id,name,repository", "anna,Anna"], "is not a student's id and an address"),
        (["identifier,github_username", "anna,annab"], "'github_username' is not an address"),
        (["# no student yet"], "lists no repository"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path, lines, why):
    with pytest.raises(repositories.NoClass, match=why):
        repositories.listed(the_list(tmp_path, *lines))


def test_what_each_pushed_lies_in_a_folder_of_each_and_the_rest_is_told(tmp_path, capsys):
    pushed(tmp_path, "anna", {"summary/summary.mjs": "of anna", "node_modules/x.js": "x"})
    git(tmp_path, "init", "--quiet", "--bare", str(tmp_path / "cleo.git"))
    file = the_list(tmp_path, *(f"{who} {tmp_path}/{who}.git" for who in ("anna", "cleo", "dan")))
    hand_ins = tmp_path / "hand-ins"
    assert main(["collect", str(file), str(hand_ins)]) == 1
    told = capsys.readouterr()
    assert "cleo: not fetched: it has no commit" in told.err
    assert re.search(r"dan: not fetched: .*does not exist", told.err)
    assert "Fetched 1 of 3 repositories" in told.out
    assert (hand_ins / "anna/summary/summary.mjs").read_text() == "of anna"
    assert sorted(place.name for place in hand_ins.iterdir()) == ["anna", "fetched.csv"]
    rows = list(csv.DictReader((hand_ins / "fetched.csv").open()))
    assert [row["student"] for row in rows] == ["anna", "cleo", "dan"]
    assert rows[0]["commit"] == git(tmp_path / "anna.git", "rev-parse", "main").strip()


def test_a_path_in_the_list_is_seen_from_the_list(tmp_path, capsys):
    (tmp_path / "bare").mkdir()
    pushed(tmp_path / "bare", "anna", {"summary/summary.mjs": "of anna"})
    file = the_list(tmp_path, "anna bare/anna.git", "ben bare/ben.git")
    assert main(["collect", str(file), str(tmp_path / "hand-ins")]) == 1
    assert "ben: not fetched" in capsys.readouterr().err
    assert (tmp_path / "hand-ins/anna/summary/summary.mjs").read_text() == "of anna"


def reasons(folder, *addresses):
    lines = [f"s{number},{address}" for number, address in enumerate(addresses)]
    return [outcome.why for outcome in fetch(folder, "student,repository", *lines)]


def test_what_could_not_be_fetched_has_the_reason_and_not_git_s_advice(tmp_path):
    """The last line that git prints of a host that refuses is `and the repository exists.`"""
    with socket.socket() as closed:  # bound and not listening: a connection is refused
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        (tmp_path / "file.git").write_text("no repository")
        why = reasons(
            tmp_path,
            f"ssh://git@127.0.0.1:{port}/course/anna.git",
            f"http://127.0.0.1:{port}/anna.git",
            "https://no-such-host.invalid/anna.git",
            tmp_path / "file.git",
        )
    assert re.search("Connection refused|git-remote-ssh|cannot run ssh", why[0])
    assert "127.0.0.1" in why[1]
    assert "no-such-host.invalid" in why[2]
    assert "file.git" in why[3]
    for reason in why:
        assert not reason.startswith(("fatal", "error", "and "))
        assert reason.isprintable()


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        (
            "Warning: Permanently added 'h' (ED25519) to the list of known hosts.\r\n"
            "git@h: Permission denied (publickey).\r\n"
            "fatal: Could not read from remote repository.\n\n"
            "Please make sure you have the correct access rights\nand the repository exists.\n",
            "git@h: Permission denied (publickey).",
        ),
        (
            "remote: The project you were looking for could not be found.\n"
            "fatal: repository 'https://h/a/' not found\n",
            "repository 'https://h/a/' not found",
        ),
        ("warning: redirecting to https://h/b\n", "git ended with 128"),
        ("", "git ended with 128"),
    ],
)
def test_the_reason_is_the_line_that_says_one(printed, reason):
    assert repositories._reason(printed, 128) == reason


def test_a_host_that_takes_a_connection_and_never_answers_leaves_nothing_behind(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(repositories, "PATIENCE_S", 1)
    pushed(tmp_path, "anna", {"a.mjs": "a"})
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        silent_host, anna = fetch(
            tmp_path, f"ben http://127.0.0.1:{port}/ben.git", f"anna {tmp_path}/anna.git"
        )
        commands = [
            process.cmdline()
            for process in psutil.process_iter()
            if f"127.0.0.1:{port}" in " ".join(_words_of(process))
        ]
    assert silent_host.why == "git did not end within 1 s"
    assert commands == []
    assert anna.commit


def _words_of(process):
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_what_a_student_pushed_and_the_folder_lacks_is_told(tmp_path, capsys):
    """Else it would be judged as if nothing had been handed in."""
    pushed(tmp_path, "anna", {"summary/summary.mjs": "the starter"})
    work = tmp_path / "anna-work"
    git(work, "checkout", "--quiet", "-b", "master")
    (work / "summary/summary.mjs").write_text("the work")
    git(work, "commit", "--quiet", "-am", "work", date="2027-01-19T12:00:00+00:00")
    git(work, "push", "--quiet", "origin", "master")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    pushed(tmp_path, "ben", {"summary/summary.mjs": pointer})
    pushed(tmp_path, "cleo", {"a.mjs": "a"})
    work = tmp_path / "cleo-work"
    commit = git(work, "rev-parse", "HEAD").strip()
    git(work, "update-index", "--add", "--cacheinfo", f"160000,{commit},summary")
    git(work, "commit", "--quiet", "--message", "a submodule")
    git(work, "push", "--quiet", "origin", "HEAD:main")
    file = the_list(tmp_path, *(f"{who} {tmp_path}/{who}.git" for who in ("anna", "ben", "cleo")))
    assert main(["collect", str(file), str(tmp_path / "hand-ins")]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "anna: branch master has a newer commit, of 2027-01-19T12:00:00+00:00, which was not "
        "fetched.",
        "ben: summary/summary.mjs is only a pointer of Git LFS, and the program was not fetched.",
        "cleo: summary is a submodule, whose files were not fetched.",
    ]
    rows = list(csv.DictReader((tmp_path / "hand-ins/fetched.csv").open()))
    assert [bool(row["notes"]) for row in rows] == [True, True, True]
    before = datetime(2027, 1, 19, tzinfo=UTC)
    (anna,) = fetch(tmp_path, f"anna {tmp_path}/anna.git", before=before)
    assert anna.notes == (), "the other branch had nothing newer by then"


def test_a_commit_that_removes_all_is_named_as_that(tmp_path):
    bare = pushed(tmp_path, "anna", {"a.mjs": "a"})
    git(tmp_path / "anna-work", "rm", "--quiet", "a.mjs")
    pushed_again = git(tmp_path / "anna-work", "commit", "--quiet", "--message", "all gone")
    assert pushed_again == ""
    git(tmp_path / "anna-work", "push", "--quiet", "origin", "HEAD:main")
    (outcome,) = fetch(tmp_path, f"anna {bare}")
    assert re.fullmatch(r"its commit [0-9a-f]{12} has no file", outcome.why)


def test_one_folder_that_cannot_be_written_does_not_end_the_rest(tmp_path):
    for name in ("anna", "ben"):
        pushed(tmp_path, name, {"a.mjs": name})
    (tmp_path / "hand-ins/anna").mkdir(parents=True)
    (tmp_path / "hand-ins/anna/a.mjs").write_text("earlier")
    real = Path.rename

    def rename(self, target):
        if self.name == "files" and target == tmp_path / "hand-ins/anna":
            raise OSError(28, "No space left on device")
        return real(self, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "rename", rename)
        anna, ben = fetch(tmp_path, *(f"{who} {tmp_path}/{who}.git" for who in ("anna", "ben")))
    assert anna.why == "its files could not be written: No space left on device"
    assert ben.commit
    assert (tmp_path / "hand-ins/fetched.csv").exists()
    assert (tmp_path / "hand-ins/anna/a.mjs").read_text() == "earlier"


def test_of_a_long_history_only_the_files_of_the_commit_are_fetched(tmp_path, monkeypatch):
    bare = pushed(tmp_path, "anna", {"a.mjs": "a", "large.bin": "large" * 100})
    (tmp_path / "anna-work/large.bin").unlink()
    pushed(tmp_path, "anna", {"a.mjs": "b"})
    git(bare, "config", "uploadpack.allowFilter", "true")
    git(bare, "config", "uploadpack.allowAnySHA1InWant", "true")
    objects = []
    real = repositories._git

    def watched(*words):
        printed = real(*words)
        if "checkout" in words:
            listed = real(words[0], "cat-file", "--batch-check", "--batch-all-objects")
            objects.extend(line for line in listed.splitlines() if " blob " in line)
        return printed

    monkeypatch.setattr(repositories, "_git", watched)
    (outcome,) = fetch(tmp_path, f"anna file://{bare}")
    assert outcome.why == ""
    assert len(objects) == 1, "the program of the last commit, and no file of an earlier one"


def test_where_the_default_branch_does_not_exist_the_only_one_counts(tmp_path):
    bare = pushed(tmp_path, "anna", {"a.mjs": "a"})
    git(bare, "symbolic-ref", "HEAD", "refs/heads/trunk")
    (outcome,) = fetch(tmp_path, f"anna {bare}")
    assert outcome.why == ""
    git(bare, "branch", "other", "main")
    (outcome,) = fetch(tmp_path, f"anna {bare}")
    assert outcome.why == "it has no default branch, and several others (main, other): set one"


def test_the_newest_commit_until_the_deadline_counts(tmp_path):
    for day in ("18", "20"):
        bare = pushed(tmp_path, "anna", {"a.mjs": day}, date=f"2027-01-{day}T12:00:00+00:00")
    fetch(tmp_path, f"anna {bare}", before=datetime(2027, 1, 19, tzinfo=UTC))
    assert (tmp_path / "hand-ins/anna/a.mjs").read_text() == "18"
    (none,) = fetch(tmp_path, f"anna {bare}", before=datetime(2027, 1, 17, tzinfo=UTC))
    assert none.why == "it has no commit before 2027-01-17 00:00+00:00"
    assert (tmp_path / "hand-ins/anna/a.mjs").read_text() == "18", "what was fetched stays"
    fetch(tmp_path, f"anna {bare}")
    assert (tmp_path / "hand-ins/anna/a.mjs").read_text() == "20"


def test_what_was_removed_is_gone_after_the_next_time(tmp_path):
    bare = pushed(tmp_path, "anna", {"a.mjs": "a", "b.mjs": "b"})
    fetch(tmp_path, f"anna {bare}")
    (tmp_path / "anna-work/b.mjs").unlink()
    pushed(tmp_path, "anna", {"a.mjs": "new"})
    fetch(tmp_path, f"anna {bare}")
    assert [file.name for file in (tmp_path / "hand-ins/anna").iterdir()] == ["a.mjs"]


def test_a_student_who_left_the_list_is_told_and_not_graded_in_silence(tmp_path, capsys):
    for name in ("anna", "ben"):
        pushed(tmp_path, name, {"a.mjs": name})
    both = [f"{name} {tmp_path}/{name}.git" for name in ("anna", "ben")]
    hand_ins = str(tmp_path / "hand-ins")
    assert main(["collect", str(the_list(tmp_path, *both)), hand_ins]) == 0
    capsys.readouterr()
    assert main(["collect", str(the_list(tmp_path, both[0])), hand_ins]) == 1
    assert "grade would judge them: ben" in capsys.readouterr().err


def test_nothing_in_a_repository_runs_leads_out_or_hides_a_file(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("not yours")
    work = tmp_path / "anna-work"
    bare = pushed(tmp_path, "anna", {"a.mjs": "a"})
    (work / "link.mjs").symlink_to(secret)
    (work / "folder").symlink_to(tmp_path)
    (work / ".gitattributes").write_text("a.mjs export-ignore\n* filter=evil\n")
    (work / ".gitmodules").write_text(f'[submodule "s"]\npath = s\nurl = {tmp_path}\n')
    hook = bare / "hooks/post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    pushed(tmp_path, "anna", {})
    fetch(tmp_path, f"anna {bare}")
    files = tmp_path / "hand-ins/anna"
    assert (files / "a.mjs").read_text() == "a"
    assert not (files / "link.mjs").is_symlink() and not (files / "folder").is_symlink()
    assert (files / "link.mjs").read_text() == str(secret), "the text of the link, and no more"
    assert not (tmp_path / "ran").exists()


@pytest.mark.sandboxed
def test_a_push_is_judged_and_the_summary_of_the_run_says_why(tmp_path):
    template = tmp_path / "template"
    repositories.template(template, ["summary", "text-of-chunks"])
    git(template, "init", "--quiet")
    shutil.copy(exercise("summary").solution, template / "summary/summary.mjs")
    (template / "student.txt").write_text("anna\n")
    git(template, "add", "--all")
    git(template, "commit", "--quiet", "--message", "work")
    (template / "summary/summary.mjs").write_text("not committed")
    summary = tmp_path / "summary.md"
    process = subprocess.run(
        ["sh", "check.sh", str(paths.ROOT), str(tmp_path / "graded")],
        cwd=template,
        env={**os.environ, "GITHUB_STEP_SUMMARY": str(summary)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    text = summary.read_text()
    assert "| anna | summary | 7 of 7 | every criterion held |" in text
    assert re.search(r"\| anna \| text-of-chunks \| \d+ of \d+ \| see below \|", text)
    assert "### anna: " in text
    assert "What is not committed is not judged" in process.stderr
    assert git(template, "status", "--porcelain") == " M summary/summary.mjs\n", "as it was"


def test_an_id_that_would_lead_out_of_the_folder_is_refused(tmp_path):
    template = tmp_path / "template"
    repositories.template(template, ["summary"])
    git(template, "init", "--quiet")
    (template / "student.txt").write_text("../../etc\n")
    process = subprocess.run(
        ["sh", "check.sh", str(paths.ROOT)],
        cwd=template,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 2
    assert "student.txt is not an id" in process.stderr
