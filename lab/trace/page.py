"""A trace as one page with the replay in it, which opens from disk and asks no other host."""

from __future__ import annotations

import dataclasses
from html import escape

from lab.records.trace import Trace

# Nothing is fetched, not even from the folder that the page lies in.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 1.5rem auto;
  padding: 0 1rem; color: light-dark(#1b1f24, #e6edf3); background: light-dark(#fff, #0d1117) }
h1 { font-size: 1.4rem; overflow-wrap: anywhere }
"""


def page(trace: Trace, *, predict: bool = False) -> str:
    """The page. predict : it asks for the order of the lines first."""
    title = f"{escape(trace.data['name'])}: what the event loop did"
    replay = dataclasses.replace(trace, predict=predict)._repr_html_()
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title><style>{STYLE}</style></head>\n"
        f"<body><main><h1>{title}</h1>\n{replay}\n</main></body></html>\n"
    )
