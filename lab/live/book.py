"""The built book below `/book/` of a Jupyter server, for those who are signed in there."""

from __future__ import annotations

import asyncio
import json
import mimetypes
import os
import re
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jupyter_server.base.handlers import APIHandler, JupyterHandler
from jupyter_server.utils import url_path_join
from tornado import web
from tornado.ioloop import PeriodicCallback

from lab import settings
from lab.book.pages.yours import collect, on_page, results
from lab.errors import LabError
from lab.live import codespace, notebooks, places, sessions

# Keys in the settings of the server: the sessions, and the name that a codespace gives it.
SESSIONS = "lab_live_sessions"
PUBLIC_HOST = "lab_live_public_host"
# For files that are no page: opened by themselves they run nothing, and no page may frame them.
NOTHING = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
# The policy that the build put into a page (lab/book/site/policy.py); sent as a header, too.
META = re.compile(rb'<meta http-equiv="Content-Security-Policy" content="([^"]+)">')
FRAME = re.compile(r"simulator-[\w-]+/engine\.html")
TALK = "connect-src 'self'"
HOST = re.compile(r"[\w.-]+(?::\d+)?|\[[\da-f:]+\](?::\d+)?", re.IGNORECASE)
MISSING = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>No book yet</title></head>
<h1>No book yet</h1>
<p>Nothing is built in this folder. <code>make live</code> builds the book and opens it;
<code>make book</code> also measures it. Then load this page again.</p>
</html>
"""


class Guarded(JupyterHandler):
    """For signed-in readers. No other site may frame or embed it, or learn its address."""

    public = False  # code of the book and its theme, the same for every reader

    async def prepare(self) -> None:
        """Lead everybody else to the page where one signs in."""
        if any("\0" in argument for argument in self.path_args):
            raise web.HTTPError(404)  # no file can have such a name, and the system calls refuse it
        if self.public:
            if not self.check_host():
                raise web.HTTPError(403)
            self.current_user = self._jupyter_current_user = None
            return
        await super().prepare()
        if not self._finished:
            web.authenticated(lambda _: None)(self)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Say what is wrong. Jupyter's page of an error names the reader, who is not yet known when
        an address is refused before `prepare`.
        """
        if hasattr(self, "_jupyter_current_user"):
            super().write_error(status_code, **kwargs)
        else:
            self.finish(
                f"<!doctype html><title>{status_code}</title><h1>{escape(self._reason)}</h1>"
            )

    @property
    def content_security_policy(self) -> str:
        """The header of that name."""
        return NOTHING

    def set_default_headers(self) -> None:
        """Set what every answer has."""
        super().set_default_headers()
        self.set_header("Content-Security-Policy", self.content_security_policy)
        self.set_header("X-Frame-Options", "DENY")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "same-origin")
        self.set_header("Cross-Origin-Opener-Policy", "same-origin")
        self.set_header("Cross-Origin-Resource-Policy", "same-origin")


class FirstPage(Guarded):
    """`/book` is where the book begins."""

    def get(self) -> None:
        """Lead on."""
        self.redirect(url_path_join(self.settings["base_url"], "book/index.html"))


class BookFile(Guarded, web.StaticFileHandler):
    """A page of the site, with the live part put into its head; or any other file of it."""

    absolute_path: str | None = None  # the path of a file that is sent unchanged

    def initialize(self, *_: Any, **__: Any) -> None:
        """Serve the site that is there now: it may be built again while we run."""
        super().initialize(path=str(places.site() or os.devnull))

    async def get(self, path: str, include_body: bool = True) -> None:
        """Send it; 404.html for what does not exist."""
        if "token" in self.request.query_arguments:
            # The cookie identifies the reader now: no saved or shared address needs the token.
            rest = {k: v for k, v in self.request.query_arguments.items() if k != "token"}
            query = urlencode(rest, doseq=True)
            self.redirect(self.request.path + (f"?{query}" if query else ""))
            return
        if path in ("", "/"):
            self.redirect(url_path_join(self.settings["base_url"], "book/index.html"))
            return
        site = places.site()
        if site is None:
            self.set_status(404)
            self.finish(MISSING)
            return
        if not path.endswith(".html"):
            file = site / path
            if places.is_file(file) or not self._accepts_pages():
                await super().get(path, include_body)
                return
        self._page(site, path)

    async def head(self, path: str) -> None:
        """Send the headers only."""
        await self.get(path, include_body=False)

    def compute_etag(self) -> str | None:
        """Identify a page by the sent bytes, any other file by its content."""
        if self.absolute_path is None:
            return web.RequestHandler.compute_etag(self)
        return super().compute_etag()

    def _accepts_pages(self) -> bool:
        return "text/html" in self.request.headers.get("Accept", "")

    def _page(self, site: Path, path: str) -> None:
        absolute = self.get_absolute_path(str(site), path)
        file = Path(absolute)
        if not file.is_relative_to(site) or not places.is_file(file):
            self.set_status(404)
            file = site / "404.html"
        if not file.is_file():
            raise web.HTTPError(404)
        html = with_socket(file.read_bytes(), self.settings.get(PUBLIC_HOST) or self.request.host)
        if policy := META.search(html):
            own = f"{policy[1].decode()}; object-src 'none'; frame-ancestors 'none'"
            self.set_header("Content-Security-Policy", own)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Cache-Control", "no-cache")
        _ = self.xsrf_token  # sets the cookie that a Run needs
        self.finish(with_live_part(html, self.settings["base_url"], file == site / "404.html"))

    def set_extra_headers(self, path: str) -> None:
        """Let browsers ask whether what they have is still the one: a build replaces files."""
        self.set_header("Cache-Control", "no-cache")

    def get_content_type(self) -> str:
        """Know the types that a system may not know."""
        return content_type(self.absolute_path or "") or super().get_content_type()


class StaticFile(Guarded, web.StaticFileHandler):
    """A script, style or font of the theme. A hub asks of those who are signed in what a browser
    does not send for fonts and modules: like Jupyter's own, these are for everybody.
    """

    public = True

    def initialize(self, *_: Any, **__: Any) -> None:
        """Serve those of the site that is there now."""
        super().initialize(path=str((places.site() or Path(os.devnull)) / "_static"))

    def set_extra_headers(self, path: str) -> None:
        """As for any file of the site. The frame of the model of Node brings its own policy, and
        pages of this site show it.
        """
        self.set_header("Cache-Control", "no-cache")
        if FRAME.fullmatch(path) and (policy := META.search(self._bytes())):
            own = f"{policy[1].decode()}; frame-ancestors 'self'"
            self.set_header("Content-Security-Policy", own)
            self.set_header("X-Frame-Options", "SAMEORIGIN")

    def _bytes(self) -> bytes:
        return Path(self.absolute_path or os.devnull).read_bytes()[:2000]

    def get_content_type(self) -> str:
        """Know the types that a system may not know."""
        return content_type(self.absolute_path or "") or super().get_content_type()


class BundledFile(Guarded, web.StaticFileHandler):
    """A script or style of the live part."""

    public = True

    def set_extra_headers(self, path: str) -> None:
        """What has a digest in its name never changes."""
        kept = "-" in Path(path).stem
        self.set_header("Cache-Control", "private, max-age=31536000" if kept else "no-cache")

    def get_content_type(self) -> str:
        """Know the types that a system may not know."""
        return content_type(self.absolute_path or "") or super().get_content_type()


class PageRequest(APIHandler):
    """A request of a page: `{"page", "tab", …}`, as JSON."""

    auth_resource = "kernels"

    @property
    def known(self) -> sessions.Sessions:
        """The sessions of this server."""
        found: sessions.Sessions = self.settings[SESSIONS]
        return found

    def asked(self) -> tuple[str, str, dict[str, Any]]:
        """Return the page, the tab and all that was asked. Raises HTTPError without them."""
        body = self.get_json_body()
        body = body if isinstance(body, dict) else {}
        page, tab = body.get("page"), body.get("tab")
        if not isinstance(page, str) or not isinstance(tab, str) or not page or not tab:
            raise web.HTTPError(400, "the request needs a page and a tab")
        return page, tab, body


class RunPage(PageRequest):
    """Starts the kernel of a page, and names it. The rest is Jupyter Server's own API."""

    @web.authenticated
    async def get(self) -> None:
        """Say which tab a page runs in, `{"tab", "browser", "since", "kernel"}`; 404 if in none."""
        session = self.known.whose(self.get_query_argument("page", ""))
        if session is None:
            raise web.HTTPError(404)
        self.finish(json.dumps(about(session)))

    @web.authenticated
    async def post(self) -> None:
        """Say which kernel runs the page: `{"page", "tab", "take"?}` → `{"kernel", "fresh"}`."""
        page, tab, body = self.asked()
        browser = browser_of(self.request.headers.get("User-Agent", ""))
        take = body.get("take") is True
        try:
            session, fresh = await self.known.of(page, tab, take=take, browser=browser)
        except sessions.Elsewhere as error:
            self.set_status(409)
            self.finish(json.dumps({"message": str(error), **about(error.session)}))
            return
        except LabError as error:
            self.set_status(404)
            self.finish(json.dumps({"message": str(error)}))
            return
        self.set_status(201 if fresh else 200)
        answer = {
            "kernel": session.kernel,
            "fresh": fresh,
            "profile": settings.profile().name,
            "notebook": await self._notebook(page),
        }
        self.finish(json.dumps(answer))

    async def _notebook(self, page: str) -> bool:
        """Whether JupyterLab has a kernel for the same chapter."""
        found = await self.settings["session_manager"].list_sessions()
        return any(f"/{one['path']}".endswith(f"/{page}.md") for one in found)


class Ran(PageRequest):
    """Notes what ran on a page: the verdicts of the book's own cells are the reader's results."""

    @web.authenticated
    async def post(self) -> None:
        """`{"page", "tab", "own"}`: whether all that its kernel ran is the book's."""
        page, tab, body = self.asked()
        session = self.known.whose(page)
        if session is None or session.tab != tab:
            raise web.HTTPError(404, "this page is not running")
        profile = settings.profile()
        if body.get("own") is True and profile.verdicts:
            on_page.keep(page, profile.name)
        else:
            on_page.drop(page)
        self.set_status(204)
        self.finish()


class Results(APIHandler):
    """The reader's results, as `make results` writes them."""

    auth_resource = "contents"

    @web.authenticated
    async def get(self) -> None:
        """Send the result file, made now; 404 with the reason if there is none."""
        try:
            await asyncio.to_thread(collect.collect)
            self.set_header("Content-Type", "application/json")
            self.finish(results.MINE.read_bytes())
        except LabError as error:
            self.set_status(404)
            self.finish(json.dumps({"message": str(error)}))


def about(session: sessions.PageSession) -> dict[str, Any]:
    """Return the description of a session: its tab, the browser, its beginning and its kernel."""
    return {
        "tab": session.tab,
        "browser": session.browser,
        "since": session.since,
        "kernel": session.kernel,
    }


def browser_of(agent: str) -> str:
    """Return what a browser calls itself, in a word; "" if it is none that is known."""
    # The order matters: each browser also names itself as those after it.
    names = {"Firefox": "Firefox", "Edg": "Edge", "OPR": "Opera", "Chrome": "Chrome"}
    names |= {"Safari": "Safari"}
    return next((name for sign, name in names.items() if f"{sign}/" in agent), "")


def with_socket(html: bytes, host: str) -> bytes:
    """Return a page whose policy lets it talk to its own host over a WebSocket, too: not every
    browser takes that for the same origin.
    """
    policy = META.search(html)
    if policy is None or HOST.fullmatch(host) is None:
        return html
    talks = policy[0].replace(TALK.encode(), f"{TALK} ws://{host} wss://{host}".encode())
    return html[: policy.start()] + talks + html[policy.end() :]


def with_live_part(html: bytes, base_url: str, lost: bool = False) -> bytes:
    """Return a page that loads the live part; one that does not exist has none."""
    if lost or not (places.BUNDLE / "live.js").is_file():
        return html
    root = escape(url_path_join(base_url, "book/"), quote=True)
    base = escape(base_url, quote=True)
    hub = " data-hub" if os.environ.get("JUPYTERHUB_API_URL") else ""
    part = (
        f'<link rel="stylesheet" href="{root}_live/code/live.css">'
        f'<script type="module" src="{root}_live/code/live.js" id="lab-live" '
        f'data-root="{root}" data-base="{base}"{hub}></script>'
    )
    return html.replace(b"</head>", part.encode() + b"</head>", 1)


def content_type(name: str) -> str | None:
    """Return the type of a script, a style and a piece of data, whatever the system says."""
    types = {
        ".js": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".json": "application/json",
        ".svg": "image/svg+xml",
        ".woff2": "font/woff2",
    }
    suffix = Path(name).suffix
    return types.get(suffix) or mimetypes.types_map.get(suffix)


def open_to_codespace(server: Any) -> None:
    """In a codespace, let the pages that its forwarder shows of this port ask for kernels."""
    if public := codespace.host(server.port):
        server.web_app.settings[PUBLIC_HOST] = public
        server.web_app.settings["allow_origin_pat"] = codespace.origin_pattern(server.port)


def add_to(server: Any) -> None:
    """Serve the book from this server."""
    app = server.web_app
    base = app.settings["base_url"]
    known = sessions.Sessions(server.kernel_manager)
    app.settings[SESSIONS] = known
    app.settings["lab_live_watch"] = sessions.watch(known, PeriodicCallback)
    first = url_path_join(base, "book/index.html")
    app.add_handlers(
        ".*$",
        [
            (url_path_join(base, "book"), FirstPage),
            (url_path_join(base, r"book/_live/run"), RunPage),
            (url_path_join(base, r"book/_live/ran"), Ran),
            (url_path_join(base, r"book/_live/my-results.json"), Results),
            (
                url_path_join(base, r"book/_live/code/(.*)"),
                BundledFile,
                {"path": str(places.BUNDLE)},
            ),
            (url_path_join(base, r"book/_static/(.*)"), StaticFile),
            (url_path_join(base, r"book/(.*)"), BookFile),
        ],
    )
    notebooks.add_to(server.contents_manager)
    server.io_loop.add_callback(open_to_codespace, server)  # the port is known when the loop runs
    server.log.info("The book: %s, from %s", first, places.site() or "nothing built yet")
