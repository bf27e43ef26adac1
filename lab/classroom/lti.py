"""Grades into the LMS by itself: LTI 1.3, Assignment and Grade Services 2.0.

    [lti]
    token_url = "https://lms.example/mod/lti/token.php"    where the LMS gives access tokens
    client_id = "a1b2c3"                                   what it calls this tool
    key_file = "lti.pem"                                   the tool's private key, in this folder
    key_id = "2027"                                        which, if the LMS knows several keys
    [lti.lineitems]                                        each week's column in its grade book
    week-1 = "https://lms.example/mod/lti/services.php/2/lineitems/7/lineitem"

The tool is registered in the LMS with the public half of the key. Who a student is for the LMS (the
`sub` of a launch) stands in roster.csv, column `lti`; without it the student's id is sent, which
fits where the hub's names are those (LTI13Authenticator.username_key = "sub").

Specifications: LTI AGS 2.0, section 3.3 (scores); 1EdTech Security Framework 1.0, section 4.1.
"""

from __future__ import annotations

import http.client
import json
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lab.classroom.course import FILE, Course
from lab.errors import LabError, did_you_mean
from lab.grading import identity, intake

SCOPE = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
SCORE = "application/vnd.ims.lis.v1.score+json"
KEYS = {"token_url", "client_id", "key_file", "lineitems"}
MAY = {"key_id"}
TIMEOUT_S = 30


class NotPassed(LabError):
    """Grades could not be given to the LMS."""


@dataclass(frozen=True)
class Score:
    """What one student has for one week, in points."""

    student: str
    given: float
    maximum: float


def passed_back(course: Course, week: str, scores: list[Score]) -> int:
    """Send the scores of a week; returns how many were taken. Raises NotPassed with the student
    whose score failed: the scores before are sent, and the same command sends all again.
    """
    settings = _settings(course)
    lineitem = settings["lineitems"].get(week)
    if not lineitem:
        raise NotPassed(f"{FILE} has no line item for {week} under [lti.lineitems].")
    place = _scores_of(_safe(lineitem))
    known = _known(course)
    token = _token(course, settings)
    for score in scores:
        body = {
            "userId": known.get(score.student, score.student),
            "scoreGiven": score.given,
            "scoreMaximum": score.maximum,
            "activityProgress": "Completed",
            "gradingProgress": "FullyGraded",
            "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }
        headers = {"Authorization": f"Bearer {token}", "Content-Type": SCORE}
        _sent(place, json.dumps(body).encode(), headers, f"the score of {score.student}")
    return len(scores)


def _settings(course: Course) -> dict[str, Any]:
    settings = course.lti
    if not settings:
        raise NotPassed(
            f"{FILE} has no [lti]. Export the grades as CSV, or read lab/classroom/lti.py."
        )
    if unknown := sorted(set(settings) - KEYS - MAY):
        raise NotPassed(f"[lti] has {unknown[0]!r}. {did_you_mean(unknown[0], KEYS | MAY)}")
    if missing := sorted(KEYS - set(settings)):
        raise NotPassed(f"[lti] of {FILE} lacks {missing[0]!r}.")
    return settings


def _known(course: Course) -> dict[str, str]:
    """Who each student is for the LMS. Two students are never one there, and none is two."""
    names: dict[str, str] = {}
    students: dict[str, str] = {}
    for at, row in intake.roster_rows(course.root, ("student",)):
        name, student = row.get("lti"), identity.student_id(row["student"])
        if not name:
            continue
        if names.setdefault(student, name) != name or students.setdefault(name, student) != student:
            raise NotPassed(
                f"{intake.ROSTER}, line {at}: {student} or {name!r} is listed twice, with "
                "different partners. Nothing was sent. List each student once."
            )
    return names


def _safe(url: str) -> str:
    """Tokens and grades travel encrypted, or do not leave this machine."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname == "127.0.0.1"):
        return url
    raise NotPassed(f"{url} is not encrypted. Grades are sent only to https:// addresses.")


def _scores_of(lineitem: str) -> str:
    parts = urllib.parse.urlsplit(lineitem)
    return parts._replace(path=f"{parts.path.rstrip('/')}/scores").geturl()


def _token(course: Course, settings: dict[str, Any]) -> str:
    try:
        import jwt
    except ImportError:
        raise NotPassed("PyJWT is not installed. Run make classroom.") from None
    try:
        key = (course.root / settings["key_file"]).read_text("utf-8")
    except OSError as error:
        raise NotPassed(f"The key of [lti] can't be read: {error}") from None
    now = int(time.time())
    claims = {
        "iss": settings["client_id"],
        "sub": settings["client_id"],
        "aud": settings["token_url"],
        "iat": now,
        "exp": now + 300,
        "jti": secrets.token_hex(16),
    }
    which = {"kid": str(settings["key_id"])} if "key_id" in settings else None
    try:
        assertion = jwt.encode(claims, key, algorithm="RS256", headers=which)
    except (ValueError, TypeError, jwt.PyJWTError) as error:
        raise NotPassed(f"{settings['key_file']} is not a private RSA key (PEM): {error}") from None
    form = {
        "grant_type": "client_credentials",
        "client_assertion_type": BEARER,
        "client_assertion": assertion,
        "scope": SCOPE,
    }
    body = urllib.parse.urlencode(form).encode()
    answer = _sent(_safe(settings["token_url"]), body, {}, "an access token")
    try:
        token = str(json.loads(answer)["access_token"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise NotPassed("The LMS responded without an access token.") from None
    if not token.isascii() or not token.isprintable():
        raise NotPassed("The LMS responded with an access token that can't be sent in a header.")
    return token


class _Stays(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else: what is posted would be dropped on the way, the token would not, and where
    it ends, somebody says 200.
    """

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """None, so that it is an error."""


def _sent(url: str, body: bytes, headers: dict[str, str], subject: str) -> bytes:
    request = urllib.request.Request(url, body, headers, method="POST")
    try:
        with urllib.request.build_opener(_Stays).open(request, timeout=TIMEOUT_S) as answer:
            found: bytes = answer.read(1 << 20)
            return found
    except urllib.error.HTTPError as error:
        if elsewhere := error.headers.get("Location"):
            raise NotPassed(
                f"The LMS redirects {subject} to {elsewhere[:200]}. Write the new address "
                f"into [lti] of {FILE}."
            ) from None
        words = error.read(500).decode("utf-8", "replace")
        raise NotPassed(f"The LMS refused {subject}: {error.code} {words}") from None
    except (OSError, http.client.HTTPException) as error:
        raise NotPassed(f"The LMS did not respond to the request for {subject}: {error}") from None
