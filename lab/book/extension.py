"""The Sphinx side of the build; in _config.yml, so that a bare `jupyter-book build .` has it too.

Order within one build: `_only_toc` -> `_start` -> `_outdated` -> `_before_reading` -> for each page
read: `_begin`, its cells run or come from the cache, `_end` -> `_all_read` -> pages are written,
`filled` puts in what happened -> `_finish`. With `lab_turn` no cell runs: it says what to show.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util.matching import get_matching_files

from lab import paths
from lab.book.pages import (
    across_page,
    card,
    cards,
    lessons,
    predictions,
    reviews,
    status,
    systems,
    verdicts,
)
from lab.book.pages.yours import page as yours
from lab.book.pages.yours import results
from lab.book.pipeline import cache_repair, report, toc
from lab.book.pipeline.build import Build
from lab.book.pipeline.executor import AT_ONCE, BESIDE, Ahead
from lab.book.pipeline.showing import DOUBTED, Showing
from lab.book.site import (
    assets,
    cells,
    mathml,
    pictures,
    placeholders,
    provenance_line,
    published,
    writer,
)
from lab.errors import LabError
from lab.kernels.forks import provisioner
from lab.processes.nodes import anchored
from lab.text.numbers import count

# One resolves the next pages while the others write; more would wait for it. Sphinx forks them,
# which libraries of macOS do not promise to survive.
WRITERS = 3 if sys.platform == "linux" and (os.cpu_count() or 1) > 1 else 1


class BookError(SphinxError):
    """A reason to stop at once, told without a stack."""

    category = "The book cannot be built"
    is_told = True  # Sphinx tells this error in its own words


def _code() -> int:
    """What this code makes of pages, as a number: where it changed, Sphinx reads and writes all of
    them again, and opens nothing that it kept of another.
    """
    files = [file for file in sorted(Path(__file__).parent.rglob("*")) if file.is_file()]
    texts = b"".join(file.read_bytes() for file in files if file.suffix in {".py", ".html"})
    return int.from_bytes(hashlib.sha256(texts).digest()[:6])


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the events."""
    # Jupyter Book always sets it; it belongs to an extension that this book does not load.
    app.add_config_value("comments_config", {}, "")
    app.add_config_value("lab_turn", None, "")
    app.connect(
        "config-inited", _only_toc, priority=900
    )  # after sphinx_external_toc has read _toc.yml
    app.connect("builder-inited", _start)
    app.connect("env-get-outdated", _outdated)
    app.connect("env-before-read-docs", _before_reading)
    app.connect("source-read", _begin, priority=900)
    app.connect("doctree-read", _end)
    app.connect("env-purge-doc", _forget)
    app.connect("env-updated", _all_read)
    app.connect("build-finished", _finish, priority=900)
    cells.setup(app)
    mathml.setup(app)
    pictures.setup(app)
    provenance_line.setup(app)
    writer.setup(app)
    makers = (
        *(status, published, verdicts, cards, systems, predictions, yours, lessons, across_page),
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
    folder, turn = Path(app.outdir).parent, app.config.lab_turn
    build = Showing(paths.ROOT, folder, turn) if turn else Build(paths.ROOT, folder)
    try:
        build.lock()
        build.writing()
    except LabError as error:
        build.unlock()
        raise BookError(str(error)) from None
    app.lab_build = build  # type: ignore[attr-defined]
    if turn:
        return
    provisioner.use()
    if build.killed:
        cache_repair.repair(Path(app.env.mystnb_config.execution_cache_path))  # type: ignore[attr-defined]


def _tokens(env: BuildEnvironment) -> dict[str, str | None]:
    if not hasattr(env, "lab_tokens"):
        env.lab_tokens = {}  # type: ignore[attr-defined]
    return env.lab_tokens  # type: ignore[attr-defined]


def _saved(env: BuildEnvironment) -> dict[str, int]:
    """When each page was saved last before it was read, in nanoseconds; Sphinx keeps the end of
    reading instead, and a page that is saved while its cells run would stay as it was.
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
    if not build.partial and (build.state / DOUBTED).exists():
        return sorted(env.found_docs)
    stale = [
        name for name, token in _tokens(env).items() if token is None or build.stale(name, token)
    ]
    return stale + [name for name, ns in _saved(env).items() if ns != _saved_ns(env, name)]


def _before_reading(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    build: Build = app.lab_build  # type: ignore[attr-defined]
    docnames[:] = toc.in_order(docnames)  # a reader of the console reads the book with it
    pages = {name: Path(env.doc2path(name)) for name in docnames}
    chapters = {name: p for name, p in pages.items() if "\nkernelspec:" in p.read_text("utf8")}
    build.expected = len(chapters)
    # A quick look measures one thing at a time, too (lab.processes.lock), but nobody reads how fast
    # it was: what else a chapter does may run beside that.
    places = AT_ONCE if build.mode == "replay" else BESIDE if build.profile == "smoke" else 0
    if places:
        nb_config = env.mystnb_config  # type: ignore[attr-defined]
        cache, timeout = Path(nb_config.execution_cache_path), nb_config.execution_timeout
        try:
            build.draw_ahead(chapters, lambda: Ahead(cache, timeout, places))
        except LabError as error:
            raise BookError(str(error)) from None


def _begin(app: Sphinx, docname: str, content: list[str]) -> None:
    _saved(app.env)[docname] = _saved_ns(app.env, docname)
    build: Build = app.lab_build  # type: ignore[attr-defined]
    try:
        content[0] = build.begin(docname, content[0], Path(app.env.doc2path(docname)))
    except LabError as error:
        raise BookError(str(error)) from None
    if isinstance(build, Showing):
        # A pattern, as MyST-NB asks for the chapters whose cells it shows and leaves alone.
        alone = [] if build.fits else [f"{docname}.md"]
        app.env.mystnb_config.execution_excludepatterns = alone  # type: ignore[attr-defined]


def _end(app: Sphinx, doctree: nodes.document) -> None:
    docname = app.env.docname
    executed = getattr(app.env, "nb_metadata", {}).get(docname, {}).get("exec_data")
    notebook = Path(app.outdir).parent / "jupyter_execute" / f"{docname}.ipynb"
    source = Path(app.env.doc2path(docname))
    if "kernelspec" in app.env.metadata.get(docname, {}):
        token = app.lab_build.end(docname, source, notebook, executed)  # type: ignore[attr-defined]
        _tokens(app.env)[docname] = token


def _forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    _tokens(env).pop(docname, None)
    _saved(env).pop(docname, None)


def _all_read(app: Sphinx, env: BuildEnvironment) -> list[str]:
    build: Build = app.lab_build  # type: ignore[attr-defined]
    for name, token in _tokens(env).items():
        if token is not None:
            build.unchanged(name, token)
    # Not from the start: pages are read one after another (see `ahead`), and Sphinx would warn.
    app.parallel = WRITERS
    if build.torn:  # what was read then may not have been written
        return sorted(env.found_docs)
    return [*placeholders.changed(env, build), *provenance_line.changed(app)]


def _finish(app: Sphinx, exception: Exception | None) -> None:
    build: Build | None = getattr(app, "lab_build", None)
    if build is None:
        return
    outcomes = [] if build.partial else list(build.outcomes.values())
    failures = [o.failure for o in outcomes if o.failure]
    claims = report.not_held(outcomes)
    fatal_claims = claims if build.profile == "reference" and build.mode == "live" else []
    ok = exception is None and not failures and not fatal_claims and not build.partial
    try:
        if failures:
            report.say(f"\n{count(len(failures), 'chapter')} failed:\n")
            for failure in failures:
                report.say(failure.text())
        for line in claims:
            report.say(line)
        if not ok and not build.partial:
            app.statuscode = 1
        _doubt(app, build, ok)
        if exception is None and app.builder.format == "html":
            if not build.partial:  # a site that is put somewhere is a whole one
                card.write(build, app.config.html_title or app.config.project, Path(app.outdir))
            assets.finish(app)
            _write_results(app, build, ok)
        build.write_report(build.folder / "build.json", ok=ok, warnings=app._warncount)
        if exception is None and app.builder.format == "html":
            shutil.copyfile(build.folder / "build.json", Path(app.outdir) / "build.json")
        build.written(exception is None)
    finally:
        build.unlock()
        provisioner.let_go()


def _doubt(app: Sphinx, build: Build, ok: bool) -> None:
    """See to it that warnings are told by a build that ends, and by the next one again.

    Sphinx warns about a page when it reads it. Without this the next build would read only what
    has changed, and a book that is wrong would pass at the second attempt.
    """
    if build.partial:
        if app._warncount:  # the last pass reads everything and tells them
            (build.state / DOUBTED).touch()
        return
    (build.state / DOUBTED).unlink(missing_ok=True)
    if not ok or app._warncount:
        (Path(app.doctreedir) / ENV_PICKLE_FILENAME).unlink(missing_ok=True)


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
