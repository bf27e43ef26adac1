# Keeps its clients' connections. GET /1000 waits 1,000 ms, any other path is answered at once.
# The book uses it for what a client costs. HOW gives each a thread, a process or a coroutine.
# SWITCH_S is the time after which a thread that waits for the GIL asks for it again.
import asyncio
import os
import selectors
import signal
import socketserver
import sys
import time

HOW = os.environ.get("HOW", "threads")
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


class Threads(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 1024


# a coroutine for each client
async def client(reader, writer):
    try:
        while line := await reader.readline():
            while (await reader.readline()).strip():
                pass
            await asyncio.sleep(wait_s(line))
            writer.write(RESPONSE)
    except ConnectionError:
        pass  # the client is gone
    finally:
        writer.close()


# end of the clients
class Processes(socketserver.ForkingTCPServer):
    max_children = 20_000
    request_queue_size = 1024


for server in (Threads, Processes):
    server.handle_error = lambda *_: None  # the client is gone


def listening(socket):
    print(f"listening on http://127.0.0.1:{socket.getsockname()[1]}", flush=True)


async def loop(port):
    server = await asyncio.start_server(client, "127.0.0.1", port, backlog=1024)
    listening(server.sockets[0])
    await server.serve_forever()


def main():
    port = int(os.environ.get("PORT", "0"))
    if HOW in ("asyncio", "asyncio with poll"):
        poll = selectors.PollSelector if HOW.endswith("poll") else selectors.DefaultSelector
        with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(poll())) as runner:
            runner.run(loop(port))
    kind = {"threads": Threads, "processes": Processes}[HOW]
    with kind(("127.0.0.1", port), Client) as server:
        listening(server.socket)
        server.serve_forever()


sys.setswitchinterval(float(os.environ.get("SWITCH_S", "0.005")))
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
main()
