"""What an LMS gives: whose each file is; a hostile archive takes nothing and nobody."""

import io
import os
import stat
import zipfile
from pathlib import PurePosixPath

import pytest

from lab.classroom import lms
from lab.grading import choice, identity, intake
from lab.grading.choice import Exercises

ANNA = b"// anna's"


@pytest.mark.parametrize(
    ("path", "student", "file"),
    [
        ("Anna Böhm_4711_assignsubmission_file_/summary.mjs", "anna-böhm", "summary.mjs"),
        ("Anna Böhm_4711_assignsubmission_file/a/summary.mjs", "anna-böhm", "summary.mjs"),
        ("Anna Böhm_4711_assignsubmission_file_summary.mjs", "anna-böhm", "summary.mjs"),
        ("bohmanna_815_90210_summary.mjs", "bohmanna-815", "summary.mjs"),
        ("bohmanna_LATE_815_90210_summary-2.mjs", "bohmanna-815", "summary.mjs"),
        ("bohmanna_815_90210_one-of-five.mjs", "bohmanna-815", "one-of-five.mjs"),
        ("anna/week 1/summary.ipynb", "anna", "summary.ipynb"),
    ],
)
def test_whose_a_file_is_stands_in_its_name(path, student, file, tmp_path):
    place = archive(tmp_path / "all.zip", [(path, ANNA), ("ben/notes.txt", b"")])
    found = [(one.student, one.file) for one in lms.read(place, {})]
    assert found == [(student, file)]
    (kind,) = identity.kind_of([path])
    assert PurePosixPath(identity.owner(kind, path).file).name == file


def test_a_roster_says_who_a_name_or_number_is(tmp_path):
    (tmp_path / lms.ROSTER).write_text("lms,student\nAnna Böhm,ab12\n815,ab12\n")
    known = lms.roster(tmp_path)
    for path in ("Anna Böhm_1_assignsubmission_file_/summary.mjs", "bohmanna_815_9_summary.mjs"):
        place = archive(tmp_path / "all.zip", [(path, ANNA)])
        assert [one.student for one in lms.read(place, known)] == ["ab12"]


def test_a_file_of_nobody_is_refused_with_its_name(tmp_path):
    place = archive(tmp_path / "all.zip", [("summary.cjs", ANNA), ("anna/summary.mjs", ANNA)])
    came, given = lms.came_in(place, {})
    assert [one.student for one in given] == ["anna"]
    assert [str(one) for one in came.listed()] == ["summary.cjs: it is not in a student's folder"]


def archive(place, entries):
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in entries:
            made.writestr(name, data)
    return place


def test_of_what_was_handed_in_again_the_last_counts(tmp_path):
    names = ["x_1_7_summary-2.mjs", "x_1_9_summary-10.mjs", "x_1_3_summary.mjs"]
    place = archive(tmp_path / "all.zip", [(name, name.encode()) for name in names])
    (found,) = lms.newest(lms.read(place, {})).items()
    assert found == (("x-1", "summary.mjs"), b"x_1_9_summary-10.mjs")


def test_names_that_lead_out_links_and_other_files_are_left_out(tmp_path):
    link = zipfile.ZipInfo("anna/linked.mjs")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    place = archive(
        tmp_path / "all.zip",
        [
            ("../../evil.mjs", b""),
            ("/etc/evil.mjs", b""),
            ("anna/../ben/summary.mjs", b""),
            ("..\\ben\\summary.mjs", b""),
            (link, b"/etc/passwd"),
            ("anna/run.exe", b""),
            ("anna/summary.mjs", ANNA),
        ],
    )
    assert [(g.student, g.file, g.data) for g in lms.read(place, {})] == [
        ("anna", "summary.mjs", ANNA)
    ]


def test_a_zip_within_is_the_student_s_and_one_within_that_is_not_opened(tmp_path):
    def packed(entries):
        out = io.BytesIO()
        archive(out, entries)
        return out.getvalue()

    deep = packed([("deep.mjs", b"")])
    inner = packed([("work/summary.mjs", ANNA), ("deep.zip", deep)])
    place = archive(
        tmp_path / "all.zip",
        [("Anna_1_assignsubmission_file_/my work.zip", inner), ("ben/broken.zip", b"no zip")],
    )
    assert [(g.student, g.file) for g in lms.read(place, {})] == [("anna", "summary.mjs")]


def test_a_zip_is_one_in_capitals_too(tmp_path):
    both = [
        ("Anna_1_assignsubmission_file_/MY WORK.ZIP", of_one()),
        ("Ben_2_assignsubmission_file_/my.Zip", of_one()),
    ]
    archive(tmp_path / "ALL.ZIP", both)
    (tmp_path / "carl").mkdir()
    (tmp_path / "carl" / "C.ZIP").write_bytes(of_one())
    assert sorted((g.student, g.file) for g in lms.read(tmp_path, {})) == [
        ("anna", "summary.mjs"),
        ("ben", "summary.mjs"),
        ("carl", "summary.mjs"),
    ]


def of_one(**options):
    """A zip of one student, as bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for number in range(options.get("files", 1)):
            made.writestr("summary.mjs" if number == 0 else f"f{number}.mjs", ANNA * 99)
    data = bytearray(out.getvalue())
    central = data.index(b"PK\x01\x02")
    if "flags" in options:  # a password
        data[6] |= options["flags"]
        data[central + 8] |= options["flags"]
    if "method" in options:
        data[8] = data[central + 10] = options["method"]
    if "damaged" in options:
        start = 30 + len("summary.mjs")
        data[start : start + 4] = b"\xff\xff\xff\xff"
    return bytes(data)


@pytest.mark.parametrize(
    "broken",
    [{"flags": 1}, {"method": 99}, {"damaged": True}],
    ids=["with a password", "packed otherwise", "damaged"],
)
@pytest.mark.parametrize("where", ["an archive of all", "a folder of all"])
def test_a_zip_of_one_student_that_cannot_be_read_costs_nobody_else_anything(
    tmp_path, broken, where
):
    if where == "an archive of all":
        names = ("Anna_1_assignsubmission_file_/my.zip", "Ben_2_assignsubmission_file_/my.zip")
        entries = zip(names, (of_one(**broken), of_one()), strict=True)
        place = archive(tmp_path / "all.zip", entries)
    else:
        place = tmp_path
        for name, data in (("anna", of_one(**broken)), ("ben", of_one())):
            (place / name).mkdir()
            (place / name / "my.zip").write_bytes(data)
    assert [(g.student, g.file) for g in lms.read(place, {})] == [("ben", "summary.mjs")]


def test_a_bomb_costs_its_student_alone_and_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(choice, "MOST_READ", 5000)
    monkeypatch.setattr(intake, "MOST_OWN_ZIP", 5000)
    eves = [(f"eve/{number}.ipynb", b"0" * 4999) for number in range(9)]
    bomb = io.BytesIO()
    archive(bomb, [("summary.mjs", os.urandom(9000))])
    entries = [*eves, ("fay/w.zip", bomb.getvalue()), ("ben/summary.mjs", ANNA)]
    came, given = lms.came_in(archive(tmp_path / "one.zip", entries), {})
    assert ("ben", "summary.mjs") in [(one.student, one.file) for one in given]
    said = [str(one) for one in came.listed()]
    assert any(line.startswith("fay/w.zip: a zip of more than") for line in said)
    assert len([line for line in said if line.startswith("eve/")]) == 9
    assert any("more than 0 MiB" in line for line in said if line.startswith("eve/"))


def test_what_is_no_zip_says_which(tmp_path):
    (tmp_path / "all.zip").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(lms.BadArchive, match=r"all\.zip cannot be read"):
        list(lms.read(tmp_path, {}))


def test_students_ids_are_names_of_folders():
    for name in ("../x", "a/b", "", " ", "a*b", "ü", "A+B", "."):
        made = lms.student_id(name)
        assert made and not set(made) & set("/*+ \\") and made not in (".", "..")


def test_a_folder_of_a_project_is_laid_out_as_a_zip_that_counts_for_it(tmp_path):
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as archive_file:
        for path, text in {
            "Anna Bohm_4711_assignsubmission_file_/drop-01/src/server.mjs": "import './a.mjs';\n",
            "Anna Bohm_4711_assignsubmission_file_/drop-01/src/a.mjs": "1;\n",
            "Anna Bohm_4711_assignsubmission_file_/drop-01/node_modules/p/index.js": "2;\n",
            "Ben Ro_4712_assignsubmission_file_/drop-01/a.mjs": "1;\n",
            "Ben Ro_4712_assignsubmission_file_/drop-01/b.mjs": "2;\n",
        }.items():
            archive_file.writestr(path, text)
    given = {(one.student, one.file): one.data for one in lms.read(archive, {})}
    assert set(given) == {("anna-bohm", "drop-01.zip"), ("ben-ro", "drop-01.zip")}
    for (student, name), data in given.items():
        folder = tmp_path / student
        folder.mkdir()
        (folder / name).write_bytes(data)
    anna = intake.of_one("anna-bohm", tmp_path / "anna-bohm", Exercises()).chosen["drop-01"]
    assert sorted(anna.hand_in.files) == [
        "node_modules/p/index.js",
        "src/a.mjs",
        "src/server.mjs",
    ]
    assert anna.hand_in.name == "src/server.mjs"
    ben = intake.of_one("ben-ro", tmp_path / "ben-ro", Exercises()).chosen["drop-01"]
    assert ben.hand_in is None and "none is called server.mjs" in ben.why
