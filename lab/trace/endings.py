"""How a program ended, in words: what was thrown and where, which signal, which exit code."""

from __future__ import annotations

import re
import signal
import textwrap
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lab.trace.child import RunEnd
from lab.trace.program import TracedProgram

UNSETTLED = 13  # Node's exit code for a top-level await that nothing can settle any more
VALUE_SHOWN = 100

# What Node writes about an error that was not caught: place, source line, caret, the error, its
# stack, and at the end its own version.
_FATAL = re.compile(r"^(?P<file>\S.*):(?P<line>\d+)\n.*\n[ \t]*\^+[ \t]*\n+", re.MULTILINE)
_TRAILER = re.compile(r"^Node\.js v\d\S*$", re.MULTILINE)
_NO_ERROR = "(Use `node --trace-uncaught"
_REASON = re.compile(r'The promise rejected with the reason "(.*?)"\.', re.DOTALL)
_ERROR = re.compile(r"^\[?(\w*(?:Error|Exception)\b.*)$", re.MULTILINE)
_FRAME = re.compile(
    r"^ +at (?:.*\()?((?:file://)?(?:[A-Za-z]:)?[/\\].*?):(\d+):\d+\)?$", re.MULTILINE
)
_LITERAL = re.compile(
    r"-?[\d.]+(?:e[+-]?\d+)?n?|null|undefined|true|false|NaN|-?Infinity|[\[{<].*|\w+\(.*|\w* ?\{.*"
)
_AWAIT = re.compile(r"unsettled top-level await at (\S+):(\d+)")
_OUT_OF_MEMORY = re.compile(r"^(?:FATAL ERROR|# Fatal error[^:]*): (.*)$", re.MULTILINE)


def notes(
    plain: Sequence[RunEnd], recorded_runs: Sequence[RunEnd], program: TracedProgram
) -> list[str]:
    """A sentence for each way in which the program ended other than with exit code 0."""
    ways: dict[tuple[int | None, int | None], list[RunEnd]] = {}
    for outcome in plain:
        ways.setdefault((outcome.code, outcome.signal), []).append(outcome)
    sentences = []
    for (code, number), outcomes in ways.items():
        share = "" if len(outcomes) == len(plain) else f" in {len(outcomes)} of {len(plain)} runs"
        if number is not None:
            what = _by_signal(number, outcomes[0].stderr)
            sentences.append(f"The program was ended by {what}{share}.")
        elif code:
            alike = [outcome for outcome in recorded_runs if outcome.code == code]
            why = _why(outcomes[0], alike, program)
            sentences.append(f"The program ended with exit code {code}{share}: {why}")
    return sentences


def last_error(stderr: str, program: TracedProgram | None = None) -> str:
    """What was not caught, with its place in the reader's files, from Node's report about it."""
    fatal = [*_FATAL.finditer(stderr)]
    report = stderr[fatal[-1].end() :] if fatal else stderr
    report = _TRAILER.split(report)[0]
    where = _where(fatal[-1] if fatal else None, report, program)
    return _thrown(report, program) + (f" ({where})" if where else "")


def _by_signal(number: int, stderr: str) -> str:
    try:
        name = f"the signal {signal.Signals(number).name}"
    except ValueError:
        name = f"signal {number}"
    if memory := _OUT_OF_MEMORY.search(stderr):
        return f"{name}: {memory[1].strip()}"
    return f"{name}, as process.abort() does" if number == signal.SIGABRT else name


def _why(outcome: RunEnd, alike: Sequence[RunEnd], program: TracedProgram) -> str:
    where = _unsettled(outcome.stderr, program) if outcome.code == UNSETTLED else None
    if where is not None:
        return f"a top-level await{where} never settled, and nothing was left to wait for."
    # The last report on standard error may be a child's. The recorder knows whose report it is.
    threw = [any(row[0] == "!" for row in run.rows) for run in alike]
    if not _TRAILER.search(outcome.stderr) or (threw and not any(threw)):
        return "the program set that code itself (process.exitCode or process.exit)."
    return last_error(outcome.stderr, program)


def _unsettled(stderr: str, program: TracedProgram) -> str | None:
    """Where the await is, if Node says so; None if the program may have asked for that code."""
    if place := _AWAIT.search(stderr):
        return f" ({_name(place[1], program)}, line {place[2]})"
    return None if "exit" in program.source else ""


def _thrown(report: str, program: TracedProgram | None) -> str:
    report = report.strip()
    if reason := _REASON.search(report):
        return f"a promise was rejected with {_value(reason[1])}, and nothing caught it"
    first = report.split("\n", 1)[0]
    if _NO_ERROR not in report and (_ERROR.match(report) or _FRAME.search(report)):
        text = first.removesuffix(" {")
        return _short(text[1:-1] if text.startswith("[") and text.endswith("]") else text, program)
    if _NO_ERROR not in report and not re.match(r"[\[{'\"]|\w* ?\{", report):
        error = _ERROR.search(report)
        return _short(error[1] if error else report.split("\n")[-1], program)
    value = report.split(_NO_ERROR)[0].removeprefix("Uncaught:").removeprefix("Uncaught ")
    return f"it threw {_value(value)}, which is not an Error"


def _value(text: str) -> str:
    line = textwrap.shorten(text, VALUE_SHOWN, placeholder=" …")
    return line if _LITERAL.fullmatch(line) else f"“{line}”"


def _short(text: str, program: TracedProgram | None) -> str:
    """Paths from the program's folder, as the reader knows them."""
    if program is None:
        return text
    folder = f"{program.path.parent}/"
    return text.replace(f"file://{folder}", "").replace(folder, "")


def _where(header: re.Match[str] | None, report: str, program: TracedProgram | None) -> str | None:
    """The place in the reader's own files; None if there is none."""
    frames = [(file, line) for file, line in _FRAME.findall(report) if not _foreign(file)]
    if header and not _foreign(header["file"]):
        frames.insert(0, (header["file"], header["line"]))
    if not frames:
        return None
    file, line = frames[0]
    return f"{_name(file, program)}, line {line}"


def _foreign(file: str) -> bool:
    """True for a file of Node's own, of a package, or for no file."""
    return "node_modules" in file or not re.match(r"file:|(?:[A-Za-z]:)?[/\\]", file)


def _path(file: str) -> Path:
    return Path(unquote(urlsplit(file).path) if file.startswith("file:") else file)


def _name(file: str, program: TracedProgram | None) -> str:
    path = _path(file)
    return program.name if program and path == program.path else path.name
