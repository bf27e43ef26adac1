# Answers every request with a line of text: say here what yours does, and with which variables.
# The book uses it as a beginning: say here what for.
import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BODY = b"hello\n"


class Hello(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open
    wbufsize = -1  # headers and body leave together

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/plain; charset=utf-8")
        self.send_header("content-length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_):
        pass  # a line a request would be most of the work


class Server(ThreadingHTTPServer):
    request_queue_size = 1024  # who comes at once is not sent away


signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
with Server(("127.0.0.1", int(os.environ.get("PORT", "0"))), Hello) as server:
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
