# Reads a small JSON file for every request and returns it, with Flask; gunicorn runs `app`.
# The book uses it beside Pycnic: the same job and the same processes under another framework.
import os

from flask import Flask, Response

FILE = os.environ.get("FILE", "data/foo.json")
app = Flask(__name__)


@app.get("/")
def foo():
    with open(FILE, encoding="utf-8") as file:  # noqa: PTH123  as the published server
        return Response(file.read(), mimetype="application/json")
