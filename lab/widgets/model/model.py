"""Small models that a reader drives: `lab.model("pool")` shows one.

A model is a file of this folder, `NAME.js`: what it begins with, which moves there are, what each
does, and why one is refused. It runs in the reader's browser, and nothing is measured. So its truth
is tested beside Node: `tests/widgets/test_models.py` lets real programs make the same moves.

Without JavaScript the same place tells some moves and what they do, in words that the model itself
has said (`description.mjs`).
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from lab import usage
from lab.errors import LabError, did_you_mean
from lab.plot.provenance import provenance, remarks, trials_of
from lab.processes import nodes
from lab.storage.gate import checked
from lab.text.phrasing import unbroken
from lab.widgets import parts
from lab.widgets.markup import json_script
from lab.widgets.parts import assets

FOLDER = Path(__file__).parent
PREFIX = "model-"  # of the name of the file that a page loads for a model
TOLD_S = 300


@dataclass(frozen=True)
class Model:
    """A model; shows itself with its moves as buttons.

    data : what it shows, if that was measured; notes : where that comes from.
    """

    name: str
    told: dict[str, Any] = field(repr=False)
    data: Any = field(default=None, repr=False)
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return what the element needs."""
        return {"name": self.name, **({} if self.data is None else {"data": self.data})}

    def __repr__(self) -> str:
        lines = [_plain(self.told["title"]), _plain(self.told["ask"])]
        lines += [f"  {one['move']}: {_plain(one['told'])}" for one in self.told["steps"]]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        notes = f'<p class="notes">{escape(unbroken("; ".join(self.notes)))}.</p>'
        bring = assets(f"{PREFIX}{self.name}") + assets("model")
        name = escape(self.name, quote=True)
        return (
            f'{bring}<lab-model name="{name}">{json_script(self.to_json())}{self._fallback()}'
            f"{notes if self.notes else ''}</lab-model>"
        )

    def _fallback(self) -> str:
        description = self.told
        lanes = "".join(f"<li>{lane['lane']}: {lane['text']}</li>" for lane in description["shown"])
        steps = "".join(
            f"<li>{escape(step['move'], quote=False)}: {step['told']}</li>"
            for step in description["steps"]
        )
        return (
            f"<p><strong>{description['title']}</strong></p><p>{description['ask']}</p>"
            + (
                f"<pre><code>{escape(description['code'])}</code></pre>"
                if description["code"]
                else ""
            )
            + f"<ul>{lanes}</ul>"
            + (f"<p>{description['first']}</p>" if description["first"] else "")
            + (f"<p>Some moves, and what they do:</p><ol>{steps}</ol>" if steps else "")
        )


@checked
def model(name: str, data: Any = None, of: object = None) -> Model:
    """Return a model of that name, ready to be driven on the page.

        lab.model("pool")                           jobs and the four threads of libuv's pool
        lab.model("door")                       clients that wait until the server accepts them
        lab.model("draws", data={"draws": draws}, of=comparison)
                                                    a model that shows what was measured

    data : what the model shows, for a model of measured results, as its file describes
    of : the run, or a list of the runs, that the data was made of

    Raises LabError for an unknown name, or data that the model cannot show.
    """
    model_names = names()
    if name not in model_names:
        raise LabError(f"there is no model {name!r}. {did_you_mean(name, model_names)}")
    for file in (f"{name}.js", "model.js", "description.mjs"):
        usage.note_file(FOLDER / file)
    runs = list(of) if isinstance(of, (list, tuple)) else [] if of is None else [of]
    notes = list(dict.fromkeys(text for run in runs for text in provenance(run)))
    return Model(name, _told(name, data), data, (*notes, *remarks(trials_of(runs))))


def names() -> list[str]:
    """Return the names of all models."""
    return sorted(
        name.removeprefix(PREFIX).removesuffix(".js")
        for name in parts.names()
        if name.startswith(PREFIX) and name.endswith(".js")
    )


def _told(name: str, data: Any) -> dict[str, Any]:
    """What a model says by itself, asked from it in Node."""
    process = subprocess.run(
        [nodes.program(), str(FOLDER / "description.mjs"), name],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        timeout=TOLD_S,
        check=False,
    )
    if process.returncode != 0:
        raise LabError(f"the model {name!r} can't show these data: {process.stderr.strip()[-300:]}")
    description: dict[str, Any] = json.loads(process.stdout)
    return description


def _plain(text: str) -> str:
    for mark in ("<code>", "</code>", "<i>", "</i>", "<b>", "</b>"):
        text = text.replace(mark, "")
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
