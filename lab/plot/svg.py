"""matplotlib's SVG made small, safe to inline many times, and obedient to the page's theme.

What comes out of matplotlib carries a header, ids that clash between figures, a style on every
glyph and coordinates to a millionth of a pixel. `compact` keeps the drawing and drops the rest.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html import escape

from lab.plot.palette import SENTINELS, variable

_NS = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
_ROTATE_0 = re.compile(r"^rotate\(-?0(\.0+)?[ ,][^)]*\)$")
_DROP_TAGS = {"metadata", "style", "title", "desc"}
# The defaults of SVG, and the properties that the style of the page sets.
_DEFAULTS = {
    "stroke-linecap": "butt",
    "stroke-linejoin": "miter",
    "stroke-width": "1",
    "opacity": "1",
    "fill-opacity": "1",
    "stroke-opacity": "1",
    "text-anchor": "start",
    "font-weight": "400",
    "font-style": "normal",
}
# A class that begins with this is ours. All other ids and names of matplotlib are dropped.
_OURS = "lab-"


def compact(source: str, *, prefix: str, font_px: float) -> str:
    """Return the inner markup of a figure: no header, ids prefixed, colours as CSS variables.

    source : the SVG text matplotlib wrote; prefix : what every id starts with, unique on the page;
    font_px : the size the surrounding `<svg>` sets, left out where a text has just this size.
    """
    root = ET.fromstring(source)
    return "".join(_emit(child, prefix, font_px) for child in root)


def view_box(source: str) -> tuple[float, float]:
    """Return width and height of matplotlib's view box, in pixels."""
    box = ET.fromstring(source).attrib["viewBox"].split()
    return float(box[2]), float(box[3])


def shorten(text: str, digits: int = 1) -> str:
    """Return the text with every decimal number rounded: `12.345678` becomes `12.3`."""

    def one(match: re.Match[str]) -> str:
        value = f"{round(float(match.group()), digits):.{digits}f}".rstrip("0").rstrip(".")
        return "0" if value in ("-0", "") else value

    return _NUMBER.sub(one, text)


def theme(text: str) -> str:
    """Return the text with sentinel colours replaced by CSS variables; other hex is an error."""
    return _HEX.sub(lambda match: variable(match.group()), text)


def _emit(node: ET.Element, prefix: str, font_px: float) -> str:
    # matplotlib repeats each label in a comment, and the tag of a comment is not a string.
    tag = node.tag.removeprefix(_NS) if isinstance(node.tag, str) else "style"
    if tag in _DROP_TAGS:
        return ""
    attributes = _attributes(tag, node, prefix, font_px)
    inner = escape(node.text or "", quote=False) if tag in {"text", "tspan"} else ""
    inner += "".join(_emit(child, prefix, font_px) for child in node)
    if (tag in {"g", "defs"} and not inner) or (tag == "path" and _invisible(attributes)):
        return ""
    if tag == "g" and not attributes:
        return inner
    written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    return f"<{tag}{written}>{inner}</{tag}>" if inner else f"<{tag}{written}/>"


def _attributes(tag: str, node: ET.Element, prefix: str, font_px: float) -> dict[str, str]:
    written = (_attribute(tag, key, value, prefix, font_px) for key, value in node.attrib.items())
    return {key: value for key, value in written if value}


def _attribute(tag: str, key: str, value: str, prefix: str, font_px: float) -> tuple[str, str]:
    """Return one attribute as it is written; an empty value leaves it out."""
    if (
        key == "id" and tag == "g"
    ):  # a group loses its id, and the id of one of our groups becomes a class
        key, value = "class", value.split("--", maxsplit=1)[0] if value.startswith(_OURS) else ""
    elif key == "id":
        value = f"{prefix}-{value}"
    elif key == _HREF:
        key, value = "href", f"#{prefix}-{value.removeprefix('#')}"
    elif key == "clip-path":
        value = value.replace("url(#", f"url(#{prefix}-")
    elif key == "style":
        value = _style(value, font_px)
    elif key == "d":
        value = _path(shorten(value))
    elif key == "transform" and _ROTATE_0.match(value):
        value = ""
    else:
        value = shorten(value)
    return key, value


def _path(d: str) -> str:
    return re.sub(r"\s*([MLCQZHVz])\s*", r"\1", d.replace("\n", " ")).strip()


def _style(text: str, font_px: float) -> str:
    declarations = []
    for item in text.split(";"):
        key, _, value = (part.strip() for part in item.partition(":"))
        if not key or key == "font-family" or _DEFAULTS.get(key) == value:
            continue
        if key == "font-size" and abs(float(value.removesuffix("px")) - font_px) < 0.05:
            continue
        if key == "stroke" and value == "none":
            continue  # without a stroke SVG strokes nothing
        if key in {"fill", "stroke"}:
            value = theme(value)
        declarations.append(f"{key}:{shorten(value, 2) if '#' not in value else value}")
    return ";".join(declarations)


def _invisible(attributes: dict[str, str]) -> bool:
    style = attributes.get("style", "")
    return "id" not in attributes and "fill:none" in style and "stroke:" not in style


def leftovers(svg: str) -> list[str]:
    """Return the colours of an SVG that would not follow the theme: raw hex, sentinels, names."""
    bare = re.sub(r"var\(--lab-[\w-]+, *(?:var\(--jp-[\w-]+, *)?#[0-9a-f]{6}\)?\)", "", svg)
    bare = re.sub(r"<(style|title|desc)\b.*?</\1>", "", bare, flags=re.S)
    bare = re.sub(r"(?:href=\"|url\()#[\w-]+", "", bare)
    colours = re.findall(r"#[0-9a-fA-F]{3,8}\b|(?:fill|stroke):(?!none)[a-z]+\b(?!\()", bare)
    return [*colours, *(s for s in SENTINELS.values() if s in svg)]
