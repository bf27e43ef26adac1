"""Source maps: from a line of compiled JavaScript to the line of the source that it was made of.

The map is the one that the file names in its last lines, beside it or within it, or one that Node
held for a file that was compiled while it was loaded.
"""

from __future__ import annotations

import base64
import binascii
import bisect
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

_NAMED = re.compile(r"^[ \t]*//[#@] sourceMappingURL=(\S+)[ \t]*$", re.M)
_ADDED_LINES = 10
MOST_BYTES = 50_000_000
_DIGITS = {
    digit: value
    for value, digit in enumerate(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    )
}


@dataclass(frozen=True)
class SourceMap:
    """The segments of each generated line: (column, index of the source, line), counted from 0."""

    sources: tuple[str, ...]
    lines: tuple[tuple[tuple[int, int, int], ...], ...]

    def original(self, line: int, column: int | None = None) -> tuple[str, int] | None:
        """Return file and line of the source of a generated position, lines from 1, columns from 0;
        without a column of the first that the line has. None where the map has nothing there.
        """
        if not 1 <= line <= len(self.lines):
            return None
        segments = self.lines[line - 1]
        if not segments:
            # The compiler added this line, as for async functions of an old target. It belongs to
            # the source's line above it.
            above = self.lines[max(0, line - 1 - _ADDED_LINES) : line - 1]
            segments = next((one for one in reversed(above) if one), ())
            column = None if not segments else segments[-1][0]
        if not segments:
            return None
        at = 0 if column is None else bisect.bisect_right(segments, (column, 1 << 30, 0)) - 1
        _, source, original_line = segments[max(at, 0)]
        if not 0 <= source < len(self.sources):
            return None
        return self.sources[source], original_line + 1


def parsed(data: Mapping[str, Any], folder: Path) -> SourceMap | None:
    """Return a map that was read as JSON, its sources as paths from `folder`; None if it is none of
    version 3 with mappings of its own.
    """
    try:
        if data.get("version") != 3 or not isinstance(data["mappings"], str):
            return None
        root = str(data.get("sourceRoot") or "")
        names = [f"{root.rstrip('/')}/{name}" if root else str(name) for name in data["sources"]]
        sources = tuple(_path(name, folder) for name in names)
        return SourceMap(sources, _decoded(data["mappings"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _path(source: str, folder: Path) -> str:
    if source.startswith("file:"):
        return file_of(source)
    # Bundlers write webpack:///./src/app.ts, or webpack://name/./src/app.ts.
    if scheme := re.match(r"[a-z][a-z0-9+.-]*:/*(?:[^/]*/)?(?=\./)", source):
        source = source[scheme.end() :]
    return str((folder / unquote(source)).resolve())


def _decoded(mappings: str) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    """Decode the VLQ numbers: each is the difference to the one before."""
    lines = []
    source = line = column_of_source = 0
    for group in mappings.split(";"):
        segments = []
        column = 0
        for text in filter(None, group.split(",")):
            numbers = _numbers(text)
            column += numbers[0]
            if len(numbers) >= 4:
                source += numbers[1]
                line += numbers[2]
                column_of_source += numbers[3]
                segments.append((column, source, line))
        lines.append(tuple(sorted(segments)))
    return tuple(lines)


def _numbers(text: str) -> list[int]:
    numbers, value, shift = [], 0, 0
    for digit in text:
        bits = _DIGITS[digit]
        value += (bits & 31) << shift
        shift += 5
        if not bits & 32:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    if shift or not numbers:
        raise ValueError(f"a segment of a source map ends within a number: {text}")
    return numbers


def of_file(file: str) -> SourceMap | None:
    """Return the map that a compiled file names; None if it names none that can be read."""
    path = Path(file)
    try:
        names = _NAMED.findall(_content(path))
        if not names:
            return None
        if names[-1].startswith("data:"):
            return _of_data(names[-1], path.parent)
        beside = path.parent / unquote(urlsplit(names[-1]).path)
        return parsed(json.loads(_content(beside)), beside.parent)
    except (OSError, ValueError):
        return None


def _content(file: Path) -> str:
    """Return the text of a file; nothing of one that is too large. Raises OSError."""
    if file.stat().st_size > MOST_BYTES:
        return ""
    return file.read_text("utf-8", errors="replace")


def _of_data(address: str, folder: Path) -> SourceMap | None:
    head, _, content = address.partition(",")
    try:
        text = base64.b64decode(content) if head.endswith(";base64") else unquote(content)
        return parsed(json.loads(text), folder)
    except (binascii.Error, ValueError):
        return None


class Originals:
    """Positions of what ran, as positions of the sources.

    held : maps that Node held, by the file that it loaded: of files that were compiled then
    """

    def __init__(self, held: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._maps: dict[str, SourceMap | None] = {}
        for name, data in (held or {}).items():
            file = file_of(name)
            self._maps[file] = parsed(data, Path(file).parent) or of_file(file)

    def _map(self, file: str) -> SourceMap | None:
        """Return the map of a file, which is read once: the next examination reads it again, as the
        program may have been compiled in between.
        """
        if file not in self._maps:
            self._maps[file] = of_file(file)
        return self._maps[file]

    def at(self, url: str, line: int, column: int | None = None) -> tuple[str, int]:
        """Return URL and line of the source; those given where there is no map, and in packages,
        whose files are those that a user can look into.
        """
        if url.startswith("node:") or "/node_modules/" in url or not url:
            return url, line
        file = file_of(url)
        source_map = self._map(file)
        original = source_map.original(line, column) if source_map else None
        if original is None:
            return url, line
        return Path(original[0]).as_uri() if Path(original[0]).is_absolute() else url, original[1]


_SITE = re.compile(r"((?:file://)?/[^()]*?):(\d+):(\d+)(?=\)?$)")


def in_sources(sites: Mapping[str, int], originals: Originals) -> dict[str, int]:
    """Return how often something was asked for by frame of a stack, as text, at the frame's place
    in the source.
    """
    total: dict[str, int] = {}
    for frame, times in sites.items():
        text = frame
        if place := _SITE.search(frame):
            url, line, column = place[1], int(place[2]), int(place[3])
            source, source_line = originals.at(url, line, column - 1)
            if (source, source_line) != (url, line):
                text = f"{frame[: place.start()]}{source}:{source_line}:1{frame[place.end() :]}"
        total[text] = total.get(text, 0) + times
    return total


def file_of(url: str) -> str:
    """Return the path of what ran, which V8 names by a URL or by its path."""
    return unquote(urlsplit(url).path) if url.startswith("file:") else url
