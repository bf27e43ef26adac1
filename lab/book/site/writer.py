"""Pages that are there or not: whoever reads the site while it is built never loads half of one,
nor one without its policy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder

from lab.book.site import policy


class Writer(StandaloneHTMLBuilder):
    """Sphinx's, which would empty a page before it writes it."""

    def handle_page(
        self,
        pagename: str,
        addctx: dict[str, Any],
        templatename: str = "page.html",
        outfilename: str | None = None,
        event_arg: Any = None,
    ) -> None:
        """Write the page aside, and put it in its place in one step."""
        page = Path(outfilename or self.get_outfilename(pagename))
        part = page.with_name(f"{page.name}.part")
        super().handle_page(
            pagename, addctx, templatename, outfilename=str(part), event_arg=event_arg
        )
        if part.exists():
            html = part.read_bytes().decode()
            safe = policy.protect(html, page.name, has_text=pagename in self.env.found_docs)
            part.write_bytes(safe.encode())
            part.replace(page)


def setup(app: Sphinx) -> None:
    """Take the place of Sphinx's own."""
    app.add_builder(Writer, override=True)
