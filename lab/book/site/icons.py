"""Of the theme's icons only those that pages show: a font of 3 kB for one of 156.

The rules that name the other 2,000 characters are gone by then (styles.py).
"""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
from pathlib import Path

from lab.storage import written

FONT = "vendor/fontawesome/webfonts/fa-solid-900.ttf"
CODE = re.compile(r"\\(f[0-9a-f]{3}|2b)\b")
SOURCE = re.compile(r"src:url\([^)]*fa-solid-900\.woff2\)[^;}]*")


def keep_used(out: Path, cache: Path) -> None:
    """Cut the theme's icon font in `out` down to the characters that its styles name. `cache` holds
    fonts made before: the theme's files are copied again by every build.
    """
    static = out / "_static"
    theirs = static / FONT
    sheets = {file: file.read_text("utf8") for file in static.rglob("*.css")}
    naming = {file: css for file, css in sheets.items() if SOURCE.search(css)}
    if not theirs.is_file() or not naming:
        return
    codes = sorted({code for css in sheets.values() for code in CODE.findall(css)})
    font = _subset(theirs, codes, cache)
    shutil.copyfile(font, static / "icons.woff")
    for file, css in naming.items():
        up = "../" * (len(file.relative_to(static).parts) - 1)
        written.write(file, SOURCE.sub(f'src:url({up}icons.woff) format("woff")', css).encode())


def _subset(font: Path, codes: list[str], cache: Path) -> Path:
    # Copyright and licence stay. The family's name is reserved: a part of the font may not bear it.
    name_ids = [0, 13, 14]
    key = hashlib.sha256(font.read_bytes() + repr((codes, name_ids)).encode()).hexdigest()[:16]
    subset_file = cache / f"icons-{key}.woff"
    if not subset_file.exists():
        # Comes with matplotlib.
        from fontTools.subset import Options, Subsetter, load_font, save_font

        logging.getLogger("fontTools").setLevel(logging.WARNING)  # else it tells the console

        options = Options(flavor="woff", layout_features=[], name_IDs=name_ids)
        source_font = load_font(str(font), options)
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=[int(code, 16) for code in codes])
        subsetter.subset(source_font)
        cache.mkdir(parents=True, exist_ok=True)
        for old in cache.glob("icons-*.woff"):
            old.unlink()
        save_font(source_font, str(subset_file), options)
    return subset_file
