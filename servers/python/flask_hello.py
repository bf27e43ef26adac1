# The same line of text as node/hello, through Flask on its development server (Werkzeug).
# The book uses it as what tutorials run: a thread, a new connection and a log line per request.
import os
import signal
import sys

from flask import Flask

app = Flask(__name__)


@app.get("/")
def hello():
    return "hello world\n", {"content-type": "text/plain; charset=utf-8"}


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
# Werkzeug prints " * Running on http://127.0.0.1:PORT" once the socket listens.
app.run(host="127.0.0.1", port=int(os.environ.get("PORT", "0")), threaded=True)
