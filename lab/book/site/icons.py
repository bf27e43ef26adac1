"""Of the theme's icons only those that pages show: a font of 3 kB for one of 156, a shorter CSS.

Font Awesome's font and the rules that name its 2,000 characters were more than half of a page.
"""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
from pathlib import Path

from lab.storage import written

FONT = "vendor/fontawesome/webfonts/fa-solid-900.ttf"
NAME = re.compile(r"\bfa-[a-z0-9-]+")
# `.fa-bars:before,.fa-navicon:before{content:"\f0c9"}`
RULE = re.compile(r"((?:\.fa-[a-z0-9-]+::?before,?)+)\{content:\"\\[0-9a-f]+(?:\\[0-9a-f]+)?\"\}")
CODE = re.compile(r"\\(f[0-9a-f]{3}|2b)\b")
SOURCE = re.compile(r"src:url\([^)]*fa-solid-900\.woff2\)[^;}]*")


def keep_used(out: Path, cache: Path) -> None:
    """Cut the theme's icon font and its CSS in `out` down to what the pages there show. `cache`
    holds fonts made before: the theme's files are copied again by every build.
    """
    static = out / "_static"
    theirs = static / FONT
    sheets = [file for file in static.rglob("*.css") if SOURCE.search(file.read_text("utf8"))]
    if not theirs.is_file() or not sheets:
        return
    texts = [*out.rglob("*.html"), *static.glob("*.js"), *static.glob("scripts/*.js")]
    used = {name for file in texts for name in NAME.findall(file.read_text("utf8"))}

    def rule(found: re.Match[str]) -> str:
        return found[0] if used.intersection(NAME.findall(found[1])) else ""

    cut = {file: RULE.sub(rule, file.read_text("utf8")) for file in sheets}
    others = [file.read_text("utf8") for file in static.rglob("*.css") if file not in cut]
    codes = sorted({code for css in [*cut.values(), *others] for code in CODE.findall(css)})
    font = _subset(theirs, codes, cache)
    shutil.copyfile(font, static / "icons.woff")
    for file, css in cut.items():
        up = "../" * (len(file.relative_to(static).parts) - 1)
        written.write(file, SOURCE.sub(f'src:url({up}icons.woff) format("woff")', css).encode())


def _subset(font: Path, codes: list[str], cache: Path) -> Path:
    # Copyright and licence stay. The family's name is reserved: a part of the font may not bear it.
    kept = [0, 13, 14]
    key = hashlib.sha256(font.read_bytes() + repr((codes, kept)).encode()).hexdigest()[:16]
    made = cache / f"icons-{key}.woff"
    if not made.exists():
        # Comes with matplotlib.
        from fontTools.subset import Options, Subsetter, load_font, save_font

        logging.getLogger("fontTools").setLevel(logging.WARNING)  # else it tells the console

        options = Options(flavor="woff", layout_features=[], name_IDs=kept)
        loaded = load_font(str(font), options)
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=[int(code, 16) for code in codes])
        subsetter.subset(loaded)
        cache.mkdir(parents=True, exist_ok=True)
        for old in cache.glob("icons-*.woff"):
            old.unlink()
        save_font(loaded, str(made), options)
    return made
