"""Scripts and styles without comments, spaces and long names of locals, which only their authors
need.

esbuild does the work, in one process for all texts that are not known yet. A result is kept in
`_build/minified`, under a digest of the text and of esbuild's version, so a build in which no text
has changed starts no process. The names that scripts see of each other stay: the top level of a
script that is not a module keeps its names.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from lab.errors import LabError
from lab.processes import child
from lab.processes.nodes import program as node_program
from lab.storage import written

_REPOSITORY = Path(__file__).parents[3]  # of this code: a book may be elsewhere
ESBUILD = _REPOSITORY / "node_modules" / "esbuild"
RESULTS = _REPOSITORY / "_build" / "minified"
PATIENCE_S = 600
SMALLER = 0.99  # a text that is small already stays: each pass would give its locals other names
# Licences stay. With `esnext`, no feature of the language is replaced by an older one.
OF_A_TEXT = 65  # the exit code if esbuild has found an error in a text
TRANSFORM = """
const { transformSync } = require(process.argv[1]);
const options = { minify: true, legalComments: "inline", target: "esnext" };
require("node:readline").createInterface({ input: process.stdin }).once("line", (line) => {
  process.stdin.destroy();
  const codes = [];
  for (const [sourcefile, loader, text] of JSON.parse(line)) {
    try {
      codes.push(transformSync(text, { ...options, sourcefile, loader, logLevel: "silent" }).code);
    } catch (error) {
      process.stderr.write(`${sourcefile} could not be minified. ${error.message}`);
      process.exitCode = error.errors?.length ? Number(process.argv[2]) : 1;
      return;
    }
  }
  process.stdout.write(JSON.stringify(codes));
});
"""


def minified(texts: Mapping[str, str]) -> dict[str, str]:
    """Return each text, by its file's name (`page.js`, `page.css`), as a browser needs it. Raises
    LabError with the file and esbuild's words if a text does not parse, and if esbuild fails.
    """
    version = _version()
    files = {name: _result(version, name, text) for name, text in texts.items()}
    codes = {name: file.read_text("utf-8") for name, file in files.items() if file.exists()}
    unknown = [name for name in texts if name not in codes]
    if unknown:
        small_texts = _transformed([(name, _loader(name), texts[name]) for name in unknown])
        for name, code in zip(unknown, small_texts, strict=True):
            codes[name] = code
            with suppress(written.NotWritten):  # the next build makes it again
                written.write(files[name], code.encode())
    return codes


def put(folder: Path) -> None:
    """Make the scripts and styles of a site's `_static` small. Folders in it have what others made
    small, and what a page loads only when its reader runs a program.
    """
    files = sorted([*folder.glob("*.js"), *folder.glob("*.css")])
    texts = {file.name: _text(file) for file in files}
    for name, code in minified(texts).items():
        if len(code) < SMALLER * len(texts[name]):
            written.write(folder / name, code.encode())


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise LabError(
            f"{file.name} could not be minified. Its byte {error.start} is not UTF-8, so save the "
            "file in UTF-8."
        ) from None


def _version() -> str:
    try:
        return str(json.loads((ESBUILD / "package.json").read_text("utf-8"))["version"])
    except OSError:
        raise LabError(
            "The scripts of the site could not be minified because esbuild is not installed. "
            "Install it with: npm ci"
        ) from None


def _result(version: str, name: str, text: str) -> Path:
    parts = (version, TRANSFORM, _loader(name), text)
    return RESULTS / hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _loader(name: str) -> str:
    return name.rpartition(".")[2]


def _transformed(texts: Sequence[tuple[str, str, str]]) -> list[str]:
    """Return the small form of (name, loader, text) each."""
    process = child.run_to_end(
        [node_program(), "-e", TRANSFORM, str(ESBUILD / "lib" / "main.js"), str(OF_A_TEXT)],
        PATIENCE_S,
        name="esbuild",
        env={"NODE_OPTIONS": ""},
        line=json.dumps(texts),
    )
    if process.returncode == OF_A_TEXT:
        raise LabError(
            f"{child.shown(process.stderr)}\nMend the text in the place that esbuild names."
        )
    if process.returncode:
        raise LabError(
            f"{child.shown(process.stderr)}\nThe scripts of the site could not be minified because "
            "esbuild does not run. Install it again with: npm ci"
        )
    return list(json.loads(process.stdout))
