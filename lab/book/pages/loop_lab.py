"""The Loop Lab, `{build-status} loop-lab`: any program on a model of Node, and traces of one's own.

The element is filled by the script that a page of the lab loads (lab/simulator/page/lab.js).
"""

from __future__ import annotations

from lab.book.pipeline.build import Build
from lab.book.site import placeholders
from lab.book.site.placeholders import Html
from lab.simulator import bundle

LAB = """<div class="lab-loop-lab"><p>{without}</p></div>"""
DROP = '<loop-replay drop id="your-trace"></loop-replay>'
WITHOUT = (
    "With JavaScript switched on, you can write a program here and run it on a model of Node "
    "{nodes}. Without it, <code>python -m lab model FILE</code> in the folder of the book prints "
    "the same orders."
)
NONE = (
    "This site was built on a machine without Node 22, 24 or 26, so it has no model. Install "
    "them with <code>make nodes</code>, then build the book again."
)


def lab(build: Build) -> Html:
    """Return the element of the lab."""
    here = sorted(bundle.here())
    names = (
        ", ".join(map(str, here[:-1])) + f" or {here[-1]}" if here[1:] else "".join(map(str, here))
    )
    return Html(LAB.format(without=WITHOUT.format(nodes=names) if here else NONE))


def drop(build: Build) -> Html:
    """Return the place where a trace file is opened."""
    return Html(DROP)


MAKERS: dict[str, placeholders.Maker] = {"loop-lab": lab, "trace-drop": drop}
