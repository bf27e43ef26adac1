"""Of the styles that others wrote only the rules that a page of this site can meet.

The theme brings the whole of Bootstrap along, and MyST-NB and the extensions what any book might
use: of 420 kB of rules nine tenths name classes that no page here has and no script sets.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from lab import paths
from lab.simulator import bundle
from lab.storage import written
from lab.widgets import parts

LOADS = "page.js"
OUR_OWN = paths.ROOT / "book" / "_static"
# Also inside the data of a component, where quotes are written otherwise.
_NAMED = re.compile(r"""\b(?:class|id)=(?:\\?["']|&quot;|&#34;)([^"'\\&<>]*)""")
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_NAME = re.compile(r"[.#](-?[A-Za-z_](?:[\w-]|\\.)*)")
_ATTRIBUTE = re.compile(r"\[[^\]]*\]")
# What ends a run of characters that mean nothing here; strings, comments and url() are one token.
_TOKEN = re.compile(
    r"""/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|url\([^"')][^)]*\)|\\.|[^"'/\\{};u]+|.""",
    re.DOTALL,
)
_ASKED = re.compile(r"(?<=/)([\w.-]+\.(?:css|js))\?\w+=(\w+)")
_GROUPS = ("@media", "@supports", "@layer", "@container")


def keep_used(out: Path) -> None:
    """Cut the styles of others in `out` down to what its pages and scripts name; of the book's
    own styles only the comments go.
    """
    static = out / "_static"
    scripts = (script for script in static.rglob("*.js") if not _is_simulator(script))
    used_names = names(
        (page.read_text("utf8") for page in _pages(out)),
        (script.read_text("utf8") for script in scripts),
    )
    ours = {file.name for file in OUR_OWN.glob("*.css")}
    for sheet in static.rglob("*.css"):
        if sheet.name not in parts.names() and not _is_simulator(sheet):
            css = sheet.read_text("utf8")
            kept = without_comments(css) if sheet.name in ours else cut(css, used_names)
            if kept != css:
                written.write(sheet, kept.encode())


def _is_simulator(file: Path) -> bool:
    """Return whether a file is loaded only where a reader runs a program, with its own styles."""
    return file.parent.name.startswith(bundle.FOLDER)


def name_by_content(out: Path) -> None:
    """Let every page ask for its styles and scripts by what they are now: what is left of a style
    depends on all pages, scripts of others were mended, and a browser that kept an earlier one has
    to ask again. What a script of every page loads later (LOADS) is named in that script.
    """
    static = out / "_static"
    files = [*static.rglob("*.css"), *static.rglob("*.js")]
    now = {file.name: _digest(file) for file in files}
    loader = static / LOADS
    if loader.exists():
        _name(loader, now)
        now[LOADS] = _digest(loader)
    for page in _pages(out):
        _name(page, now)


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:8]


def _name(file: Path, now: Mapping[str, str]) -> None:
    text = file.read_bytes().decode()
    named = _ASKED.sub(lambda found: f"{found[1]}?v={now.get(found[1], found[2])}", text)
    if named != text:
        written.write(file, named.encode())


def _pages(out: Path) -> list[Path]:
    return [page for page in out.rglob("*.html") if "_static" not in page.parts]


def names(pages: Iterable[str], scripts: Iterable[str]) -> frozenset[str]:
    """Return the classes and ids that pages have and those that scripts may set: any word."""
    found = {name for html in pages for some in _NAMED.findall(html) for name in some.split()}
    return frozenset(found.union(word for text in scripts for word in _WORD.findall(text)))


def without_comments(css: str) -> str:
    """Return a style sheet without what only its authors read; licences stay."""
    tokens = _TOKEN.findall(css)
    return "".join(one for one in tokens if not one.startswith("/*") or one.startswith("/*!"))


def cut(css: str, used: Collection[str]) -> str:
    """Return a style sheet without the selectors that need a class or an id which is not used."""
    return "".join(_kept(css, used))


def _kept(css: str, used_names: Collection[str]) -> Iterator[str]:
    for head, body in _rules(css):
        if head.startswith("/*!"):
            yield head  # a licence
        elif body is None or (head.startswith("@") and not head.startswith(_GROUPS)):
            yield head if body is None else f"{head}{{{body}}}"
        elif head.startswith("@"):
            if inside := cut(body, used_names):
                yield f"{head}{{{inside}}}"
        elif kept := [one for one in _selectors(head) if _may_match(one, used_names)]:
            yield f"{','.join(kept)}{{{body}}}"


def _rules(css: str) -> Iterator[tuple[str, str | None]]:
    """Give what stands before each block and the block; a statement and a licence have none."""
    depth, head, body = 0, "", ""
    for token in _TOKEN.findall(css):
        if token.startswith("/*"):
            if token.startswith("/*!") and not depth:
                yield token, None
            continue
        depth -= token == "}"
        if depth:
            body += token
        elif token == "}":
            yield head.strip(), body.strip()
            head = body = ""
        elif token == ";":
            yield f"{head.strip()};", None
            head = ""
        elif token != "{":
            head += token
        depth += token == "{"


def _selectors(head: str) -> Iterator[str]:
    """Give the selectors of a list; a comma in brackets separates none."""
    depth, selector = 0, ""
    for char in head:
        depth += (char in "([") - (char in ")]")
        if char == "," and not depth:
            yield selector.strip()
            selector = ""
        else:
            selector += char
    yield selector.strip()


def _may_match(selector: str, used_names: Collection[str]) -> bool:
    """Return whether an element may have all that is asked for, as far as it is not in brackets."""
    plain = _ATTRIBUTE.sub("", selector)
    while (shorter := re.sub(r"\([^()]*\)", "", plain)) != plain:
        plain = shorter
    return all(re.sub(r"\\(.)", r"\1", name) in used_names for name in _NAME.findall(plain))
