"""The build of the book: what each chapter depends on, and what must be executed again."""

import sys

# jsonschema would compile a grammar of IRIs when it is imported (1.5 s), for a format that no
# schema used here has. It does without, if the module can't be imported.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
