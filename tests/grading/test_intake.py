"""What came in: whose each file is and which of several counts; nothing is lost, nobody is another.

Nothing is judged here: what is looked at is which text counts for whom.
"""

import io
import json
import random
import struct
import time
import unicodedata
import warnings
import zipfile
import zlib
from collections import Counter

import pytest

from lab.grading import batch, choice, exercise, identity, intake
from lab.grading.choice import Exercises

GOOD = "export function summary(rows, seconds) { return {}; }\n"
KNOWN = Exercises()
MOODLE = "_assignsubmission_file_"


def came_in(place, **options):
    return intake.came_in(place, KNOWN, **options)


def packed(entries):
    """A zip as bytes, of pairs of name and content: a name may be there twice."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, data in entries:
            made.writestr(name, data)
    return out.getvalue()


def zipped(place, entries):
    place.write_bytes(packed(entries))
    return place


def laid(top, files):
    for name, data in files.items():
        file = top / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return top


def notebook(*cells):
    made = [{"cell_type": "code", "metadata": {}, "source": source} for source in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made})


def texts(came, name="summary"):
    """What counts for an exercise, by student; None where it is refused."""
    return {
        one.student: one.chosen[name].hand_in and one.chosen[name].hand_in.text.strip()
        for one in came.students
        if name in one.chosen
    }


def said(came):
    return [str(one) for one in came.listed()]


# Names as platforms write them: https://docs.moodle.org (download all submissions), Canvas's
# submissions.zip, Blackboard's gradebook_*.zip, Brightspace's download, Gradescope's export.
PLATFORMS = {
    "Moodle, folders": [
        f"Anna Bohm_4711{MOODLE}/summary.mjs",
        f"Ben O'Neil_4712{MOODLE}/summary.mjs",
    ],
    "Moodle, no folders": [
        f"Anna Bohm_4711{MOODLE}summary.mjs",
        f"Ben O'Neil_4712{MOODLE}summary.mjs",
    ],
    "Moodle, two of one name": [
        f"Anna Bohm_4711{MOODLE}/summary.mjs",
        f"Anna Bohm_4712{MOODLE}/summary.mjs",
    ],
    "Moodle, no names": [
        f"Participant_11{MOODLE}/summary.mjs",
        f"Participant_12{MOODLE}/summary.mjs",
    ],
    "Moodle in German, no names": [
        f"Teilnehmer_in 11_11{MOODLE}/summary.mjs",
        f"Teilnehmer_in 12_12{MOODLE}/summary.mjs",
    ],
    "Moodle, a folder more": [
        f"week 1/Anna Bohm_4711{MOODLE}/summary.mjs",
        f"week 1/Ben Ro_4712{MOODLE}/summary.mjs",
    ],
    "Canvas": ["bohmanna_815_90210_summary.mjs", "robben_LATE_816_90211_summary.mjs"],
    "Canvas, no names": ["anon_Jv2Gp_90210_summary.mjs", "anon_LATE_jv2gP_90211_summary.mjs"],
    "Canvas, two of one name": ["bohmanna_815_90210_summary.mjs", "bohmanna_816_90211_summary.mjs"],
    "Blackboard": [
        "Week 1_abohm_attempt_2026-11-27-10-11-12_summary.mjs",
        "Week 1_aboh_attempt_2026-11-27-10-11-13_summary.mjs",
    ],
    "Blackboard, lines in names": [
        "HW_1_a_bohm_attempt_2026-11-27-10-11-12_summary.mjs",
        "HW_1_b_ro_attempt_2026-11-27-10-11-13_summary.mjs",
    ],
    "Brightspace, folders": [
        "13394-80551 - Anna Bohm - Nov 27, 2026 1205 PM/summary.mjs",
        "13395-80551 - Anna Bohm - Nov 27, 2026 1206 PM/summary.mjs",
    ],
    "Brightspace, no folders": [
        "13394-80551 - Anna Bohm- Nov 27, 2026 1205 PM - summary.mjs",
        "13395-80551 - Ben Ro - Nov 27, 2026 1206 PM - summary.mjs",
    ],
    "Gradescope": [
        "assignment_7_export/submission_101/summary.mjs",
        "assignment_7_export/submission_102/summary.mjs",
    ],
    "GitHub Classroom": ["summary-anna/src/summary.mjs", "summary-ben/summary.mjs"],
    "Teams": [
        "Submitted files/Anna Bohm/Week 1/Version 1/summary.mjs",
        "Submitted files/Ben Ro/Week 1/Version 3/summary.mjs",
    ],
    "folders": ["Anna/summary.mjs", "Ben/summary.mjs"],
    "a folder more": ["week-1/anna/summary.mjs", "week-1/ben/summary.mjs"],
    "two folders more": ["a/week-1/anna/summary.mjs", "a/week-1/ben/summary.mjs"],
}


@pytest.mark.parametrize("names", PLATFORMS.values(), ids=PLATFORMS)
@pytest.mark.parametrize("as_they_are", [True, False])
@pytest.mark.parametrize("form", ["zip", "folder"])
def test_two_students_of_a_platform_are_two(tmp_path, names, as_they_are, form):
    files = {name: f"{GOOD}// {at}" for at, name in enumerate(names)}
    junk = {"__MACOSX/._x": "x", ".DS_Store": "x", "index.html": "x"}
    if form == "zip":
        place = zipped(tmp_path / "all.zip", {**files, **junk}.items())
    else:
        place = laid(tmp_path / "week", {**files, **junk})
    came = came_in(place, as_they_are=as_they_are)
    assert sorted(texts(came).values()) == sorted(f"{GOOD}// {at}" for at in range(2))
    assert came.sum().fates == {"judged": 2, "listed": 3}


def test_the_first_number_of_a_name_counts_and_one_platform_for_all(tmp_path):
    """Students choose the names of their files: none makes a file another's."""
    eves = [
        f"Eve_99{MOODLE}x_4711{MOODLE}summary.mjs",
        f"Eve_99{MOODLE}bohmanna_815_90210_summary.mjs",
        f"Eve_99{MOODLE}W_abohm_attempt_2026-11-27-10-11-12_summary.mjs",
    ]
    files = [(f"Anna_4711{MOODLE}summary.mjs", GOOD), *((name, "// eve") for name in eves)]
    came = came_in(zipped(tmp_path / "moodle.zip", files), as_they_are=False)
    assert texts(came) == {"anna": GOOD.strip()}
    canvas = [
        f"eve_99_1_x_4711{MOODLE}summary.mjs",
        "eve_99_2_W_abohm_attempt_2026-11-27-10-11-12_summary.mjs",
        "eve_99_3_anna_815_7_summary.mjs",
    ]
    files = [("anna_815_7_summary.mjs", GOOD), *((name, "// eve") for name in canvas)]
    came = came_in(zipped(tmp_path / "canvas.zip", files), as_they_are=False)
    assert texts(came) == {"anna-815": GOOD.strip()}
    assert came.sum().files == 4


@pytest.mark.parametrize(
    "names",
    [
        ["Anna B/summary.mjs", "anna-b/summary.mjs"],
        ["\N{MATHEMATICAL BOLD CAPITAL A}nna/summary.mjs", "Anna/summary.mjs"],
        [f"Anna_4711{MOODLE}/summary.mjs", f"Eve_4711{MOODLE}/summary.mjs"],
    ],
)
def test_names_that_come_to_one_student_are_refused_with_both(tmp_path, names):
    files = [(name, f"// {name}") for name in names]
    files += [("Carl/summary.mjs", GOOD)] * (MOODLE not in names[0])
    came = came_in(zipped(tmp_path / "all.zip", files), as_they_are=False)
    assert set(texts(came)) <= {"carl"}
    refused = [one for one in came.unowned if one.fate == "refused"]
    assert len(refused) == 2
    for name in names:
        assert all(name.partition("/")[0] in one.why for one in refused)


def test_two_numbers_that_the_roster_gives_one_student_are_refused_with_both(tmp_path):
    files = [(f"Anna_{number}{MOODLE}/summary.mjs", f"// {number}") for number in (1, 2)]
    came = came_in(zipped(tmp_path / "all.zip", files), roster={"1": "anna", "2": "anna"})
    assert texts(came) == {}
    assert [one.fate for one in came.unowned] == ["refused"] * 2


def test_a_folder_beside_an_archive_is_the_instructors_correction(tmp_path):
    zipped(tmp_path / "moodle.zip", [(f"Anna Bohm_4711{MOODLE}/summary.mjs", "// hers")])
    laid(tmp_path, {"anna-bohm/summary.mjs": "export const summary = 1\n"})
    came = came_in(tmp_path, as_they_are=False)
    assert texts(came) == {"anna-bohm": "export const summary = 1"}
    assert came.sum().fates == {"judged": 1, "listed": 1}


def test_folders_of_one_name_in_two_archives_are_in_doubt(tmp_path):
    for name in ("a", "b"):
        zipped(tmp_path / f"{name}.zip", [("anna/summary.mjs", f"// {name}"), ("ben/x.txt", "")])
    came = came_in(tmp_path)
    assert texts(came) == {}
    assert all("lead to the same student" in one.why for one in came.unowned)


def test_a_zip_that_a_student_made_is_theirs(tmp_path):
    own = packed([("week1/summary.mjs", GOOD), ("__MACOSX/week1/._summary.mjs", "x")])
    files = [("robben_816_1_week1.zip", own), ("bohmanna_815_2_summary.mjs", "// plain\n1;")]
    came = came_in(zipped(tmp_path / "all.zip", files))
    assert texts(came) == {"robben-816": GOOD.strip(), "bohmanna-815": "// plain\n1;"}


COPIES = {
    "node_modules": (["summary.mjs", "node_modules/x/summary.js"], "summary.mjs"),
    "node_modules alone": (["node_modules/x/summary.js"], None),
    "older": (["summary.mjs", "old/summary.mjs", "versions/summary.mjs"], "summary.mjs"),
    "old alone": (["old/summary.mjs"], "old/summary.mjs"),
    "old beside": (["src/summary.mjs", "old/summary.mjs"], "src/summary.mjs"),
    "order of suffixes": (["summary.js", "summary.cjs", "summary.mjs"], "summary.mjs"),
    "capitals": (["SUMMARY.MJS"], "SUMMARY.MJS"),
    "capitals beside": (["SUMMARY.MJS", "summary.mjs"], "summary.mjs"),
    "hidden": ([".git/summary.mjs", "a/b/summary.mjs"], "a/b/summary.mjs"),
    "a browser's number": (["summary (1).mjs"], "summary (1).mjs"),
    "a file manager's word": (["old/summary.mjs", "summary - Copy.mjs"], "summary - Copy.mjs"),
    "a number beside": (["summary (2).mjs", "summary.mjs"], "summary.mjs"),
    "two numbers": (["summary (1).mjs", "summary (2).mjs"], None),
    "in doubt": (["src/summary.mjs", "lib/summary.mjs"], None),
}


@pytest.mark.parametrize(("names", "counts"), COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("form", ["zip", "folder"])
def test_of_several_copies_the_one_nearest_to_the_top_counts(tmp_path, names, counts, form):
    files = {f"anna/{name}": f"// {name}\n1;" for name in names} | {"ben/summary.mjs": GOOD}
    if form == "zip":
        place = zipped(tmp_path / "all.zip", files.items())
    else:
        place = laid(tmp_path / "week", files)
    came = came_in(place)
    assert texts(came).get("anna") == (counts and f"// {counts}\n1;")
    assert texts(came)["ben"] == GOOD.strip()
    fates = [fate for one in came.students if one.student == "anna" for _, fate in one.fates]
    assert len([one for one in fates if one.fate == "judged"]) == bool(counts)
    assert sum(one.files for one in fates) == len(names)


def test_the_last_attempt_counts_and_the_starter_after_what_was_worked_on(tmp_path):
    starter = exercise.exercise("summary").begin()
    at = "Week 1_abohm_attempt_2026-11-{}-10-11-12_summary.mjs"
    files = [(at.format(day), f"// {day}\n1;") for day in (26, 28, 27)]
    came = came_in(zipped(tmp_path / "a.zip", [*files, (at.format(29), starter)]))
    assert texts(came) == {"abohm": "// 28\n1;"}
    canvas = [(f"x_1_{n}_summary-{n}.mjs", f"// {n}\n1;") for n in (9, 10)]
    assert texts(came_in(zipped(tmp_path / "b.zip", canvas))) == {"x-1": "// 10\n1;"}


def test_the_last_version_counts_where_a_folder_is_numbered_and_a_file_beside_them_first(tmp_path):
    files = [(f"anna/Week 1/Version {n}/summary.mjs", f"// {n}\n1;") for n in (2, 10, 9)]
    files.append(("ben/Version 3/summary.mjs", "// old\n1;"))
    files.append(("ben/summary.mjs", "// new\n1;"))
    came = came_in(zipped(tmp_path / "all.zip", files))
    assert texts(came) == {"anna": "// 10\n1;", "ben": "// new\n1;"}


def test_a_name_that_is_twice_in_a_zip_counts_only_if_both_are_the_same(tmp_path):
    for second, counts in ((GOOD, GOOD.strip()), ("// other\n1;", None)):
        files = [("anna/summary.mjs", GOOD), ("anna/summary.mjs", second), ("ben/summary.mjs", "1")]
        with pytest.warns(UserWarning, match="Duplicate name"):
            place = zipped(tmp_path / "all.zip", files)
        came = came_in(place)
        assert texts(came)["anna"] == counts
        assert came.sum().files == 3


def test_two_notebooks_with_different_cells_are_in_doubt_and_the_one_worked_on_counts(tmp_path):
    starter = exercise.exercise("summary").begin()
    cells = {"a": "// a\n1;", "b": "// b\n1;", "s": starter}
    names = {name: notebook(f"%%submit summary\n{text}") for name, text in cells.items()}
    laid(tmp_path, {"anna/a.ipynb": names["a"], "anna/b.ipynb": names["b"]})
    laid(tmp_path, {"ben/a.ipynb": names["s"], "ben/b.ipynb": names["b"]})
    laid(tmp_path, {"carl/a.ipynb": names["a"], "carl/summary.ipynb": names["b"]})
    came = came_in(tmp_path)
    assert texts(came) == {"anna": None, "ben": "// b\n1;", "carl": "// b\n1;"}
    (anna,) = [one for one in batch.works_of(came, tmp_path) if one.student == "anna"]
    assert "a.ipynb and b.ipynb are both for summary" in anna.refused


def test_every_wrapper_is_named_once_with_the_reason(tmp_path):
    names = [
        "summary.7z", "notes.docx", "summary.ts", "summary.mjs.txt", "x.tar.gz", "summary.rar",
        "onlinetext.html", "summary.ipynb.txt", "locked.zip", "broken.zip", "summary.pdf",
    ]  # fmt: skip
    locked = bytearray(packed([("summary.mjs", GOOD)]))
    locked[6] |= 1
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    content = {"locked.zip": bytes(locked)}
    files = {f"s{at}/{name}": content.get(name, b"x") for at, name in enumerate(names)}
    came = came_in(laid(tmp_path, {**files, "zoe/summary.mjs": GOOD}))
    lines = [line for line in said(came) if "neither a program nor a notebook" not in line]
    lines += [f"{one.student}/: {why.why}" for one in came.students for why in one.chosen.values()]
    assert len(lines) == len(names) + 1
    for at, name in enumerate(names):
        (line,) = [line for line in lines if line.startswith(f"s{at}/")]
        assert name in line and len(line) > len(name) + 20
    assert len(came.sum().students) == len(names) + 1


def test_a_mark_at_the_beginning_of_a_notebook_is_no_matter(tmp_path):
    made = "\ufeff" + notebook(f"%%submit summary\n{GOOD}")
    assert texts(came_in(laid(tmp_path, {"anna/week.ipynb": made})))["anna"] == GOOD.strip()


def test_names_of_zips_are_read_as_they_were_written(tmp_path):
    """Some programs write UTF-8 and do not say so, or a backslash."""
    data = packed([("J\u00f6rg/summary.mjs", GOOD), ("ben\\summary.mjs", GOOD)])
    archive_bytes = bytearray(data)
    for mark, at in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
        start = -1
        while (start := archive_bytes.find(mark, start + 1)) >= 0:
            archive_bytes[start + at] &= ~8
    (tmp_path / "all.zip").write_bytes(bytes(archive_bytes))
    assert set(texts(came_in(tmp_path / "all.zip"))) == {"J\u00f6rg", "ben"}


def test_a_name_beside_one_whose_letters_were_lost_counts(tmp_path):
    """Some programs write "??", and the name in UTF-8 in an extra field: two students are two."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive_file:
        for name, mark in (("王小", 1), ("李明", 2), ("张三", 3)):
            info = zipfile.ZipInfo(f"??/{mark}.txt" if mark == 3 else "??/summary.mjs")
            checked = zlib.crc32(info.filename.encode()) ^ (mark == 3)  # of another name
            folder = f"{name}/{info.filename.partition('/')[2]}".encode()
            info.extra = struct.pack("<HHBI", 0x7075, 5 + len(folder), 1, checked) + folder
            with warnings.catch_warnings(action="ignore"):
                archive_file.writestr(info, f"// {mark}\n1;")
    (tmp_path / "all.zip").write_bytes(out.getvalue())
    came = came_in(tmp_path / "all.zip")
    assert texts(came) == {"王小": "// 1\n1;", "李明": "// 2\n1;"}
    assert {one.student for one in came.students} == {"王小", "李明", "??"}


NO_ZIPS = {
    "RAR": b"Rar!\x1a\x07\x01\x00" + b"x" * 50,
    "7z": b"7z\xbc\xaf\x27\x1c" + b"x" * 50,
    "gzip": b"\x1f\x8b" + b"x" * 50,
    "page": b"\xef\xbb\xbf\n<!DOCTYPE html><title>Log in</title>",
    "broke off": packed([("anna/summary.mjs", GOOD)])[:-30],
    "empty": b"",
}


@pytest.mark.parametrize(("what", "data"), NO_ZIPS.items(), ids=NO_ZIPS)
def test_what_is_only_called_a_zip_is_refused_with_what_it_is(tmp_path, what, data):
    (tmp_path / "all.zip").write_bytes(data)
    with pytest.raises(intake.BadArchive, match=rf"all\.zip cannot be read as a zip: .*{what}"):
        came_in(tmp_path / "all.zip")
    came = came_in(laid(tmp_path / "week", {"anna/hw.zip": data, "ben/summary.mjs": GOOD}))
    (line,) = said(came)
    assert line.startswith("anna/hw.zip: ") and what in line
    assert came.sum().fates == {"judged": 1, "refused": 1}


def test_a_zip_of_several_students_within_one_of_a_class_is_refused(tmp_path):
    """Also where they handed in the same: of two students one would be lost."""
    group = packed([("anna/summary.mjs", GOOD), ("ben/summary.mjs", GOOD)])
    files = [("group-a.zip", group), ("carl.zip", packed([("summary.mjs", GOOD)]))]
    came = came_in(zipped(tmp_path / "all.zip", files))
    assert texts(came) == {"carl": GOOD.strip()}
    assert any("group-a.zip: it holds folders with the same files" in line for line in said(came))
    assert came.sum().fates == {"judged": 1, "refused": 1}


def test_a_loose_archive_that_is_not_opened_is_refused_and_not_only_listed(tmp_path):
    files = {"anna.zip": packed([("summary.mjs", GOOD)]), "ben.rar": NO_ZIPS["RAR"], "a.txt": "x"}
    came = came_in(laid(tmp_path, files))
    assert set(texts(came)) == {"anna"}
    assert any("ben.rar: a .rar is not opened" in line for line in said(came))
    assert came.sum().fates == {"judged": 1, "refused": 1, "listed": 1}


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        (b"lms,student\n4711,anna\n\n,\n", {"4711": "anna"}),
        (b"\xef\xbb\xbf" + b"lms;student\r\n4711;anna\r\n", {"4711": "anna"}),
        ("LMS\tStudent\n4711\tanna\n".encode("utf-16"), {"4711": "anna"}),
        (unicodedata.normalize("NFD", "lms,student\nJörg  M,jm\n").encode(), {"jörg m": "jm"}),
        (b"", "no column 'lms'"),
        ("lms,student\nJörg,jm\n".encode("cp1252"), "CSV UTF-8"),
        (b"lms student\n4711 anna\n", "semicolons or tabs"),
        (b"lms,student\n4711,\n", "line 2: student is empty"),
        (b"lms,student\n1,a\n1,b\n", "line 3: '1' is listed twice"),
        (b'lms,student\n"1,a\n', "cannot be read as a table"),
    ],
)
def test_a_roster_is_read_as_spreadsheets_write_it_or_says_what_to_do(tmp_path, data, ids):
    (tmp_path / intake.ROSTER).write_bytes(data)
    if isinstance(ids, dict):
        assert intake.read_roster(tmp_path) == ids
    else:
        with pytest.raises(intake.BadRoster, match=ids):
            intake.read_roster(tmp_path)


def test_a_folder_of_one_student_or_of_a_class_is_seen_or_refused(tmp_path):
    archive = zipped(tmp_path / "one.zip", [("anna/src/summary.mjs", GOOD), ("anna/x.md", "")])
    assert set(texts(came_in(archive))) == {"anna"}
    doubt = came_in(zipped(tmp_path / "doubt.zip", [("week/anna/summary.mjs", GOOD)]))
    assert texts(doubt) == {} and "not clear" in said(doubt)[0]
    mixed = [("week-1/anna/summary.mjs", "1"), ("week-1/ben/summary.mjs", "2")]
    came = came_in(zipped(tmp_path / "mixed.zip", [*mixed, ("carl/summary.mjs", GOOD)]))
    assert set(texts(came)) == {"carl"}
    assert [archive.files for archive in came.unowned if archive.fate == "refused"] == [2]


def test_many_files_of_one_student_cost_the_others_nothing(tmp_path):
    laid(tmp_path, {f"s{at:02}/summary.mjs": f"// {at}\n1;" for at in range(30)})
    start_s = time.perf_counter()
    came_in(tmp_path)
    before = time.perf_counter() - start_s
    many = {f"s00/lib/f{at}.js": f"export const a{at} = 1;\n" for at in range(2000)}
    many |= {f"s01/node_modules/p{at}/f.js": "1" for at in range(2000)}
    laid(tmp_path, many)
    start_s = time.perf_counter()
    came = came_in(tmp_path)
    after = time.perf_counter() - start_s
    assert len(texts(came)) == 30 and came.sum().files == 4030
    assert "s01/node_modules/ (2,000 files): skipped" in " ".join(said(came))
    assert after - before < 30  # it is some tenths of a second on a quiet machine


def test_what_is_lost_is_an_error_and_not_silence(tmp_path, monkeypatch):
    laid(tmp_path, {"anna/summary.mjs": GOOD, "anna/x.txt": "x"})
    fates = choice._fates
    monkeypatch.setattr(
        choice, "_fates", lambda made, *rest: fates(made, *rest) or made.fates.pop()
    )
    with pytest.raises(intake.LostWork, match="anna: 2 files came in"):
        came_in(tmp_path)


def test_names_that_no_folder_can_have_and_paths_without_end_cost_nobody_else_anything(tmp_path):
    files = [
        ("/".join(["d"] * 3000) + "/summary.mjs", GOOD),
        ("1-1 - " + " - 2026 -" * 6000 + "/summary.mjs", "// long\n1;"),
        ("\u00e9" * 200 + "/summary.mjs", "// wide\n1;"),
        ("anna/summary.mjs", GOOD),
        ("ben.zip", packed([("summary.mjs", "// zipped\n1;")])),
    ]
    started = time.perf_counter()
    came = came_in(zipped(tmp_path / "all.zip", files))
    assert time.perf_counter() - started < 60
    works = batch.works_of(came, tmp_path)
    assert all(len(work.student.encode()) <= 255 for work in works)
    assert len({work.student for work in works}) == 5
    assert {"anna", "ben"} <= {work.student for work in works}


def test_what_two_platforms_may_have_named_is_refused_and_a_folder_is_not(tmp_path):
    names = [f"Anna_1{MOODLE}/summary.mjs", "ben_2_3_summary.mjs", "carl/summary.mjs"]
    came = came_in(zipped(tmp_path / "all.zip", [(name, GOOD) for name in names]))
    assert set(texts(came)) == {"carl"}
    assert came.sum().fates == {"judged": 1, "refused": 2}


class Archive:
    """An archive that chance made: students, their names, wrappers, copies and junk."""

    NAMES = ("Anna", "anna", "Ännä", "A\u0308nna\u0308", "O'Neil", "O Neil", "\u2665", "王小明")
    KINDS = ("folders", "wrapped", "moodle", "moodle flat", "canvas", "blackboard", "brightspace")

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.kind = self.chance.choice(self.KINDS)
        self.entries, self.students = [], {}
        for number in range(self.chance.randint(2, 6)):
            name = self.chance.choice(self.NAMES)
            if self.kind in ("folders", "wrapped"):
                name = f"{name}{number}"  # two folders of one name are one folder
            self._student(f"{number}", name)
        self.entries += [("__MACOSX/._x", b"x")] * self.chance.randint(0, 1)
        self.chance.shuffle(self.entries)

    def _path(self, number, name, file):
        flat = file.replace("/", "_")
        return {
            "folders": f"{name}/{file}",
            "wrapped": f"week one/{name}/{file}",
            "moodle": f"{name}_{number}{MOODLE}/{file}",
            "moodle flat": f"{name}_{number}{MOODLE}{flat}",
            "canvas": f"{name.replace(' ', '')}_{number}_{self.chance.randint(1, 10**6)}_{flat}",
            "blackboard": f"HW_1_{name}{number}_attempt_2026-11-27-10-11-12_{flat}",
            "brightspace": f"{number}-7 - {name} - Nov 27, 2026 1205 PM/{file}",
        }[self.kind]

    def _student(self, number, name):
        mark = f"// of {number}"
        files = {"summary.mjs": f"{mark}\n1;"}
        extras = {
            "node_modules/p/summary.js": "// a package\n1;",
            "old/summary.mjs": f"{mark} old\n1;",
            "every.cjs": f"{mark}\nexports.every = 1;",
            "week.ipynb": notebook(f"%%submit shape\n{mark}\n1;"),
            "own.zip": packed([("w/flood.mjs", f"{mark}\n1;"), ("w/a.txt", "x")]),
            "broken.zip": b"no zip",
            "summary.mjs.txt": mark,
            "homework (1).mjs": mark,
            f"x_4711{MOODLE}summary.mjs": "// forged\n1;",
            "x_815_3_summary.mjs": "// forged\n1;",
            ".DS_Store": "x",
            "notes.md": mark,
            "drop-01/server.mjs": f"{mark}\n1;",
            "drop-01/src/routes.mjs": f"{mark}\n2;",
            "drop-01/audit.mjs": f"{mark}\n3;",
            "drop-01/node_modules/p/server.js": "// a package\n1;",
            "Drop-02/package.json": '{"main": "here.js"}',
            "Drop-02/here.js": f"{mark}\n1;",
            "drop-02.zip": packed([("my-drop/server.mjs", f"{mark}\n1;"), ("my-drop/a.txt", "x")]),
        }
        for file in self.chance.sample(sorted(extras), self.chance.randint(0, 12)):
            files[file] = extras[file]
        self.students[number] = mark
        for file, data in files.items():
            self.entries.append((self._path(number, name, file), data))

    @property
    def files(self):
        """How many came in: those of zips that can be opened instead of these."""
        opened = ("own.zip", "drop-02.zip")
        return len(self.entries) + sum(path.endswith(opened) for path, _ in self.entries)


def check_archive(seed, place):
    """Nothing is lost, no two students are one, and nobody has what is another's."""
    archive = Archive(seed)
    came = came_in(zipped(place, archive.entries), as_they_are=seed % 2 == 0)
    total = came.sum()
    assert total.files == archive.files, archive.kind
    assert sum(total.fates.values()) == archive.files
    owners = Counter()
    for student in came.students:
        marks = {
            work.hand_in.text.strip().partition("\n")[0].removesuffix(" old")
            for work in student.chosen.values()
            if work.hand_in
        }
        assert len(marks) <= 1, (archive.kind, student.student, marks)
        assert "// forged" not in marks and "// a package" not in marks
        owners.update(marks)
    assert all(count == 1 for count in owners.values()), archive.kind
    for mark in set(archive.students.values()) - set(owners):
        assert [work for work in came.unowned if work.fate == "refused"], (archive.kind, mark)
    return archive.kind, total


@pytest.mark.parametrize("block", range(6))
def test_archives_that_chance_made_lose_nothing_and_mix_nobody(tmp_path, block):
    kinds = Counter()
    for seed in range(block * 50, block * 50 + 50):
        kind, _ = check_archive(seed, tmp_path / "all.zip")
        kinds[kind] += 1
    assert len(kinds) == len(Archive.KINDS)


def test_kinds_of_platforms_are_told_apart():
    for name, paths in PLATFORMS.items():
        if name.startswith(("Moodle", "Canvas", "Brightspace")) and "more" not in name:
            assert identity.kind_of(paths) == (name.partition(",")[0].partition(" ")[0],)


def of_bytes(names, flag=0):
    """A zip with these bytes as names of files, which no writer of Python makes."""
    files, index, data = b"", b"", GOOD.encode()
    for name in names:
        facts = (20, flag, 0, 0, 0x21, zlib.crc32(data), len(data), len(data), len(name), 0)
        packed_facts = struct.pack("<5H3I2H", *facts)
        index += b"PK\1\2" + struct.pack("<H", 20) + packed_facts
        index += struct.pack("<3H2I", 0, 0, 0, 0, len(files)) + name
        files += b"PK\3\4" + packed_facts + name + data
    end = (0, 0, len(names), len(names), len(index), len(files), 0)
    return files + index + b"PK\5\6" + struct.pack("<4H2IH", *end)


def test_half_of_a_letter_is_no_border_between_folders(tmp_path):
    """In Shift JIS the second byte of some letters is a backslash: two students stay two."""
    names = ["\u5341\u5ddd/summary.mjs", "\u5341\u6d25/summary.mjs"]
    archive = of_bytes([name.encode("cp932") for name in names])
    assert archive.count(b"\\") == 4  # two letters, each in both places of the archive
    (tmp_path / "all.zip").write_bytes(archive)
    came = came_in(tmp_path / "all.zip")
    assert len(texts(came)) == 2 and set(texts(came).values()) == {GOOD.strip()}
    assert [line for line in said(came) if "if students' names look wrong" in line] == said(came)
    assert came.sum().fates["judged"] == 2 and len(said(came)) == 1
    borders = of_bytes(["Zo\u00eb\\summary.mjs".encode("cp850"), b"ben\\summary.mjs"])
    (tmp_path / "all.zip").write_bytes(borders)
    assert set(texts(came_in(tmp_path / "all.zip"))) == {"Zo\u00eb", "ben"}


def test_a_name_that_ends_in_a_number_is_not_one_that_canvas_counted(tmp_path):
    step = packed([("server.mjs", "// step 10\n1;")])
    files = [
        ("anna_1_11_drop-02.mjs", "// first\n1;"),
        ("anna_1_12_drop-02-1.mjs", "// second\n1;"),
        ("ben_LATE_2_13_drop-11.mjs", "// eleven\n1;"),
        ("carl_3_14_drop-10.zip", step),
        ("dora_4_15_summary-10.mjs", "// tenth\n1;"),
    ]
    came = came_in(zipped(tmp_path / "all.zip", files))
    assert texts(came, "drop-02") == {"anna-1": "// second\n1;"}
    assert texts(came, "drop-11") == {"ben-2": "// eleven\n1;"}
    assert texts(came, "drop-10") == {"carl-3": "// step 10\n1;"}
    assert texts(came) == {"dora-4": "// tenth\n1;"}


def test_the_exchange_of_nbgrader_has_attempts_and_the_last_one_counts(tmp_path):
    at = "{}+week-1+2026-11-{} 10:11:12.123456 UTC{}/summary.mjs"
    files = {
        at.format("Anna.B", "02", "+aX1"): "// early\n1;",
        at.format("Anna.B", "10", "+aX2"): "// late\n1;",
        at.format("ben", "03", ""): GOOD,
    }
    came = came_in(laid(tmp_path / "inbound", files))
    assert texts(came) == {"Anna.B": "// late\n1;", "ben": GOOD.strip()}


@pytest.mark.parametrize("top", ["", "Week 1/"])
def test_a_refused_student_is_named_and_not_the_folder_above(tmp_path, top):
    own = ("Alt/summary.mjs", "Neu/summary.mjs", "Neu/notes.txt")
    files = {f"{top}{name}/{file}": f"// {file}" for name in ("anna", "ben") for file in own}
    came = came_in(laid(tmp_path, {**files, f"{top}carl/summary.mjs": GOOD}))
    assert texts(came) == {"carl": GOOD.strip()}
    assert [line.partition(": ")[0] for line in said(came)] == [
        f"{top}anna (3 files)",
        f"{top}ben (3 files)",
    ]
    same = [(f"{top}Anna B/summary.mjs", "1;"), (f"{top}anna-b/summary.mjs", "2;")]
    archive = zipped(tmp_path / "all.zip", [*same, (f"{top}carl/summary.mjs", GOOD)])
    lines = said(came_in(archive, as_they_are=False))
    assert len(lines) == 2 and all(f"{top}Anna B and {top}anna-b lead" in line for line in lines)


def test_what_was_handed_in_counts_and_not_what_was_given_back(tmp_path):
    """Sakai has a folder for each of the two."""
    files = {
        f"Week 1/Bohm, {name}/{kind}(s)/summary.mjs": f"// {kind}\n1;"
        for name in ("Anna(abohm)", "Ben(bbohm)")
        for kind in ("Submission attachment", "Feedback Attachment")
    }
    came = came_in(laid(tmp_path, {**files, "Week 1/grades.csv": "x"}))
    assert list(texts(came).values()) == ["// Submission attachment\n1;"] * 2
    assert came.sum().fates == {"judged": 2, "listed": 3}


def test_a_loose_program_is_named_and_what_systems_leave_is_only_counted(tmp_path):
    files = {"a@x.org_3_summary.mjs": GOOD, "work.ipynb": "{}", "task.md": "x", "._a.mjs": "x"}
    came = came_in(laid(tmp_path, {**files, "anna/summary.mjs": GOOD}))
    named = [fate.file for fate in came.unowned if not fate.is_plain]
    assert named == ["a@x.org_3_summary.mjs", "work.ipynb"]
    files = {"week/.DS_Store": "x", "week/anna/summary.mjs": GOOD, "week/ben/summary.mjs": GOOD}
    came = came_in(laid(tmp_path / "wrapped", files))
    assert came.sum().fates == {"judged": 2, "listed": 1}
    assert [fate.is_plain for fate in came.unowned] == [True]


@pytest.mark.parametrize("form", ["zip", "folder"])
def test_folders_that_are_called_like_exercises_are_no_students(tmp_path, form):
    files = {"summary/summary.mjs": GOOD, "first-limit/anna.mjs": GOOD, "every/every.mjs": GOOD}
    if form == "zip":
        came = came_in(zipped(tmp_path / "all.zip", files.items()))
    else:
        came = came_in(laid(tmp_path / "week", files))
    assert not came.students and came.sum().fates == {"refused": 3}
    assert all("are called like exercises" in line for line in said(came))
    laid(tmp_path / "beside", {**files, "anna/summary.mjs": "1;"})
    assert texts(came_in(tmp_path / "beside"))["anna"] == "1;"


def test_two_files_of_one_name_are_told_to_be_two(tmp_path):
    names = [unicodedata.normalize(form, "J\u00f6rg/summary.mjs") for form in ("NFC", "NFD")]
    came = came_in(zipped(tmp_path / "all.zip", [(name, f"// {len(name)}\n1;") for name in names]))
    (joerg,) = came.students
    assert "two files that are called summary.mjs are both for" in joerg.chosen["summary"].why


def test_no_archive_but_a_zip_is_opened_and_each_is_named(tmp_path):
    names = ("a.tar.zst", "b.txz", "c.tbz2", "d.zipx", "e.dmg", "f.cab", "g.lz4", "h.lzh")
    files = {f"{name[0]}/{name}": b"x" for name in names} | {"w.tar.zst": b"x"}
    came = came_in(laid(tmp_path, {**files, "zoe/summary.mjs": GOOD}))
    opened = [line for line in said(came) if "is not opened: hand in the program" in line]
    assert len(opened) == len(names) + 1
    for name, what in (("w.7z", "a 7z"), ("w.tar.gz", "a gzip"), ("w.tar.zst", "a Zstandard")):
        (tmp_path / name).write_bytes(b"x")
        with pytest.raises(batch.NoFolder, match=f"is {what} archive: unpack it"):
            batch.came_in(tmp_path / name)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (GOOD.encode("utf-16"), "is UTF-16: save it as UTF-8"),
        (GOOD.encode("utf-16-le"), "is UTF-16, or no text: save it as UTF-8"),
        (GOOD.encode("utf-32"), "is UTF-32: save it as UTF-8"),
        ("// \u00e9\n".encode("latin-1"), "is not valid UTF-8 (byte 3): save it as UTF-8"),
    ],
)
def test_a_file_that_is_no_utf_8_says_what_it_is(tmp_path, data, why):
    came = came_in(laid(tmp_path, {"anna/summary.mjs": data, "ben/week.ipynb": data}))
    assert why in came.students[0].chosen["summary"].why
    assert any(line.startswith("ben/week.ipynb: it ") and why in line for line in said(came))


def test_an_old_notebook_is_told_to_be_one(tmp_path):
    cells = [{"cell_type": "code", "input": f"%%submit summary\n{GOOD}"}]
    old = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]})
    (line,) = said(came_in(laid(tmp_path, {"anna/week.ipynb": old})))
    assert "a notebook of the old format 3: open it in Jupyter, and save it" in line


def test_an_archive_that_may_not_be_read_is_not_to_be_downloaded_again(tmp_path, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    archive = zipped(tmp_path / "all.zip", [("anna/summary.mjs", GOOD)])
    monkeypatch.setattr(zipfile, "ZipFile", refused)
    with pytest.raises(intake.BadArchive, match="you may not read it: change its permissions"):
        came_in(archive)


def test_a_file_that_may_not_be_read_is_refused_and_is_no_zero(tmp_path, monkeypatch):
    files = {"anna/summary.mjs": GOOD, "ben/drop-02/server.mjs": "1;", "carl/summary.mjs": GOOD}
    laid(tmp_path, files)
    locked = {tmp_path / "anna/summary.mjs", tmp_path / "ben/drop-02/server.mjs"}
    monkeypatch.setattr("os.access", lambda place, _: place not in locked)
    came = came_in(tmp_path)
    assert [one.chosen for one in came.students[:2]] == [{}, {}]
    assert said(came) == [
        "anna/summary.mjs: you may not read it: change its permissions",
        "ben/drop-02/server.mjs: you may not read it: change its permissions",
    ]
    assert came.sum().fates == {"judged": 1, "refused": 2}
