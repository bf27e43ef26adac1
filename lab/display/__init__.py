"""How records, servers and verdicts show themselves in a notebook and in the book: HTML fragments.

Everything that comes from outside (names, log lines, sources) is escaped. The fragments carry their
few styles with them, so that they look the same in JupyterLab, where the book's stylesheet is not.
"""

from lab.looks import html
from lab.records.table import Table

from . import claims, records, servers
from .pieces import box, check, table

__all__ = ["Table", "box", "check", "claims", "html", "records", "servers", "table"]
