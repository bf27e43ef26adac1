"""A scenario: the requests that are sent in turns, and a login before them, from a file of JSON.

    {"login": {"path": "/login", "body": {"user": "ann", "password": "…"}, "carry": "cookie"},
     "requests": [{"path": "/books", "weight": 3},
                  {"method": "POST", "path": "/books", "body": {"title": "Emma"}}]}

`carry` is "cookie", or {"from": "data.token", "header": "authorization", "value": "Bearer {}"}:
what the response to the login has there is sent with every request. A body that is no text is sent
as JSON, and "@FILE" is the content of a file beside the scenario.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from lab.clinic.loading import Request, next_step
from lab.errors import LabError, did_you_mean
from lab.records.load import BadLoad, Stream

MOST_REQUESTS, MOST_WEIGHT = 100, 1000
KEYS = ("login", "requests")
REQUEST_KEYS = ("method", "path", "headers", "body", "weight")
LOGIN_KEYS = ("method", "path", "headers", "body", "carry")
CARRY_KEYS = ("from", "header", "value")
ANSWER_S = 10.0


@dataclass(frozen=True)
class Carry:
    """The part of the login's response that is sent with each request: a value of its JSON
    (`source`, names with dots) in a header, or its cookies if there is no source.
    """

    source: str = ""
    header: str = "authorization"
    value: str = "Bearer {}"


@dataclass(frozen=True)
class Scenario:
    """Requests with their weights, in turns, and maybe a login before them."""

    name: str
    requests: tuple[tuple[Request, int], ...]
    login: Request | None = None
    carry: Carry = Carry()

    @property
    def title(self) -> str:
        """The scenario's name in a report, which takes the place of a path."""
        number = len(self.requests)
        return f"{self.name} ({number} {'request' if number == 1 else 'requests'})"

    @property
    def digest(self) -> str:
        """The SHA-256 of all that is sent."""
        return hashlib.sha256(repr((self.requests, self.login, self.carry)).encode()).hexdigest()

    def ready(self, url: str, program: str) -> list[tuple[bytes, int]]:
        """Log in at the server at `url`, try each request once, and return them as they are sent.

        Raises LabError if one is not answered with a status from 200 to 299; of the login one
        below 400 will do.
        """
        headers = self._logged_in(url, program)
        messages = []
        for request, weight in self.requests:
            whole = replace(request, headers=(*request.headers, *headers))
            answer = whole.answer(url, ANSWER_S)
            if not 200 <= answer.status < 300:
                raise LabError(
                    f"{program} responded to {request.method} {request.path} of {self.name} "
                    f"with status {answer.status}. {_next_step(answer.status)}"
                )
            messages.append((wire(whole), weight))
        return messages

    def _logged_in(self, url: str, program: str) -> tuple[tuple[str, str], ...]:
        if self.login is None:
            return ()
        answer = self.login.answer(url, ANSWER_S)
        if answer.status >= 400:
            raise LabError(
                f"{program} responded to the login of {self.name}, {self.login.method} "
                f"{self.login.path}, with status {answer.status}. Correct its path and its "
                "body."
            )
        if not self.carry.source:
            if not answer.cookies:
                raise LabError(
                    f"The response to the login of {self.name} sets no cookie. If it has a token, "
                    'write "carry": {"from": "token"}, with the names that lead to it.'
                )
            pairs = [cookie.partition(";")[0].strip() for cookie in answer.cookies]
            return (("Cookie", "; ".join(pairs)),)
        try:
            value: Any = json.loads(answer.text)
            for name in self.carry.source.split("."):
                value = value[int(name)] if isinstance(value, list) else value[name]
        except (ValueError, KeyError, TypeError, IndexError):
            raise LabError(
                f"The response to the login of {self.name} has no {self.carry.source!r}. It "
                f'is {answer.text[:120]!r}. Correct "from", which lists names with dots in '
                "between."
            ) from None
        if not isinstance(value, str | int | float):
            raise LabError(
                f"{self.carry.source!r} in the response to the login of {self.name} is not a "
                'text. Correct "from", so that it leads to a text.'
            )
        header, text = self.carry.header, self.carry.value.replace("{}", str(value))
        _checked(f"{self.name}, what the login carries", headers={header: text})
        return ((header, text),)


def _next_step(status: int) -> str:
    """Return the next step in words that fit a file."""
    if status in (401, 403):
        return (
            'Add a "login" to the scenario, so that its cookie or token is sent along, or '
            'add "headers" to the request.'
        )
    if status in (400, 411, 415, 422):
        return 'It may need another "body", or a content-type among its "headers".'
    if status == 404:
        return 'Correct its "path".'
    if status == 405:
        return 'Correct its "method".'
    return next_step(status)


def wire(request: Request) -> bytes:
    """Return the bytes of a request as they are sent."""
    headers = {"Host": "127.0.0.1", **request.sent_headers}
    if request.body is not None:
        headers["Content-Length"] = str(len(request.body))
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    text = f"{request.method} {request.path} HTTP/1.1\r\n{head}\r\n"
    return text.encode("latin-1") + (request.body or b"")


def read(file: Path, headers: Mapping[str, str] | None = None) -> Scenario:
    """Read a scenario; `headers` are sent with every request of it. Raises LabError, which says
    what is wrong where.
    """
    label = file.name
    try:
        # Editors on Windows begin a file with a byte order mark.
        data = json.loads(
            file.read_text("utf-8-sig"), object_pairs_hook=_members, parse_constant=_no_number
        )
    except OSError as error:
        raise LabError(f"--scenario {file}: {error.strerror}. Give a file of JSON.") from None
    except ValueError as error:
        raise LabError(f"{label} is not JSON: {error}. Correct the file and start again.") from None
    except RecursionError:
        raise LabError(f"{label} has too many lists or objects within one another.") from None
    root = _object(data, label, KEYS)
    requests = root.get("requests")
    if not isinstance(requests, list) or not 1 <= len(requests) <= MOST_REQUESTS:
        raise LabError(
            f'{label}: "requests" must be a list of 1 to {MOST_REQUESTS} requests, such as '
            '[{"path": "/books"}].'
        )
    requests_by_weight = []
    for index, one in enumerate(requests, 1):
        place = f"{label}, request {index}"
        fields = _object(one, place, REQUEST_KEYS)
        weight = fields.get("weight", 1)
        if (
            isinstance(weight, bool)
            or not isinstance(weight, int)
            or not 1 <= weight <= MOST_WEIGHT
        ):
            raise LabError(f'{place}: "weight" must be a whole number from 1 to {MOST_WEIGHT}.')
        requests_by_weight.append((_request(fields, place, file.parent, headers or {}), weight))
    login = None
    carry = Carry()
    if "login" in root:
        place = f"{label}, login"
        fields = _object(root["login"], place, LOGIN_KEYS)
        login = _request({"method": "POST", **fields}, place, file.parent, headers or {})
        carry = _carry(fields.get("carry", "cookie"), place)
    return Scenario(label, tuple(requests_by_weight), login, carry)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has the key {twice!r} twice")
    return members


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is not a number there")


def _object(value: Any, label: str, keys: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise LabError(f"{label} must be an object with {', '.join(keys)}.")
    for key in value:
        if key not in keys:
            raise LabError(f"{label} has an unknown key {key!r}. {did_you_mean(key, keys)}")
    return cast("dict[str, Any]", value)


def _carry(value: Any, label: str) -> Carry:
    if value == "cookie":
        return Carry()
    if isinstance(value, str):
        raise LabError(f'{label}: "carry" must be "cookie", or an object with "from".')
    fields = _object(value, f'{label}, "carry"', CARRY_KEYS)
    if not all(isinstance(text, str) for text in fields.values()) or not fields.get("from"):
        raise LabError(f'{label}: "carry" needs "from", the names that lead to the value.')
    carry = Carry(fields.pop("from"), **fields)
    _checked(label, headers={carry.header: carry.value})
    return carry


def _checked(label: str, **options: Any) -> Stream:
    """Return the options as the load generator takes them. Raises LabError for what it does not."""
    try:
        return Stream.of(**options)
    except BadLoad as error:
        raise LabError(f"{label}: {error}.") from None


def _request(fields: dict[str, Any], label: str, folder: Path, more: Mapping[str, str]) -> Request:
    if "path" not in fields:
        raise LabError(f'{label} has no "path", such as "/books?page=2".')
    method = fields.get("method")
    if isinstance(method, str) and method.upper() == "HEAD":
        raise LabError(f"{label}: HEAD is not supported. Use GET instead.")
    headers = fields.get("headers", {})
    if not isinstance(headers, dict) or not all(isinstance(text, str) for text in headers.values()):
        raise LabError(f'{label}: "headers" must be an object of texts.')
    path = _checked(label, path=fields["path"], method=method or "GET", headers=headers).path
    body = fields.get("body")
    if body is not None and not isinstance(body, str):
        body = json.dumps(body, ensure_ascii=False)
    content = body.encode() if body is not None else None
    if body is not None and body.startswith("@"):
        try:
            content = (folder / body[1:]).read_bytes()
        except OSError as error:
            raise LabError(f'{label}: "body" {body}: {error.strerror}.') from None
    return Request.of(path, method and method.upper(), {**more, **headers}, content)
