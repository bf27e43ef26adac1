"""The Sphinx side of the build; in _config.yml, so that a bare `jupyter-book build .` has it too.

Order within one pass: `_only_toc` -> `_start` -> `_outdated` -> for each page read: `_begin` ->
`_all_read` -> pages are written, `filled` puts in what happened -> `_finish`. No cell runs while
pages are read: `lab_build` has what they show, and where nobody has set it `_start` runs what is
stale.
"""

from __future__ import annotations

import copy
import hashlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util.matching import get_matching_files

from lab.book.pages import (
    across_page,
    card,
    cards,
    front,
    lessons,
    loop_lab,
    machines_page,
    predictions,
    projects,
    reviews,
    status,
    systems,
    ticks,
    verdict_pages,
    verdicts,
)
from lab.book.pages.yours import page as yours
from lab.book.pages.yours import results
from lab.book.pipeline import chapter, report, toc
from lab.book.pipeline.build import Build
from lab.book.pipeline.engine import Engine
from lab.book.pipeline.locks import PagesLock
from lab.book.site import (
    assets,
    cells,
    claim_cells,
    listings,
    long_parts,
    mathml,
    pictures,
    placeholders,
    provenance_line,
    record_files,
    writer,
)
from lab.errors import LabError
from lab.processes.nodes import anchored
from lab.text.numbers import count

# One process resolves the next pages while the others write, and more would only wait for it.
# Sphinx forks them, which the libraries of macOS may not survive.
WRITERS = 3 if sys.platform == "linux" and (os.cpu_count() or 1) > 1 else 1


class BookError(SphinxError):
    """A reason to stop at once, which is reported without a stack."""

    category = "The book can't be built"
    is_told = True  # Sphinx tells this error in its own words


def _code() -> int:
    """Return a digest, as a number, of the code that makes pages. If the code has changed, Sphinx
    reads and writes all pages again, and doesn't open what another version of the code stored.
    """
    files = [file for file in sorted(Path(__file__).parent.rglob("*")) if file.is_file()]
    texts = b"".join(file.read_bytes() for file in files if file.suffix in {".py", ".html"})
    return int.from_bytes(hashlib.sha256(texts).digest()[:6])


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the events."""
    # Jupyter Book always sets this option of an extension that this book does not load.
    app.add_config_value("comments_config", {}, "")
    app.add_config_value("lab_build", None, "")
    app.connect(
        "config-inited", _only_toc, priority=900
    )  # later than sphinx_external_toc, which reads _toc.yml
    app.connect("builder-inited", _start)
    app.connect("env-get-outdated", _outdated)
    app.connect("source-read", _begin, priority=900)
    app.connect("env-purge-doc", _forget)
    app.connect("env-updated", _all_read)
    app.connect("build-finished", _finish, priority=900)
    cells.setup(app)
    claim_cells.setup(app)
    listings.setup(app)
    long_parts.setup(app)
    mathml.setup(app)
    pictures.setup(app)
    provenance_line.setup(app)
    writer.setup(app)
    makers = (
        *(status, record_files, verdicts, cards, systems, predictions, projects),
        *(yours, lessons, across_page, loop_lab, machines_page, front),
    )
    placeholders.setup(
        app,
        {name: make for module in makers for name, make in module.MAKERS.items()},
        reviews.MAKERS,
    )
    app.connect("html-page-context", yours.add_assets)
    assets.setup(app)
    return {
        "version": "1",
        "env_version": _code(),
        "parallel_read_safe": False,
        "parallel_write_safe": True,
    }


def _only_toc(app: Sphinx, config: Config) -> None:
    try:
        toc.pages()
    except LabError as error:
        raise BookError(str(error)) from None
    listed = set(config.external_site_map)
    for name in get_matching_files(app.srcdir, config.include_patterns, config.exclude_patterns):
        stem, dot, suffix = name.rpartition(".")
        if dot + suffix in config.source_suffix and not {name, stem} & listed:
            config.exclude_patterns = [*config.exclude_patterns, name]


def _start(app: Sphinx) -> None:
    os.environ.update(anchored())
    build: Build | None = app.config.lab_build
    try:
        # A copy, because pages store data in it that doesn't belong to the configuration that
        # Sphinx stores.
        app.lab_build = copy.copy(build) if build else _run(app)  # type: ignore[attr-defined]
        app.lab_lock = PagesLock(app.lab_build.folder)  # type: ignore[attr-defined]
    except LabError as error:
        _close(app)
        raise BookError(str(error)) from None


def _run(app: Sphinx) -> Build:
    """Run the stale chapters if no other process has done so: in a bare `jupyter-book build .`"""
    engine = Engine(Path(app.outdir).parent, Path(app.config.external_toc_path))
    app.lab_engine = engine.__enter__()  # type: ignore[attr-defined]
    engine.tell_cached()
    for _ in engine.run():
        pass  # the error has already been reported
    return engine.build()


def _close(app: Sphinx) -> None:
    if engine := getattr(app, "lab_engine", None):
        engine.__exit__()


def _tokens(env: BuildEnvironment) -> dict[str, str | None]:
    if not hasattr(env, "lab_tokens"):
        env.lab_tokens = {}  # type: ignore[attr-defined]
    return env.lab_tokens  # type: ignore[attr-defined]


def _saved(env: BuildEnvironment) -> dict[str, int]:
    """Return when each page was last saved before it was read, in nanoseconds. Sphinx keeps the
    time after reading instead, so it would miss a page that is saved while its cells run.
    """
    if not hasattr(env, "lab_saved"):
        env.lab_saved = {}  # type: ignore[attr-defined]
    return env.lab_saved  # type: ignore[attr-defined]


def _saved_ns(env: BuildEnvironment, docname: str) -> int:
    path = Path(env.doc2path(docname))
    return path.stat().st_mtime_ns if path.exists() else 0


def _outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    build: Build = app.lab_build  # type: ignore[attr-defined]
    tokens = {name: shown.token for name, shown in build.shown.items()}
    return [
        *(name for name, token in _tokens(env).items() if token != tokens.get(name)),
        *(name for name, ns in _saved(env).items() if ns != _saved_ns(env, name)),
    ]


def _begin(app: Sphinx, docname: str, content: list[str]) -> None:
    _saved(app.env)[docname] = _saved_ns(app.env, docname)
    build: Build = app.lab_build  # type: ignore[attr-defined]
    token = build.token_for(docname, _cells(app, docname, content[0]))
    _tokens(app.env)[docname] = token
    if token:
        content[0] = chapter.with_token(content[0], token)
    # A pattern: MyST-NB shows the outputs of these chapters and doesn't execute them.
    alone = [] if token else [f"{docname}.md"]
    app.env.mystnb_config.execution_excludepatterns = alone  # type: ignore[attr-defined]


def _cells(app: Sphinx, docname: str, text: str) -> str:
    """Return the digest of the cells of a page, "" if it has none."""
    try:
        parsed = chapter.parse(docname, text, str(app.env.doc2path(docname)))
    except LabError as error:
        raise BookError(str(error)) from None
    return parsed.code if parsed else ""


def _forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    _tokens(env).pop(docname, None)
    _saved(env).pop(docname, None)


def _all_read(app: Sphinx, env: BuildEnvironment) -> list[str]:
    build: Build = app.lab_build  # type: ignore[attr-defined]
    # Only now, because Sphinx would otherwise warn while pages are read one after another.
    app.parallel = WRITERS
    if app.lab_lock.torn:  # type: ignore[attr-defined]  # what was read then may not have been written
        return sorted(env.found_docs)
    return [*placeholders.changed(env, build), *provenance_line.changed(app)]


def _finish(app: Sphinx, exception: Exception | None) -> None:
    build: Build | None = getattr(app, "lab_build", None)
    if build is None:
        return
    try:
        ok = _tell(app, build) and exception is None
        if build.is_last and not ok:
            app.statuscode = 1
        if not ok or app._warncount:
            # Sphinx warns about a page when it reads the page. Without this, the next pass would
            # read only changed pages, and a wrong book would pass at the second attempt.
            (Path(app.doctreedir) / ENV_PICKLE_FILENAME).unlink(missing_ok=True)
        if exception is None and app.builder.format == "html":
            if build.is_last:  # a site that is moved to its place must be complete
                card.write(build, app.config.html_title or app.config.project, Path(app.outdir))
            ticks.write(build, Path(app.outdir))
            assets.finish(app)
            address, name = app.config.html_baseurl, app.config.project
            verdict_pages.write(build, Path(app.outdir), address=address, project=name)
            _write_results(app, build, ok and build.is_last)
        about = {"ok": ok and build.is_last, "warnings": app._warncount}
        build.write_report(build.folder / "build.json", **about)
        if exception is None and app.builder.format == "html":
            shutil.copyfile(build.folder / "build.json", Path(app.outdir) / "build.json")
        app.lab_lock.end(whole=exception is None)  # type: ignore[attr-defined]
    finally:
        _close(app)


def _tell(app: Sphinx, build: Build) -> bool:
    """Report at the end of a build which chapters have errors. Return whether none has."""
    if not build.is_last:
        return True
    outcomes = list(build.outcomes.values())
    failures = [o.failure for o in outcomes if o.failure]
    if failures:
        report.say(f"\n{count(len(failures), 'chapter')} failed:\n")
        for failure in failures:
            report.say(failure.text())
    claims = report.not_held(outcomes)
    for line in claims:
        report.say(line)
    return not failures and not (claims and build.profile == "reference" and build.mode == "live")


def _write_results(app: Sphinx, build: Build, ok: bool) -> None:
    """Write the result files, where the book has the pages that read or offer them."""
    filled_pages: dict[str, list[str]] = getattr(app.env, "lab_filled_pages", {})
    if any("versions-about" in makers for makers in filled_pages.values()):
        across_page.write(Path(app.outdir))
    if not any("yours-file" in makers for makers in filled_pages.values()):
        return
    try:
        assets.readable_from_disk(results.write(build, Path(app.outdir), whole=ok))
    except LabError as error:
        raise BookError(str(error)) from None
