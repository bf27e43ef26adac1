# Waits DELAY_MS, then answers with a line of text, on Tornado: an event loop in Python.
# The book uses it for waiting with asyncio.sleep, and for what HOW=time.sleep does to a loop.
import asyncio
import os
import signal
import time

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

DELAY_S = float(os.environ.get("DELAY_MS", "100")) / 1000
BLOCKING = os.environ.get("HOW") == "time.sleep"


class Data(RequestHandler):
    async def get(self):
        if BLOCKING:
            time.sleep(DELAY_S)
        else:
            await asyncio.sleep(DELAY_S)
        self.set_header("content-type", "text/plain; charset=utf-8")
        self.write("Data response")


async def main():
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    sockets = bind_sockets(int(os.environ.get("PORT", "0")), "127.0.0.1")
    HTTPServer(Application([("/", Data)])).add_sockets(sockets)
    print(f"listening on http://127.0.0.1:{sockets[0].getsockname()[1]}", flush=True)
    await stop.wait()


asyncio.run(main())
