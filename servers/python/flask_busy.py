# Computes for SERVICE_MS of CPU time in each request, a thread for each (Flask, Werkzeug).
# The book uses it as the sieve of primes at a tenth of the scale; SWITCH_MS scales the lock, too.
import os
import signal
import sys
import time

from flask import Flask

SERVICE_S = float(os.environ.get("SERVICE_MS", "4.4")) / 1000
app = Flask(__name__)


@app.get("/")
def computed():
    # The thread's own clock: it stands still while other threads have the interpreter.
    until = time.thread_time() + SERVICE_S
    while time.thread_time() < until:
        pass
    return "computed\n", {"content-type": "text/plain; charset=utf-8"}


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
# A thread may keep the interpreter for 5 ms while others want it. A tenth of the scale: 0.5 ms.
sys.setswitchinterval(float(os.environ.get("SWITCH_MS", "0.5")) / 1000)
# Werkzeug prints " * Running on http://127.0.0.1:PORT" once the socket listens.
app.run(host="127.0.0.1", port=int(os.environ.get("PORT", "0")), threaded=True)
