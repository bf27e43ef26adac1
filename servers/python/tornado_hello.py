# The same line of text as node/hello, through Tornado: an event loop in Python.
# The book uses it beside Node and Thin, as the talk of 2010 did.
import asyncio
import os
import signal

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler


class Hello(RequestHandler):
    def get(self):
        self.set_header("content-type", "text/plain; charset=utf-8")
        self.write("hello world\n")

    def compute_etag(self):
        return None  # no hash of the body: the other servers send none


async def main():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    sockets = bind_sockets(int(os.environ.get("PORT", "0")), "127.0.0.1", backlog=1024)
    HTTPServer(Application([("/", Hello)])).add_sockets(sockets)
    print(f"listening on http://127.0.0.1:{sockets[0].getsockname()[1]}", flush=True)
    await stop.wait()


asyncio.run(main())
