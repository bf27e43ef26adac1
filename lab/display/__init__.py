"""How records, servers and verdicts show themselves in a notebook and in the book: HTML fragments.

Everything that comes from outside (names, log lines, sources) is escaped. The fragments carry their
few styles with them, so that they look the same in JupyterLab, where the book's stylesheet is not.
"""

from lab.display import claims, grading_result, records, servers
from lab.display.html import box, check, table
from lab.records.table import Table
from lab.text.html_registry import html

__all__ = [
    "Table",
    "box",
    "check",
    "claims",
    "grading_result",
    "html",
    "records",
    "servers",
    "table",
]
