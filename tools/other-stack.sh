#!/bin/sh
# The book on the Sphinx stack that Jupyter Book 1 does not allow: the newest Sphinx, MyST-NB and theme, without Jupyter Book.
# It says what will break on the day when Jupyter Book 1 has to go. It changes .venv, until `make setup` runs again: better a
# clone of its own.
#   sh tools/other-stack.sh     draws the recorded run into _build/other-stack, and fails on a warning
set -eu
cd "$(dirname "$0")/.."
python=.venv/bin/python
[ -x "$python" ] || { echo "There is no .venv here: run make setup first." >&2; exit 2; }
trap 'rm -f conf.py' EXIT
rm -f .venv/.installed-book # so that `make setup` brings Jupyter Book back
.venv/bin/jupyter-book config sphinx . >/dev/null # conf.py, from _config.yml and _toc.yml
"$python" -m pip uninstall -q -y jupyter-book
"$python" -m pip install -q --upgrade "sphinx>=9" myst-nb sphinx-book-theme sphinx-design sphinx-external-toc
"$python" - <<'END'
from pathlib import Path

conf = Path("conf.py")
text = conf.read_text("utf8")
for gone in ("'jupyter_book', ", ", 'sphinx_multitoc_numbering'"):  # both are parts of Jupyter Book 1
    text = text.replace(gone, "")
conf.write_text(text, "utf8")
END
"$python" -m pip list 2>/dev/null | grep -iE "^(sphinx|myst|docutils|pydata)"
LAB_MODE=replay "$python" -m sphinx -q -W --keep-going -b html . _build/other-stack
echo "Drawn: _build/other-stack/index.html"
