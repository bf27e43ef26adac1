# Returns the same small JSON text as servers/python/framework_json.py, through Tornado's own loop.
# The book uses it as the one row of that table which does not run on gunicorn.
import asyncio
import os
import signal
from json import dumps

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler


class Hello(RequestHandler):
    def get(self):
        self.set_header("Content-Type", "application/json")
        self.write(dumps({"message": "Hello, world!"}))

    def compute_etag(self):
        return None  # no hash of the body: the other frameworks send none


async def main():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    sockets = bind_sockets(int(os.environ.get("PORT", "0")), "127.0.0.1", backlog=1024)
    HTTPServer(Application([("/", Hello)])).add_sockets(sockets)
    print(f"listening on http://127.0.0.1:{sockets[0].getsockname()[1]}", flush=True)
    await stop.wait()


asyncio.run(main())
