# The rows of a table as JSON, through Flask and psycopg; CONNECTION is reused or per-request.
# The book uses it as node/books in Python: on Flask's development server and on gunicorn.
import json
import os
import signal
import sys
from functools import cache

import psycopg
from flask import Flask
from psycopg.rows import dict_row

CONNECTION, QUERY_MS = os.environ["CONNECTION"], os.environ["QUERY_MS"]
if CONNECTION not in ("reused", "per-request"):
    sys.exit(f"CONNECTION={CONNECTION}: reused or per-request")
BOOKS = "SELECT books.* FROM books"
# A slow query of a known length: the database sleeps first.
SQL = BOOKS if QUERY_MS == "0" else f"{BOOKS}, pg_sleep({QUERY_MS} / 1000.0)"

app = Flask(__name__)


def connect():
    # Like pg: no transaction around one statement, and none prepared.
    return psycopg.connect(
        os.environ["DATABASE_URL"],
        autocommit=True,
        prepare_threshold=None,
        row_factory=dict_row,
    )


kept = cache(connect)  # one for the process, opened by its first request


@app.get("/")
def books():
    if CONNECTION == "reused":
        rows = kept().execute(SQL).fetchall()
    else:
        with connect() as connection:
            rows = connection.execute(SQL).fetchall()
    text = json.dumps({"from": "books", "data": rows}, separators=(",", ":"))
    return text, {"content-type": "application/json; charset=utf-8"}


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    app.run(host="127.0.0.1", port=int(os.environ.get("PORT", "0")), threaded=True)
