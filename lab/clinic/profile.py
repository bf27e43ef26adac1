"""A CPU profile of V8: in which functions and lines the program's thread spent its time."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lab import paths
from lab.clinic.source_map import Originals, file_of

# The files of our probe, in this repository and in the package that `tools/checkup` builds.
_PROBE = f"/{paths.NODE_SIDE.parent.name}/node/clinic/"
# "(program)" is native code outside of any function. On a busy machine it also holds the time in
# which the thread had no processor.
_IDLE = {"(idle)", "(root)", "(program)"}
# Functions of node:fs that may write a log.
_APPENDS = {"appendFileSync", "writeSync", "writevSync", "fsyncSync", "fdatasyncSync"}
_WRITES = {"writeFileSync"}
# Functions with which Node writes to a response or a stream. The time that fills buffers is in
# them.
_WRITERS = {"node:_http_outgoing", "node:internal/streams/writable"}
_LOG_WORDS = ("log", "audit", "journal")
# A function that spends at least this share of its time on writing a log counts as a logger.
LOGGER = 0.5
# Packages that count as loggers, whatever they do.
_LOG_PACKAGES = re.compile(
    r"/node_modules/(pino|pino-std-serializers|sonic-boom|winston|logform|bunyan|log4js|loglevel|"
    r"consola|signale|tslog|roarr|debug)/"
)
# Below this share of the busy time in writing a log, its packages do not write synchronously, and
# the work for a line is then like any other work.
WRITTEN = 0.1
# Other work for a line: putting it together, and checking the size of the file.
_FOR_A_LINE = ("", "node:fs", "node:path", "node:internal/fs/utils")


@dataclass(frozen=True)
class Frame:
    """One function of a stack; line counts from 1."""

    name: str
    url: str
    line: int

    @property
    def of_node(self) -> bool:
        """Whether the frame is of Node or V8."""
        return not self.url or self.url.startswith("node:")

    @property
    def of_package(self) -> bool:
        """Whether the frame belongs to an installed package."""
        return "/node_modules/" in self.url

    @property
    def file(self) -> str:
        """The file as a path."""
        return file_of(self.url)

    @property
    def place(self) -> str:
        """For a report: function, file and line."""
        return f"{self.name or '(anonymous)'} ({self.file}:{self.line})"


@dataclass(frozen=True)
class Place:
    """A line of the program itself, how much of the busy time was spent under it, and what ran
    there: the function of Node that it called, if it was in one.
    """

    function: str
    file: str
    line: int
    share: float
    inside: str = ""
    text: str = ""


@dataclass
class Profile:
    """Shares of the time that the thread was busy; seconds of all that was sampled.

    sync_share : in functions of Node whose name ends with Sync, other than for a log
    """

    pid: int
    seconds: float = 0.0
    busy_s: float = 0.0
    gc_share: float = 0.0
    log_share: float = 0.0
    write_share: float = 0.0
    sync_share: float = 0.0
    places: list[Place] = field(default_factory=list)
    log_places: list[Place] = field(default_factory=list)
    write_places: list[Place] = field(default_factory=list)


Own = tuple[Frame, int, str]


def _frame(at: Mapping[str, Any], originals: Originals) -> Frame:
    """The function of a call frame, at its place in the source."""
    url, line = originals.at(at["url"], at["lineNumber"] + 1, at.get("columnNumber"))
    return Frame(at["functionName"], url, line)


class _Tree:
    def __init__(self, data: dict[str, Any], originals: Originals) -> None:
        self.frames: dict[int, Frame] = {}
        self.parents: dict[int, int] = {}
        self.ticks: dict[int, int] = {}
        for node in data["nodes"]:
            at = node["callFrame"]
            self.frames[node["id"]] = _frame(at, originals)
            for child in node.get("children", ()):
                self.parents[child] = node["id"]
            ticks = node.get("positionTicks") or []
            if ticks:
                # Several compiled lines may come from one line of the source.
                lines: Counter[int] = Counter()
                for one in ticks:
                    lines[originals.at(at["url"], int(one["line"]))[1]] += int(one["ticks"])
                self.ticks[node["id"]] = lines.most_common(1)[0][0]
        self._stacks: dict[int, list[Frame]] = {}

    def stack(self, node: int) -> list[Frame]:
        """Return the frames from the innermost outwards."""
        if node not in self._stacks:
            frames, at = [], node
            while at in self.frames:
                frames.append(self.frames[at])
                if at not in self.parents:
                    break
                at = self.parents[at]
            self._stacks[node] = frames
        return self._stacks[node]

    def own(self, node: int) -> Own | None:
        """The innermost frame of the program itself (of a package, if there is none), the line in
        it, and the function of Node that it called.
        """
        stack = self.stack(node)
        mine = [i for i, f in enumerate(stack) if not f.of_node and not _ours(f)]
        if not mine:
            return None
        at = next((i for i in mine if not stack[i].of_package), mine[0])
        line = self.ticks.get(node, stack[at].line) if at == 0 else stack[at].line
        called = next((f.name for f in reversed(stack[:at]) if f.name), "")
        return stack[at], line, called


def is_probe(url: str) -> bool:
    """Return whether a script, named by its URL or path, is a part of the probe."""
    return _PROBE in url


def _ours(frame: Frame) -> bool:
    return is_probe(frame.url)


def logging(stack: list[Frame]) -> bool:
    """Whether this stack writes a log synchronously: by the console, or into a file."""
    for i, frame in enumerate(stack):
        # V8's wrapper around each method of `console`, and Node's methods.
        if frame.url.startswith("node:internal/console") or frame.name == "consoleCall":
            return True
        caller = next((f for f in stack[i + 1 :] if not f.of_node), None)
        if frame.url == "node:fs":
            if frame.name in _APPENDS:
                return True
            if frame.name in _WRITES and caller and _about_logs(caller):
                return True
        if (
            frame.name == "Writable.write"
            and frame.url.startswith("node:internal/streams")
            and _is_stdout(stack[:i])
            and not any("http" in f.url and f.of_node for f in stack[i : i + 6])
        ):
            return True
    return False


def _is_stdout(inner: list[Frame]) -> bool:
    # libuv writes to a socket; these write to standard output if it is a file or a terminal.
    names = {f.name for f in inner}
    return "SyncWriteStream._write" in names or ("writeSync" in names)


def _for_a_line(stack: list[Frame]) -> bool:
    """Whether the innermost function of the program is itself at work, or in the file system."""
    inner = itertools.takewhile(lambda f: f.of_node, stack)
    return all(f.url in _FOR_A_LINE for f in inner)


def _about_logs(frame: Frame) -> bool:
    words = f"{frame.name} {frame.file.rsplit('/', 1)[-1]}".lower()
    return any(word in words for word in _LOG_WORDS)


def _of_log_package(stack: list[Frame]) -> bool:
    return any(_LOG_PACKAGES.search(frame.url) for frame in stack)


def writing(stack: list[Frame]) -> bool:
    """Whether this stack writes to a stream or a response."""
    return any(f.url in _WRITERS for f in stack)


def _synchronous(stack: list[Frame]) -> bool:
    return any(f.of_node and f.name.endswith("Sync") for f in stack)


def read(file: Path, pid: int) -> tuple[Profile, Originals]:
    """Read a profile that V8 wrote, and the source maps that Node held."""
    data = json.loads(file.read_text())
    originals = Originals(data.get("source_maps"))
    tree = _Tree(data, originals)
    profile = Profile(pid)
    total: dict[Own, float] = {}
    logs: dict[Own, float] = {}
    writes: dict[Own, float] = {}
    gc_s = log_s = write_s = sync_s = around_s = 0.0
    deltas = data["timeDeltas"]
    took: Counter[int] = Counter()
    for i, node in enumerate(data["samples"]):
        # A sample stands for the time until the next sample.
        took[node] += max(deltas[i + 1] if i + 1 < len(deltas) else 0, 0)
    loggers = _loggers(tree, took)
    for node, took_us in took.items():
        took_s = took_us / 1e6
        stack = tree.stack(node)
        if stack[0].name in _IDLE:
            continue
        profile.busy_s += took_s
        if stack[0].name == "(garbage collector)":
            gc_s += took_s
            continue
        own_frame = tree.own(node)
        of_log = logging(stack) or (
            own_frame is not None and own_frame[0] in loggers and _for_a_line(stack)
        )
        of_write = not of_log and writing(stack)
        log_s += took_s * of_log
        around_s += took_s * (not of_log and _of_log_package(stack))
        write_s += took_s * of_write
        sync_s += took_s * (not of_log and _synchronous(stack))
        if own_frame is None:
            continue
        for counter, wanted in ((total, True), (logs, of_log), (writes, of_write)):
            if wanted:
                counter[own_frame] = counter.get(own_frame, 0.0) + took_s
    profile.seconds = sum(deltas) / 1e6
    busy = max(profile.busy_s, 1e-9)
    if log_s >= WRITTEN * busy:
        log_s += around_s
    profile.gc_share, profile.log_share = gc_s / busy, log_s / busy
    profile.write_share, profile.sync_share = write_s / busy, sync_s / busy
    profile.places = _places(total, busy)
    profile.log_places = _places(logs, busy)
    profile.write_places = _places(writes, busy)
    return profile, originals


OWN_KEEPS = 0.05  # from this share on, functions of the program itself are named
# Calls that keep their arguments. The first of them in a function is the line that is named.
_KEEPS = re.compile(
    r"\.(set|push|add|unshift|on|once|addListener|addEventListener|append|subscribe)\("
    r"|setInterval\(|\]\s*=|\.\w+\s*=\s*(new|\[|\{)|Buffer\.|fetch\("
)


def keepers(file: Path, originals: Originals) -> list[dict[str, Any]]:
    """Read a sampling heap profile that V8 wrote after a collection: the functions of the program
    that allocated what is alive, those with the most first, at most three.

    Each has `function`, `file`, `line` (of the first call in it that keeps something), `bytes`
    (sampled, in the heap) and `text`, the line.
    """
    bytes_by_frame: Counter[Frame] = Counter()

    def walk(node: dict[str, Any], owner: Frame | None) -> None:
        frame = _frame(node["callFrame"], originals)
        if not frame.of_node and not _ours(frame) and (owner is None or not frame.of_package):
            owner = frame
        if owner is not None:
            bytes_by_frame[owner] += int(node["selfSize"])
        for child in node.get("children", ()):
            walk(child, owner)

    walk(json.loads(file.read_text())["head"], None)
    # A package works for the program, so its functions count only if the program's own have
    # nothing.
    own_bytes = {frame: size for frame, size in bytes_by_frame.items() if not frame.of_package}
    if sum(own_bytes.values()) >= OWN_KEEPS * bytes_by_frame.total():
        bytes_by_frame = Counter(own_bytes)
    rows = []
    for frame, size in bytes_by_frame.most_common(3):
        if size > 0:
            line, text = _keeping(frame)
            rows.append(
                {
                    "function": frame.name or "(anonymous)",
                    "file": frame.file,
                    "line": line,
                    "bytes": size,
                    "text": text,
                }
            )
    return rows


def _keeping(frame: Frame) -> tuple[int, str]:
    """Return the first line of a function that keeps something, else the line where it begins."""
    try:
        lines = Path(frame.file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frame.line, ""
    for at in range(frame.line, min(frame.line + 40, len(lines)) + 1):
        if _KEEPS.search(lines[at - 1]):
            return at, lines[at - 1].strip()[:160]
    in_file = 0 < frame.line <= len(lines)
    return frame.line, lines[frame.line - 1].strip()[:160] if in_file else ""


def _loggers(tree: _Tree, took: Counter[int]) -> set[Frame]:
    """Return the functions of the program that are there to write a log."""
    of_logs: Counter[Frame] = Counter()
    of_all: Counter[Frame] = Counter()
    for node, took_us in took.items():
        if (own := tree.own(node)) is not None:
            of_all[own[0]] += took_us
            of_logs[own[0]] += took_us * logging(tree.stack(node))
    return {one for one, us in of_all.items() if us and of_logs[one] >= LOGGER * us}


def by_line(places: Iterable[Place]) -> list[Place]:
    """Return the places with those of one line together: the first of a line has the sum of their
    shares. The line with the most comes first.
    """
    lines: dict[tuple[str, int], Place] = {}
    for place in places:
        line = (place.file, place.line)
        before = lines[line].share if line in lines else 0.0
        lines[line] = replace(lines.get(line, place), share=before + place.share)
    return sorted(lines.values(), key=lambda place: -place.share)


def _places(found: dict[Own, float], busy_s: float) -> list[Place]:
    """The lines with the most time; those of one function and one call together."""
    together: dict[tuple[str, str, str], tuple[float, int, float]] = {}
    for (frame, line, callee), took in found.items():
        key = (frame.name, frame.file, callee)
        before, best, most = together.get(key, (0.0, line, 0.0))
        together[key] = (before + took, line if took > most else best, max(most, took))
    ranked = sorted(together.items(), key=lambda one: -one[1][0])[:5]
    made = []
    for (name, file, callee), (took, line, _) in ranked:
        at, text = _call(file, line, callee)
        made.append(Place(name or "(anonymous)", file, at, round(took / busy_s, 4), callee, text))
    return made


# Functions of Node that have another name than the function that a program calls.
_CALLED_AS = {
    "consoleCall": re.compile(r"console\."),
    "syncBufferWrapper": re.compile(r"(?:zip|flate|flateRaw|ompress)Sync\("),  # zlib
    "asyncBufferWrapper": re.compile(r"(?:zip|flate|flateRaw|ompress)\("),
}


def _call(file: str, line: int, callee: str) -> tuple[int, str]:
    """The line of the call: V8 tells where the calling function begins; from there on the first
    line that names what was called.
    """
    try:
        lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return line, ""
    if callee:
        named = re.escape(f"{callee.rpartition('.')[2]}(")
        pattern = _CALLED_AS.get(callee) or re.compile(named)
        for at in range(line, min(line + 60, len(lines)) + 1):
            if pattern.search(lines[at - 1]):
                return at, lines[at - 1].strip()[:160]
    return line, lines[line - 1].strip()[:160] if 0 < line <= len(lines) else ""
