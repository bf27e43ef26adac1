"""`python -m lab results`: the result file of this machine, made from what lies here already.

Verdicts come from builds, and from pages that ran by themselves, where the cells were as they are
in the chapters. Arms also come from notebooks: of those it takes what asked the same question as
the book.
"""

from __future__ import annotations

from lab import claims, paths, settings
from lab.book.pages.yours import results
from lab.book.pipeline.build import Build, ShownChapter
from lab.book.pipeline.run import default_output
from lab.book.pipeline.variant import Variant, cached
from lab.errors import LabError
from lab.text.numbers import count


def collect() -> str:
    """Write data/runs/my-results.json; return where it is, what is in it and what it is good for.

    Raises LabError if nothing was measured here, or in a mode or profile without results.
    """
    if settings.mode() != "live" or not settings.profile().verdicts:
        raise LabError(
            f"With LAB_MODE={settings.mode()} and LAB_PROFILE={settings.profile().name}, "
            "nothing is measured on this machine. Unset both."
        )
    folder = default_output()
    variant = Variant(paths.ROOT, folder)
    shown = {name: _newest(variant, name) for name in sorted(_executed(variant))}
    build = Build(paths.ROOT, folder, variant.mode, variant.profile, shown)
    my_results = results.of_build(build)
    claim_count, arms = len(my_results["claims"]), len(my_results["arms"])
    if not claim_count and not arms:
        raise LabError(
            "Nothing has been measured here yet. Run `make book`, or run cells on a page of "
            "`make live`, and then repeat this command."
        )
    file = results.save(my_results, results.MINE)
    page = build.folder / "html" / "book" / "yours.html"
    mine = results.save_sitting(my_results, results.MY_SITTING)
    sitting = (
        [
            f"{paths.relative(mine)}: the intervals alone, in {mine.stat().st_size:,} bytes. "
            f"A pull request that adds it to {paths.relative(claims.SITTINGS)} puts this machine "
            "on the page “Across Machines”."
        ]
        if mine
        else []
    )
    lines = [
        f"{paths.relative(file)}: {count(claim_count, 'claim')} and {count(arms, 'arm')} in "
        f"{file.stat().st_size:,} bytes, profile {build.profile}.",
        f"Compared with the book: {page.as_uri()}"
        if page.exists()
        else "`make book` builds the page that compares it with the book.",
        "Or drop it onto the page “Yours beside the book's” of the published book.",
        *sitting,
    ]
    return "\n".join(lines)


def _executed(variant: Variant) -> set[str]:
    """The chapters that were executed here and still exist."""
    folder = variant.records.folder
    found = {f.relative_to(folder).with_suffix("").as_posix() for f in folder.rglob("*.json")}
    return {
        name for name in found if (paths.ROOT / f"{name}.md").exists() and variant.records.of(name)
    }


def _newest(variant: Variant, name: str) -> ShownChapter:
    record = variant.records.of(name)[0]
    return ShownChapter("measured", record.code, record.token, variant.name, cached(name, record))
