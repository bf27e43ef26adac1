# Reads a small JSON file for every request and returns it, with Flask; gunicorn runs `app`.
# The book uses it beside Pycnic: the same job under the same gunicorn, in the usual framework.
import os
from pathlib import Path

from flask import Flask, Response

FILE = Path(os.environ.get("FILE", "data/foo.json"))
app = Flask(__name__)


@app.get("/")
def foo():
    return Response(FILE.read_text(encoding="utf-8"), content_type="application/json")
