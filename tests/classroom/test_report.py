"""What a class found hard, told without names; and grades that go to an LMS."""

import http.server
import json
import re
import socket
import threading
import urllib.parse
from dataclasses import replace

import pytest
import small_course
from bs4 import BeautifulSoup

from lab.classroom import __main__ as door
from lab.classroom import course as courses
from lab.classroom import export, judging, lms, lti, make, report, similarity
from lab.errors import LabError
from lab.grading import batch, exercise, notes
from lab.grading.result import GRADED, HELD, MISSED, SCHEMA, Looked, Result
from lab.storage import written

SUMMARY = exercise.exercise("summary")
RIGHT = SUMMARY.solution.read_text()


def judged(small, student, ids_missed=(), message=""):
    """A result as the grader leaves it, without a run."""
    small.hand_in(student, summary=f"{RIGHT}// {student}\n")
    criteria = [
        Looked(
            c.id,
            c.says,
            0 if c.id in ids_missed else c.points,
            c.points,
            MISSED if c.id in ids_missed else HELD,
            message if c.id in ids_missed else "",
        )
        for c in SUMMARY.criteria
    ]
    result = Result(
        *(SCHEMA, "summary", SUMMARY.title, GRADED, sum(one.points for one in criteria), 7),
        *(tuple(criteria), "digest", "v", "g", "22.0.0", "bubblewrap", {}, 1, {}, student),
        *("2027-01-15T10:00:00+00:00", 1.0),
    )
    place = judging.place(small.course, small.week, student, "summary").with_suffix(".json")
    written.write(place, json.dumps(result.to_json()).encode())


@pytest.fixture
def done(small):
    for name in ("anna", "ben"):
        judged(small, name)
    for name in ("carl", "dora"):
        judged(small, name, ["percentiles", "support"], "9 was sorted as texts, after 1000")
    times = ["2027-01-15T10:00:00+00:00", "2027-01-15T10:06:00+00:00"]
    for name in ("anna", "ben", "carl"):
        said = {"summary": {"checks": times}}
        (small.folder(name) / notes.FILE).write_text(json.dumps(said))
    return small


def test_a_report_counts_what_was_missed_and_the_wrong_answers_met(done):
    one, other = report.of_week(done.course, done.week)
    assert (one.people, one.full, other.people) == (4, 2, 0)
    assert one.missed["percentiles"] == 2 and not one.missed.get("throughput")
    assert one.wrong == {"sorts-text.mjs": 2}
    assert one.minutes == (6.0, 6.0, 6.0) and one.checks == (2, 2, 2)


def test_a_report_names_nobody(done):
    page = report.page(done.course)
    assert "sorts the milliseconds as text: 2" in page and "2 (50 %)" in page
    assert [name for name in ("anna", "ben", "carl", "dora") if name in page] == []


def test_a_line_of_a_template_that_ends_ends_no_word(done):
    pytest.importorskip("copydetect", reason="copydetect is not installed: see make classtest")
    pages = (
        report.page(done.course),
        similarity.page(done.week, similarity.of_week(done.course, done.week)),
    )
    paragraphs = [
        re.sub(r"\s+", " ", paragraph.get_text())
        for text in pages
        for paragraph in BeautifulSoup(text, "html.parser").find_all("p")
    ]
    for words in (
        "of fewer than 3 people.",
        "4 handed in, 2 with all points. Half of the students who noted their time worked",
        "or longer, with 2 checks.",
        "without names, strings and layout",
        "two programs that agree prove nothing",
        "strings and layout: the reference, anna",
    ):
        assert [paragraph for paragraph in paragraphs if words in paragraph], words


def test_of_few_people_nothing_is_told(small):
    for name in ("anna", "ben"):
        judged(small, name, ["support"])
    page = report.page(small.course)
    assert "fewer than 3" in page and SUMMARY.criteria[2].says not in page
    assert "<td" not in page


def test_before_anything_was_judged_it_says_so(small):
    with pytest.raises(LabError, match="nbgrader autograde"):
        report.page(small.course)


def answers(*told):
    pages = [{"id": id, "right": right, "first": "x", "answer": "x"} for id, right in told]
    return json.dumps({"schema": "lab-answers", "pages": pages, "reviews": []})


def test_predictions_are_those_that_their_owners_laid_in_and_of_three_at_least(done):
    for name, right in (("anna", True), ("ben", False), ("carl", True)):
        place = done.folder(name) / report.ANSWERS
        place.write_text(answers(("phases-first", right), ("other", None)))
    (done.folder("dora") / report.ANSWERS).write_text("[]")
    assert report.predictions(done.course) == {"phases-first": (2, 3)}
    (done.folder("carl") / report.ANSWERS).unlink()
    assert report.predictions(done.course) == {}


def test_every_typical_wrong_answer_is_known_by_its_message():
    for name in exercise.names():
        asked = exercise.exercise(name)
        for wrong in asked.wrong:
            result = _missing(asked, wrong)
            assert report.typical(asked, result).message in wrong.message


def _missing(asked, wrong):
    work = batch.Work("anna", asked, asked.folder, None, f"… {wrong.message} …")
    return batch.refused(work)


class Lms(http.server.BaseHTTPRequestHandler):
    """A platform that gives tokens to who signs for them, and takes scores for a token."""

    def do_POST(self):
        import jwt

        body = self.rfile.read(int(self.headers["Content-Length"]))
        lms = self.server
        if self.path == "/token":
            fields = urllib.parse.parse_qs(body.decode())
            claims = jwt.decode(
                fields["client_assertion"][0], lms.public, ["RS256"], audience=lms.url + "/token"
            )
            ok = (claims["iss"], claims["sub"], fields["scope"]) == ("us", "us", [lti.SCOPE])
            lms.keys.append(jwt.get_unverified_header(fields["client_assertion"][0]).get("kid"))
            self.say(200 if ok else 401, {"access_token": "secret"})
        elif self.headers["Authorization"] != "Bearer secret":
            self.say(401, {})
        elif self.path.startswith("/moved"):
            self.say(302, {}, Location=f"{lms.url}/elsewhere")
        elif self.path != "/lineitems/7/scores?type=1" or self.headers["Content-Type"] != lti.SCORE:
            self.say(404, {"what": self.path})
        else:
            lms.scores.append(json.loads(body))
            self.say(200, {})

    def do_GET(self):
        self.server.scores.append(self.headers["Authorization"])
        self.say(200, {})

    def say(self, code, data, **headers):
        body = json.dumps(data).encode()
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def platform(small):
    pytest.importorskip("jwt", reason="PyJWT is not installed here: make classtest installs it")
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    (small.root / "lti.pem").write_bytes(pem)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Lms) as server:
        server.url = f"http://127.0.0.1:{server.server_port}"
        server.scores, server.keys, server.public = [], [], key.public_key()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        small.course.lti.update(
            token_url=f"{server.url}/token",
            client_id="us",
            key_file="lti.pem",
            lineitems={"week-1": f"{server.url}/lineitems/7?type=1"},
        )
        yield server
        server.shutdown()


def test_scores_reach_an_lms_under_the_names_that_it_knows(small, platform):
    (small.root / lms.ROSTER).write_text("lms,student,lti\nAnna B,anna,sub-17\n")
    given = [lti.Score("anna", 12.5, 21), lti.Score("ben", 0, 21)]
    assert lti.passed_back(small.course, "week-1", given) == 2
    assert [(s["userId"], s["scoreGiven"], s["scoreMaximum"]) for s in platform.scores] == [
        ("sub-17", 12.5, 21),
        ("ben", 0, 21),
    ]
    assert {s["gradingProgress"] for s in platform.scores} == {"FullyGraded"}


def test_a_platform_that_knows_several_keys_is_told_which(small, platform):
    lti.passed_back(small.course, "week-1", [])
    small.course.lti["key_id"] = "2027"
    lti.passed_back(small.course, "week-1", [])
    assert platform.keys == [None, "2027"]


def test_who_handed_in_by_an_archive_has_a_score_too_though_no_time(small, platform):
    api = pytest.importorskip("nbgrader.api", reason="nbgrader is not installed here")
    make.gradebook(small.course)
    with api.Gradebook(f"sqlite:///{small.root / 'gradebook.db'}", "small") as book:
        for name in ("anna", "ben"):
            book.update_or_create_student(name)
        book.add_submission("week-1", "anna")
    written.write(small.root / courses.FILE, small_course.COURSE.encode() + lti_of(platform))
    assert door.main(["passback", "week-1", "--course", str(small.root)]) == 0
    assert [one["userId"] for one in platform.scores] == ["anna"]  # ben handed in nothing


def test_a_week_with_points_of_its_own_adds_up_to_them(tmp_path):
    api = pytest.importorskip("nbgrader.api", reason="nbgrader is not installed here")
    small = small_course.Class(tmp_path / "sevenths")
    make.gradebook(small.course)
    with api.Gradebook(f"sqlite:///{small.root / 'gradebook.db'}", "small") as book:
        book.add_notebook("summary", "week-1")
        week = replace(small.week, points={"summary": 10})
        for one in SUMMARY.criteria:
            share = week.share(SUMMARY, one.points)
            book.add_grade_cell(one.id, "summary", "week-1", max_score=share, cell_type="code")
        book.update_or_create_student("anna")
        (row,) = export.by_week(book)
    assert row["max_score"] == 10


def lti_of(platform):
    return f"""
[lti]
token_url = "{platform.url}/token"
client_id = "us"
key_file = "lti.pem"
[lti.lineitems]
week-1 = "{platform.url}/lineitems/7?type=1"
""".encode()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"client_id": "them"}, "refused an access token: 401"),
        (
            {"lineitems": {"week-1": "http://127.0.0.1:1/7"}},
            "did not respond to the request for the score of anna",
        ),
        ({"lineitems": {"week-1": "http://lms.example/7"}}, "not encrypted"),
        ({"lineitems": {"week-1": "{url}/moved"}}, "score of anna on to http.*/elsewhere"),
        ({"lineitems": {}}, "no line item for week-1"),
        ({"key_file": "course.toml"}, "not a private RSA key"),
        ({"key_file": "nothing.pem"}, "cannot be read"),
        ({"keyfile": "x"}, "key_file"),
    ],
)
def test_what_an_lms_does_not_take_is_said(small, platform, change, says):
    change = json.loads(json.dumps(change).replace("{url}", platform.url))
    small.course.lti.update(change)
    with pytest.raises(lti.NotPassed, match=says):
        lti.passed_back(small.course, "week-1", [lti.Score("anna", 1, 2)])
    assert platform.scores == []


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"no HTTP at all\r\n\r\n", "did not respond to the request for an access token"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", "without an access token"),
        (b'HTTP/1.1 200 OK\r\n\r\n{"access_token": "a\\nX: b"}', "can't be sent in a header"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 100_000, "without an access token"),
        (b"", "did not respond to the request for an access token"),
    ],
)
def test_an_lms_that_answers_nonsense_is_named(small, platform, answer, says):
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answers():
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

        thread = threading.Thread(target=answers)
        thread.start()
        small.course.lti["token_url"] = f"http://127.0.0.1:{listening.getsockname()[1]}/token"
        with pytest.raises(lti.NotPassed, match=says):
            lti.passed_back(small.course, "week-1", [lti.Score("anna", 1, 2)])
        thread.join()
    assert platform.scores == []


@pytest.mark.parametrize("rows", ["a,anna,1\nb,anna,2\n", "a,anna,1\nb,ben,1\n"])
def test_two_students_of_a_roster_are_never_one_for_the_lms(small, platform, rows):
    (small.root / lms.ROSTER).write_text(f"lms,student,lti\n{rows}")
    with pytest.raises(lti.NotPassed, match=r"line 3: .* is listed twice"):
        lti.passed_back(small.course, "week-1", [lti.Score("anna", 1, 2), lti.Score("ben", 2, 2)])
    assert platform.scores == []


RENAMED = RIGHT.replace("times", "durations").replace("SUPPORT", "least").replace("rank", "place")
OTHER = """
const enough = (list, at) => list.slice(at).length > 9;
export function summary(rows, seconds) {
  let good = 0;
  let total = 0;
  const all = [];
  for (const row of rows) {
    if (row.error || row.status < 200 || row.status > 299) continue;
    good++;
    total += row.ms;
    let at = 0;
    while (at < all.length && all[at] < row.ms) at++;
    all.splice(at, 0, row.ms);
  }
  const pick = (share) => {
    let at = Math.ceil(all.length * share) - 1;
    if (at < 0) at = 0;
    return enough(all, at) ? all[at] : null;
  };
  const mean = good ? total / good : null;
  return { throughput: good / seconds, mean, p50: pick(0.5), p99: pick(0.99) };
}
"""


@pytest.fixture
def compared():
    pytest.importorskip("copydetect", reason="copydetect is not installed: see make classtest")
    variant = OTHER.replace("let good = 0;", "let good = 0;\n  const begun = Date.now();")
    texts = {
        "anna": RIGHT,
        "ben": f"// all my own work\n{RENAMED.replace('  ', '      ')}",
        "carl": OTHER,
        "dora": variant,
        "emil": SUMMARY.begin(),
        "finn": SUMMARY.begin(),
    }
    return similarity.among(SUMMARY, texts)


def test_programs_that_differ_in_names_and_layout_are_the_same(compared):
    (group,) = compared.groups
    assert set(group) == {similarity.REFERENCE, "anna", "ben"}


def test_a_program_that_was_changed_a_little_is_near_and_one_of_its_own_is_not(compared):
    assert ("carl", "dora") in [(pair.one, pair.other) for pair in compared.pairs]
    near = {pair.one for pair in compared.pairs} | {pair.other for pair in compared.pairs}
    assert not {("anna", "carl"), ("anna", "dora")} & {(p.one, p.other) for p in compared.pairs}
    assert near >= {"carl", "dora"}


def test_who_handed_in_the_starter_is_like_nobody(compared):
    told = str((compared.groups, [(p.one, p.other) for p in compared.pairs]))
    assert "emil" not in told and "finn" not in told


def test_the_page_shows_them_side_by_side_and_takes_nothing_for_markup(small):
    pytest.importorskip("copydetect", reason="copydetect is not installed: see make classtest")
    evil = OTHER.replace("let good = 0;", 'let good = 0; // <script>alert("x")</script>')
    found = similarity.among(
        SUMMARY, {"carl": evil, "dora": evil.replace("let total", "\n\nvar total")}
    )
    page = similarity.page(small.week, [found])
    assert "<script" not in page and "carl" in page and "proves nothing" in page
