# Computes all primes up to LIMIT in each request and returns them as JSON, through Flask.
# The book uses it for work that keeps the interpreter: a thread a request, and one lock for all.
import os
import signal
import sys

from flask import Flask

LIMIT = int(os.environ.get("LIMIT", "1000000"))
app = Flask(__name__)


def primes_up_to(limit):
    prime = [True] * (limit + 1)
    p = 2
    while p * p <= limit:
        if prime[p]:
            for multiple in range(p * p, limit + 1, p):
                prime[multiple] = False
        p += 1
    return [n for n in range(2, limit + 1) if prime[n]]


@app.get("/")
def primes():
    # jsonify() would add a line feed: all servers of this experiment send the same bytes.
    body = app.json.dumps({"primes": primes_up_to(LIMIT)}, separators=(",", ":"))
    return body, {"content-type": "application/json; charset=utf-8"}


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
# Werkzeug prints " * Running on http://127.0.0.1:PORT" once the socket listens.
app.run(host="127.0.0.1", port=int(os.environ.get("PORT", "0")), threaded=True)
