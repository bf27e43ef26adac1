"""The verbs `examine`, `compare` and `problems`: their arguments and their output."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
import textwrap
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from lab.clinic import illnesses, outputs
from lab.clinic.app import LISTEN_S, Target
from lab.clinic.direct import order
from lab.clinic.loading import Request
from lab.clinic.name import DISTRIBUTION, PROGRAM
from lab.clinic.scenario import read as read_scenario
from lab.clinic.versions import LOOKS, NOT_WORSE, Versions, compare_versions, revisions
from lab.errors import LabError
from lab.storage import written

PAGE = Path("examination.html")
# The exit codes of both commands other than 0. In the first case problems were found, or the new
# version is worse. In the second case a program could not be compared, or not examined in full.
FOUND = WORSE = 1
FAILED = 2


def examine_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `examine`."""
    parser.add_argument(
        "--url", help="a server that is already running on this machine: http, https, or unix:FILE"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        help="the folder in which the command runs (default: the current folder)",
    )
    _asked_arguments(parser)
    parser.add_argument(
        "--page", type=Path, default=PAGE, help=f"the file of the report (default: {PAGE})"
    )
    _output_arguments(parser)
    parser.add_argument(
        "--sarif", type=Path, metavar="FILE", help="also write the findings as SARIF 2.1.0"
    )
    parser.add_argument("words", nargs="*", metavar="-- COMMAND", help="node app.mjs, npm start, …")


def _asked_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that describe the program and the requests, the same for both commands."""
    parser.add_argument("--path", default="/", help="the path to request (default: /)")
    parser.add_argument("--method", help="the HTTP method (default: GET, or POST with a body)")
    parser.add_argument(
        "--body",
        metavar="TEXT",
        help="the body of each request; @FILE sends a file, @- sends standard input",
    )
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="NAME:VALUE",
        help="a header to send (may be repeated)",
    )
    parser.add_argument(
        "--scenario",
        type=Path,
        metavar="FILE",
        help="several requests in turn, and a login, from a JSON file (instead of --path)",
    )
    parser.add_argument(
        "--http2",
        action="store_true",
        help="send requests by HTTP/2 (the default for a server that accepts nothing else)",
    )
    parser.add_argument(
        "--streams",
        type=int,
        metavar="N",
        help="send requests by HTTP/2, with N at once on each connection (default: 1)",
    )
    parser.add_argument(
        "--port", type=int, help="the port to load if the program listens on several"
    )
    parser.add_argument(
        "--listen",
        type=float,
        default=LISTEN_S,
        metavar="SECONDS",
        help=f"how long the program may take until it listens (default: {LISTEN_S:g})",
    )


def _output_arguments(parser: argparse.ArgumentParser) -> None:
    """The outputs for other programs, the same for both commands."""
    parser.add_argument(
        "--json",
        action="store_true",
        help=f"print JSON instead of text, according to version {outputs.SCHEMA} of the schema",
    )
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="also write a summary as Markdown"
    )


def _write(file: Path | None, text: str) -> None:
    """Write an output where one is wanted. Raises LabError if the file cannot be written."""
    if file is not None:
        written.write(file.resolve(), f"{text}\n".encode())


def _headers(given: Sequence[str]) -> dict[str, str]:
    """Return the headers of the --header options."""
    headers = {}
    for one in given:
        name, colon, value = one.partition(":")
        if not colon or not name.strip():
            raise LabError(f"--header {one!r}: write NAME:VALUE.")
        headers[name.strip()] = value.strip()
    return headers


def _streams(options: argparse.Namespace) -> int:
    """Return how many clients share a connection of HTTP/2, 0 where that is not asked for."""
    if options.streams is None:
        return int(options.http2)
    if options.streams < 1:
        raise LabError(f"--streams {options.streams}: 1 or more share a connection of HTTP/2.")
    return int(options.streams)


def _scenario_file(options: argparse.Namespace) -> Path | None:
    """Return the file of --scenario. Raises LabError where another argument says what is sent."""
    file: Path | None = options.scenario
    if file is not None:
        for name, usual in (("path", "/"), ("method", None), ("body", None)):
            if getattr(options, name) != usual:
                raise LabError(f"--scenario already says what is sent, so leave out --{name}.")
    return file


def _body(option: str | None) -> bytes | None:
    """Return what --body names: the text itself, or the content of @FILE."""
    if option is None or not option.startswith("@"):
        return None if option is None else option.encode()
    if option == "@-":
        return sys.stdin.buffer.read()
    try:
        return Path(option[1:]).read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise LabError(
            f"--body {option}: {reason}. Write --body @FILE for a file, or --body TEXT for a text "
            "that does not begin with @."
        ) from None


def _coloured(text: str, *, is_well: bool) -> str:
    """Return the text with its first line in colour, on a terminal that is not told otherwise."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty():
        return text
    first, *others = text.split("\n")
    return "\n".join([f"\x1b[1;{32 if is_well else 31}m{first}\x1b[0m", *others])


def _say(chosen: argparse.Namespace, text: str, data: str, *, is_well: bool) -> None:
    """Print the text, or the JSON in its place, and where the page is."""
    print(data if chosen.json else _coloured(text, is_well=is_well))
    print(f"The report: {chosen.page}", file=sys.stderr if chosen.json else sys.stdout)


_SETTING = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


def command_line(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return the settings and the words of a command as a shell would read it: settings such as
    `NODE_ENV=production` may stand before the program, and the whole may be one quoted word.
    """
    command_words = list(words)
    if len(command_words) == 1 and not os.path.exists(command_words[0]):  # noqa: PTH110  False for a name too long
        try:
            command_words = shlex.split(command_words[0])
        except ValueError:
            raise LabError(f"A quotation mark is not closed in {words[0]}. Close it.") from None
    settings: dict[str, str] = {}
    while command_words and (setting := _SETTING.fullmatch(command_words[0])):
        settings[setting[1]] = setting[2]
        command_words.pop(0)
    return settings, command_words


def examine(options: argparse.Namespace) -> int:
    """Examine; 0 if nothing was found, 1 if something was, 2 if it was not, or only in part."""
    try:
        return _examined(options)
    except LabError as error:
        print(error, file=sys.stderr)
        if options.json:
            print(outputs.refusal_json(str(error)))
        return FAILED


def _examined(options: argparse.Namespace) -> int:
    if bool(options.url) == bool(options.words):
        raise LabError(
            f"Name the program to examine: {PROGRAM} examine -- node app.mjs. For a running "
            "server, use --url http://127.0.0.1:3000/path."
        )
    settings, words = command_line(options.words)
    examination_order = order(
        options.url or words,
        path=options.path,
        method=options.method,
        headers=_headers(options.header),
        body=_body(options.body),
        env=settings,
        folder=options.folder,
        port=options.port,
        listen_s=options.listen,
        scenario=_scenario_file(options),
        http2=_streams(options),
    )
    examination = examination_order.examined(
        lambda words: print(f"… {words}", file=sys.stderr, flush=True)
    )
    # The templates of this module are loaded only when a page is drawn.
    from lab.clinic import report

    _write(options.page, report.page(examination))
    _write(options.markdown, outputs.examination_markdown(examination))
    version = metadata.version(DISTRIBUTION)
    _write(options.sarif, outputs.examination_sarif(examination, Path.cwd(), version))
    verdict = outputs.verdict(examination)
    _say(
        options,
        f"{examination}",
        outputs.examination_json(examination),
        is_well=verdict == outputs.WELL,
    )
    return {outputs.WELL: 0, outputs.FOUND: FOUND}.get(verdict, FAILED)


COMPARED = Path("comparison.html")


def compare_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `compare`."""
    sides = parser.add_mutually_exclusive_group(required=True)
    two = ("OLD", "NEW")
    sides.add_argument(
        "--commands", help="the commands of the two versions, each in quotes", nargs=2, metavar=two
    )
    sides.add_argument(
        "--folders", type=Path, help="run the command in two folders", nargs=2, metavar=two
    )
    sides.add_argument(
        "--revisions", help="run the command at two git revisions", nargs=2, metavar=two
    )
    _asked_arguments(parser)
    parser.add_argument(
        "--pairs", type=int, default=10, help="processes of each version (default: 10)"
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=5.0,
        metavar="PERCENT",
        help="the difference in per cent that still counts as equal (default: 5)",
    )
    parser.add_argument(
        "--page", type=Path, default=COMPARED, help=f"the file of the report (default: {COMPARED})"
    )
    _output_arguments(parser)
    parser.add_argument("words", nargs="*", metavar="-- COMMAND", help="node app.mjs, npm start, …")


def compare(options: argparse.Namespace) -> int:
    """Compare two versions; 0 if the new one is not worse, 1 if it is (it fails, or stops
    answering, where the old one does not, too), 2 if that cannot be told because one of them could
    not be started, or the old one failed as well.
    """
    from lab.clinic import report

    try:
        versions = _compared(options)
        _write(options.page, report.versions_page(versions))
        _write(options.markdown, outputs.versions_markdown(versions))
    except LabError as error:
        print(error, file=sys.stderr)
        if options.json:
            print(outputs.refusal_json(str(error)))
        return FAILED
    _say(
        options, f"{versions}", outputs.versions_json(versions), is_well=versions.word == NOT_WORSE
    )
    if versions.worse:
        return WORSE
    if any(versions.failed.values()) or any(versions.hung.values()):
        print(
            f"{_failures(versions)}. A version that fails can't be compared. Examine it first.",
            file=sys.stderr,
        )
        return FAILED
    return 0


def _failures(found: Versions) -> str:
    """Say how many requests failed and how many processes hung, of which version."""
    kinds = (("Requests failed", found.failed), ("Processes stopped answering", found.hung))
    return ". ".join(
        f"{what}: " + ", ".join(f"{n} of the {arm} version" for arm, n in counts.items() if n)
        for what, counts in kinds
        if any(counts.values())
    )


def _compared(options: argparse.Namespace) -> Versions:
    current_folder, words = Path.cwd(), tuple(options.words)
    if bool(options.commands) == bool(words):
        raise LabError(
            f"Say what to start: {PROGRAM} compare --commands 'node old.mjs' 'node new.mjs', or "
            "--folders OLD NEW -- node app.mjs, or --revisions main HEAD -- npm start."
        )
    if not 0 < options.limit < 100:
        raise LabError(f"--limit {options.limit:g}: a percentage above 0, below 100.")

    headers = _headers(options.header)
    request = Request.of(options.path, options.method, headers, _body(options.body))
    file = _scenario_file(options)
    scenario = None if file is None else read_scenario(file, headers)

    def run(old: Target, new: Target) -> Versions:
        once = 3 * options.pairs
        print(
            f"Measuring {once} processes takes some minutes. If they suggest that the new "
            f"version is worse, up to {LOOKS} times as many are measured. Press Ctrl-C to "
            "stop and judge the results so far.",
            file=sys.stderr,
        )

        def tell(seconds: float, done: int) -> None:
            total = -(-done // once) * once
            left = seconds / done * (total - done)
            why = "" if done <= once else " (the new version seems worse, so it is measured again)"
            print(f"… {done} of {total}, about {left:.0f} s left{why}", file=sys.stderr, flush=True)

        return compare_versions(
            old,
            new,
            request=None if scenario else request,
            pairs=options.pairs,
            limit=options.limit / 100,
            tell=tell,
        )

    def target(words: Sequence[str], folder: Path, name: str) -> Target:
        settings, command = command_line(words)
        return Target(
            tuple(command),
            folder,
            name,
            settings,
            options.port,
            options.path,
            options.listen,
            scenario,
            _streams(options),
        )

    if options.commands:
        return run(*(target([version], current_folder, version) for version in options.commands))
    if options.folders:
        for folder in options.folders:
            if not folder.is_dir():
                raise LabError(f"There is no folder {folder}.")
        return run(*(target(words, version.resolve(), str(version)) for version in options.folders))
    with revisions(current_folder, options.revisions) as folders:
        both = zip(folders, options.revisions, strict=True)
        return run(*(target(words, folder, name) for folder, name in both))


def problems_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `problems`."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def problems(options: argparse.Namespace) -> int:
    """Print each problem that `examine` looks for: its name, what it means, and from which limits
    on; then what `examine` does not look for.
    """
    print(outputs.problems_json() if options.json else _problems_text())
    return 0


def _limit_lines(limits: Sequence[illnesses.Limit]) -> list[str]:
    return [f"  ≥ {limit.show(limit.least):<9} {limit.says}" for limit in limits]


def _problems_text() -> str:
    paragraphs = [
        "For the problems with an asterisk (*), the report names lines of your program.\n"
        'A problem is found if all of its limits, or all limits of a group after an "or", are '
        "reached."
    ]
    for problem in illnesses.known():
        limits = _limit_lines(problem.limits)
        for others in illnesses.other_limits(problem):
            limits += ["  or", *_limit_lines(others)]
        means = textwrap.fill(problem.means, 88, initial_indent="  ", subsequent_indent="  ")
        name = f"{problem.name} *" if problem.names_lines else problem.name
        paragraphs.append("\n".join([name, means, *limits]))
    return "\n\n".join([*paragraphs, textwrap.fill(illnesses.NOT_EXAMINED, 88)])
