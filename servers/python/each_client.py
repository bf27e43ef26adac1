# Keeps its clients' connections. GET /1000 waits 1,000 ms, any other path is answered at once.
# The book uses it for what a client costs that has a thread or a process: HOW says which.
import os
import signal
import socketserver
import sys
import time

BODY = b"Data response"
RESPONSE = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: %d\r\n\r\n%s"
RESPONSE %= (len(BODY), BODY)


def wait_s(line):
    path = line.split()[1][1:]
    return int(path) / 1000 if path.isdigit() else 0


# a thread or a process for each client
class Client(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            while self.rfile.readline().strip():
                pass
            time.sleep(wait_s(line))
            self.wfile.write(RESPONSE)


# end of the client
class Threads(socketserver.ThreadingTCPServer):
    daemon_threads = True


class Processes(socketserver.ForkingTCPServer):
    max_children = 20_000


kind = {"threads": Threads, "processes": Processes}[os.environ.get("HOW", "threads")]
kind.request_queue_size = 1024
kind.handle_error = lambda *_: None  # the client is gone
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
# After so long, a thread that waits for the GIL asks for it again.
sys.setswitchinterval(float(os.environ.get("SWITCH_S", "0.005")))
with kind(("127.0.0.1", int(os.environ.get("PORT", "0"))), Client) as server:
    print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
