# Waits DELAY_MS, then answers with a line of text; THREADED=no lets in one request at a time.
# The book uses it for waiting in a threaded server; gunicorn runs the same `app` in its own ways.
import os
import signal
import sys
import time

from flask import Flask

DELAY_S = float(os.environ.get("DELAY_MS", "100")) / 1000
app = Flask(__name__)


@app.get("/")
def data():
    time.sleep(DELAY_S)
    who = str(os.getpid())
    return "Data response", {"content-type": "text/plain; charset=utf-8", "x-process": who}


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    # Werkzeug prints " * Running on http://127.0.0.1:PORT" once the socket listens.
    port, threaded = int(os.environ.get("PORT", "0")), os.environ.get("THREADED") != "no"
    app.run(host="127.0.0.1", port=port, threaded=threaded)
