"""The writer's loop: the site from recorded results, served here, rebuilt when a file is saved.

Watching and reloading are sphinx-autobuild's. Its own builder starts a fresh Sphinx for each change
(3 s); ours runs in a process forked from this one, which has imported everything already.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import socket
import time
from collections.abc import Sequence
from pathlib import Path

from lab import paths
from lab.errors import LabError

WATCHED = ("book", "servers", "data", "lab", "_config.yml", "_toc.yml")


def rebuild(*, changed_paths: Sequence[Path]) -> None:
    """Build the site again, in a process of its own. Failures are printed, the old site stays."""
    from lab.book.__main__ import default_output, explain, run

    for path in list(changed_paths)[:3]:
        print(f"\n{os.path.relpath(path, paths.ROOT)} was saved.", flush=True)
    output = default_output()
    try:
        run(output)
    except Exception as error:  # the server goes on, whatever it was
        print(explain(error, output), flush=True)


def serve(port: int) -> int:
    """Serve until interrupted; returns the exit code. LabError if the port is taken."""
    import uvicorn
    from sphinx_autobuild.filter import IgnoreFilter
    from sphinx_autobuild.middleware import JavascriptInjectorMiddleware
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.routing import Mount, WebSocketRoute
    from starlette.staticfiles import StaticFiles

    from lab.book.__main__ import default_output
    from lab.book.watcher import Watcher

    port = _free(port)
    print(f"The site will be at http://127.0.0.1:{port}/ when it is built once.", flush=True)
    html = default_output() / "html"
    html.mkdir(parents=True, exist_ok=True)
    importlib.import_module("lab.book.warm")  # what a build does not have to do again
    began = time.time()
    builder = multiprocessing.Process(target=rebuild, kwargs={"changed_paths": ()})
    builder.start()
    builder.join()
    watched = [paths.ROOT / name for name in WATCHED if (paths.ROOT / name).exists()]
    hidden = [r"/__pycache__/", r"/\.ipynb_checkpoints/", r"/\.[^/]*$", r"~$"]
    ignored = IgnoreFilter([paths.DATA / "runs"], hidden)
    watcher = Watcher(watched, ignored, rebuild, since=began)
    address = f"127.0.0.1:{port}"
    app = Starlette(
        routes=[
            WebSocketRoute("/websocket-reload", watcher, name="reload"),
            Mount("/", app=StaticFiles(directory=html, html=True), name="static"),
        ],
        middleware=[Middleware(JavascriptInjectorMiddleware, ws_url=address)],
        lifespan=watcher.lifespan,
    )
    print(
        f"\nServing http://{address}/ from recorded results. Save a file: it is rebuilt.",
        flush=True,
    )
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
    return 0


def _free(port: int) -> int:
    if not 0 <= port < 2**16:
        raise LabError(f"There is no port {port}: choose one up to 65535, or make preview PORT=0")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise LabError(
                f"Port {port} is taken ({error.strerror}). Stop what listens there, "
                "or choose another: make preview PORT=0"
            ) from None
        return int(probe.getsockname()[1])
