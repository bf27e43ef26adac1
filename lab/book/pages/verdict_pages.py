"""A small page for each verdict, `verdict/ID.html`: what a link to the verdict is shown with
elsewhere. A published site has them: one whose address is set.

A browser sends no server the part of an address after `#`, so a program that previews the link of
a claim's box would find the title and the picture of the whole page. The small page names sentence,
verdict and picture, and forwards a reader to the box or the card by a script (forward.js). Meta
refresh does the same without a script, but some of these programs follow it. `make cards` draws the
picture; until then, a verdict has that of the site.
"""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin

from lab.book.pages.cards import HTML, ONE, marks
from lab.book.pages.reviews import title_of
from lab.book.pages.verdicts import judged
from lab.book.pipeline.build import Build
from lab.book.site import policy
from lab.book.site.pagefacts import CARD, CARD_ALT
from lab.claims import Claim
from lab.display.claims import anchor, finding, verdict_sentence
from lab.judging import judge
from lab.storage import written
from lab.text.phrasing import capital, unbroken

FOLDER = "verdict"
FORWARD = "forward.js"
VERDICTS = "book/verdicts"


def write(build: Build, out: Path, *, address: str, project: str) -> None:
    """Write the page of each verdict of this build. address : of the site, with a slash at its end;
    without one there are no such pages.
    """
    shutil.rmtree(out / FOLDER, ignore_errors=True)
    if not address:
        return
    written.write(out / FOLDER / FORWARD, Path(__file__).with_name(FORWARD).read_bytes())
    has_card = (out / CARD).exists()
    for published in (True, False):
        for c in judged(build, published=published):
            if "value" not in c:  # noted by something other than lab.claim
                continue
            name = f"{FOLDER}/{c['id']}.html"
            page = {
                **_page(c),
                "site": project,
                "address": urljoin(address, quote(name)),
                "canonical": urljoin(address, f"{_place(c)}.html"),
                "card": urljoin(address, CARD) if has_card else "",
                "card_alt": CARD_ALT,
            }
            html = policy.protect(str(HTML.verdict_page(page, 100 * ONE)), name, has_text=True)
            written.write(out / name, html.encode())


def _place(c: dict[str, Any]) -> str:
    """Return the page with the card of a published claim, or with the box of another one."""
    return VERDICTS if c.get("source") else str(c["chapter"])


def _page(c: dict[str, Any]) -> dict[str, Any]:
    claim = as_claim(c)
    # A false sentence is quoted, also where it stands alone.
    sentence = unbroken(claim.sentence if claim.holds else f"“{claim.sentence}”")
    word = capital(claim.verdict)
    return {
        "forward": f"../{quote(_place(c))}.html#{anchor(c['id'])}",
        "tone": judge.tone(claim.verdict),
        "word": word,
        "title": f"{word}: {sentence}",
        "sentence": sentence,
        "found": unbroken(" ".join(finding(claim))),
        "verdict": unbroken(verdict_sentence(claim)),
        "who": claim.source or claim.quoted or title_of(c["chapter"]),
        "marks": marks(c) if isinstance(c["value"], dict) else None,
    }


def as_claim(c: dict[str, Any]) -> Claim:
    """Return a claim that a chapter noted; JSON has no number for what could not be computed."""
    value = c["value"]
    if isinstance(value, dict):
        ends = {"estimate": math.nan, "low": -math.inf, "high": math.inf, "p": math.nan}
        known = {k: v for k, v in value.items() if not (k in ends and v is None)}
        value = {**ends, **known}
    return Claim.from_json({**c, "value": value})
