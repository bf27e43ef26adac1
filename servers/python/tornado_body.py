# Answers every request with FILE, kept in memory as bytes: Tornado, an event loop in Python.
# The book uses it beside Node and nginx, as the talk of 2010 did.
import asyncio
import os
import signal
from pathlib import Path

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

CONTENT = Path(os.environ["FILE"]).read_bytes()


class Body(RequestHandler):
    def compute_etag(self):
        return None  # a hash of the whole body for each answer; no other server here makes one

    def get(self):
        self.set_header("content-type", "text/plain; charset=utf-8")
        self.write(CONTENT)


async def main():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    sockets = bind_sockets(int(os.environ.get("PORT", "0")), "127.0.0.1")
    HTTPServer(Application([("/", Body)])).add_sockets(sockets)
    print(f"listening on http://127.0.0.1:{sockets[0].getsockname()[1]}", flush=True)
    await stop.wait()


asyncio.run(main())
