"""The build of the book: what each chapter depends on, and what must be executed again."""

import sys

# When jsonschema is imported, it compiles a grammar of IRIs (1.5 s) for a format that no schema
# here uses. If the module with the grammar can't be imported, jsonschema works without it.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
