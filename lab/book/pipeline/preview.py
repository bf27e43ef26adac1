"""The writer's loop: the site from recorded results, served here, rebuilt when a file is saved.

Watching and reloading are sphinx-autobuild's. Its own builder starts a fresh Sphinx for each change
(3 s); ours runs in a process forked from this one, which has imported everything already. Its
reload script would stand in the page, where the page's policy forbids it: ours is a file.

A page of another site can lead its own name to this address, or open a socket to it: we answer to
our own names only, and the reload socket only to pages that we served.
"""

from __future__ import annotations

import functools
import importlib
import multiprocessing
import os
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lab import paths
from lab.book.pipeline.drawing import explain
from lab.book.pipeline.run import default_output, run
from lab.errors import LabError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import ASGIApp, Receive, Scope, Send

    from lab.book.pipeline.watcher import Watcher

OUR_NAMES = ["127.0.0.1", "localhost"]
RELOAD_SCRIPT = """
const socket = new WebSocket(`ws://${location.host}/websocket-reload`);
socket.onmessage = () => location.reload();
"""
WATCHED = ("book", "servers", "data", "lab", "_config.yml", "_toc.yml")


def rebuild(
    *, changed_paths: Sequence[Path], warnings: Callable[[], Iterable[str]] = tuple
) -> None:
    """Build the site again, in a process of its own. Failures are printed, the old site stays.

    warnings : lines about the text that are printed after a build.
    """
    for path in list(changed_paths)[:3]:
        print(f"\n{os.path.relpath(path, paths.ROOT)} was saved.", flush=True)
    output = default_output()
    try:
        run(output)
        for line in warnings():
            print(line, flush=True)
    except Exception as error:  # the server goes on after any error
        print(explain(error, output), flush=True)


def serve(port: int, warnings: Callable[[], Iterable[str]] = tuple) -> int:
    """Serve until interrupted; returns the exit code. LabError if the port is taken."""
    import uvicorn
    from sphinx_autobuild.filter import IgnoreFilter

    from lab.book.pipeline.watcher import Watcher

    port = _free(port)
    print(f"The site will be at http://127.0.0.1:{port}/ once it is built.", flush=True)
    html = default_output() / "html"
    html.mkdir(parents=True, exist_ok=True)
    # Each build would otherwise import these modules again.
    importlib.import_module("lab.book.preload")
    began = time.time()
    build = functools.partial(rebuild, warnings=warnings)
    builder = multiprocessing.Process(target=build, kwargs={"changed_paths": ()})
    builder.start()
    builder.join()
    watched = [paths.ROOT / name for name in WATCHED if (paths.ROOT / name).exists()]
    hidden = [r"/__pycache__/", r"/\.ipynb_checkpoints/", r"/\.[^/]*$", r"~$"]
    ignored = IgnoreFilter([paths.DATA / "runs"], hidden)
    watcher = Watcher(watched, ignored, build, since=began)
    address = f"127.0.0.1:{port}"
    app = application(html, watcher)
    print(
        f"\nServing http://{address}/ from recorded results. When you save a file, it is rebuilt.",
        flush=True,
    )
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
    return 0


def application(html: Path, watcher: Watcher) -> Starlette:
    """Return what is served: the site in `html`, whose pages load again when `watcher` says so."""
    from sphinx_autobuild.middleware import JavascriptInjectorMiddleware
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.responses import Response
    from starlette.routing import Mount, Route, WebSocketRoute
    from starlette.staticfiles import StaticFiles

    class ReloadScript(JavascriptInjectorMiddleware):
        def __init__(self, app: ASGIApp) -> None:
            super().__init__(app, "")
            self.script = b'<script src="/reload.js"></script>\n'

    def script(_: object) -> Response:
        return Response(RELOAD_SCRIPT, media_type="text/javascript")

    return Starlette(
        routes=[
            Route("/reload.js", script),
            WebSocketRoute("/websocket-reload", _OwnPages(watcher), name="reload"),
            Mount("/", app=StaticFiles(directory=html, html=True), name="static"),
        ],
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=OUR_NAMES, www_redirect=False),
            Middleware(ReloadScript),
        ],
        lifespan=watcher.lifespan,
    )


class _OwnPages:
    """A socket for pages of this server only; browsers let any page ask for one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        if headers.get(b"origin") == f"http://{headers.get(b'host')}":
            await self.app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})


def _free(port: int) -> int:
    if not 0 <= port < 2**16:
        raise LabError(
            f"There is no port {port}. Choose a port up to 65535, or let the "
            "system choose: make preview PORT=0"
        )
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise LabError(
                f"Port {port} is taken ({error.strerror}). Stop the program that listens "
                "there, or use another port: make preview PORT=0"
            ) from None
        return int(probe.getsockname()[1])
