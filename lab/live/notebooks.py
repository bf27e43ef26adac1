"""Chapters in JupyterLab: their glued numbers and footnotes can be read there, too.

JupyterLab shows `{glue:text}` as the bare name, and a footnote whose text stands in another cell
not at all. So a chapter that is opened as a notebook has the numbers of the built page filled in,
and its footnotes numbered; when it is saved, both are what they were. A cell that runs there puts
its own numbers in: `notebook/static/glued.js`, an extension of JupyterLab.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from lab.live import places

PREFIX = "application/papermill.record/text/plain"
GLUED = re.compile(r"\{glue:text\}`([^`]+)`")
FILLED = re.compile(r"\[(?:[^\]\\]|\\.)*\]\(#glue:([^)\s]+)\)")
NOTE = re.compile(r"(?!^\[\^[\w-]+\]: )\[\^([\w-]+)\]", re.MULTILINE)
NOTE_TEXT = re.compile(r"^\[\^([\w-]+)\]: ", re.MULTILINE)
NUMBERED = re.compile(r"\[\[\d+\]\]\(#note:([\w-]+)\)")
NUMBERED_TEXT = re.compile(r"^- \[\[\d+\]\]\(#note:([\w-]+)\) ", re.MULTILINE)
SPECIAL = re.compile(r"([\\`*_\[\]$<])")


def glued(page: str) -> dict[str, str]:
    """Return the numbers of the built page by name; none where it is not built."""
    site = places.site()
    if site is None or places.PAGE.fullmatch(page) is None:
        return {}
    try:
        notebook = json.loads((site / "_sources" / f"{page}.ipynb").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {
        output["metadata"]["scrapbook"]["name"]: _text("".join(output["data"][PREFIX]))
        for cell in notebook["cells"]
        for output in cell.get("outputs", ())
        if PREFIX in output.get("data", ()) and "scrapbook" in output.get("metadata", ())
    }


def filled(sources: list[str], values: Mapping[str, str]) -> list[str]:
    """Return the texts of a notebook's Markdown cells, with numbers and numbered footnotes."""
    numbers: dict[str, int] = {}
    for source in sources:
        for name in NOTE.findall(source):
            numbers.setdefault(name, len(numbers) + 1)

    def number(found: re.Match[str]) -> str:
        name = found[1]
        if name not in values:
            return found[0]
        text = SPECIAL.sub(r"\\\1", values[name])
        return f"[{text}](#glue:{name})"

    def note(found: re.Match[str]) -> str:
        return f"[[{numbers[found[1]]}]](#note:{found[1]})"

    def text(found: re.Match[str]) -> str:
        at = numbers.get(found[1])
        return found[0] if at is None else f"- [[{at}]](#note:{found[1]}) "

    return [NOTE.sub(note, NOTE_TEXT.sub(text, GLUED.sub(number, source))) for source in sources]


def emptied(source: str) -> str:
    """Return the text of a cell as it stands in its file."""
    source = FILLED.sub(r"{glue:text}`\1`", source)
    return NUMBERED.sub(r"[^\1]", NUMBERED_TEXT.sub(r"[^\1]: ", source))


def add_to(manager: Any) -> None:
    """Let a contents manager fill in glued values on opening, and remove them on saving."""
    get, save = manager.get, manager.save

    async def filled_in(path: str, *args: Any, **options: Any) -> Any:
        model = await get(path, *args, **options)
        if cells := _markdown(path, model):
            values = glued(path.strip("/").removesuffix(".md"))
            sources = filled([cell["source"] for cell in cells], values)
            for cell, source in zip(cells, sources, strict=True):
                cell["source"] = source
        return model

    async def taken_out(model: Any, path: str = "", *args: Any, **options: Any) -> Any:
        for cell in _markdown(path, model):
            cell["source"] = emptied(cell["source"])
        return await save(model, path, *args, **options)

    manager.get, manager.save = filled_in, taken_out


def _markdown(path: str, model: Any) -> list[Any]:
    content = model.get("content") if isinstance(model, dict) else None
    if model is None or model.get("type") != "notebook" or not isinstance(content, dict):
        return []
    if not path.endswith(".md"):
        return []
    return [cell for cell in content.get("cells", ()) if cell.get("cell_type") == "markdown"]


def _text(literal: str) -> str:
    """Return a value that a kernel glued: a text is quoted, a number is not."""
    try:
        return str(ast.literal_eval(literal)) if literal[:1] in "'\"" else literal
    except (SyntaxError, ValueError):
        return literal
