"""Addresses that look like this machine are refused before anything is sent."""

import itertools
import json
import socket
import subprocess

import pytest
from test_process import TRICKS

import lab
from lab.measure.load import resolve
from lab.processes import nodes
from lab.servers import catalog
from lab.servers.http_get import NoAnswer, get, loopback

from .ground import apart, attacked, chance, each, nightly

pytestmark = apart

HOSTS = ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"]
OTHERS = [
    *["example.com", "192.0.2.1", "[2001:db8::1]", "0.0.0.0", "0", "127.1", "127.0.0.2", "[::]"],
    *["0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1", "127.0.0.1.nip.io", "localtest.me"],
    *["[::ffff:127.0.0.1]", "[::ffff:8.8.8.8]", "[::1%25eth0]", "１２７.0.0.1", "ⓛocalhost"],
    *["localhost.", "127.0.0.1.", "xn--lcalhost-fwf", "loc\u00adalhost", "%6cocalhost", ""],
]
PIECES = [
    "@",
    ":",
    "/",
    "\\",
    "#",
    "?",
    "%40",
    "%00",
    "\t",
    "\n",
    "\r",
    " ",
    ".",
    ";",
    ",",
    "//",
    "\u2028",
]
SCHEMES = [
    "http://",
    "HTTP://",
    "http:",
    "https://",
    "//",
    "http:///",
    "http:\\\\",
    "ftp://",
    "ws://",
]


def made(count):
    """Addresses put together out of what parsers stumble over, by chance."""
    draw = chance("addresses")
    for number in range(count):
        parts = [draw.choice(SCHEMES if number % 3 else ["http://"])]
        for _ in range(draw.randint(1, 4)):
            parts.append(
                draw.choice([draw.choice(HOSTS), draw.choice(OTHERS), draw.choice(PIECES)])
            )
        parts.append(draw.choice(["", ":80", ":3000", ":0", ":99999", ":1e3", ":٣", "/", "/x?y#z"]))
        yield "".join(parts)


def means_this_machine(urls):
    """What Node makes of each address: is it a server of this machine?"""
    script = """
        const urls = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
        const here = /^(127[.]0[.]0[.]1|localhost|\\[::1\\])$/;
        console.log(JSON.stringify(urls.map((url) => {
          try { return here.test(new URL(url).hostname); } catch { return false; }
        })));
    """
    done = subprocess.run(
        [nodes.program(), "-e", script],
        input=json.dumps(urls),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.fixture
def no_packet_leaves(monkeypatch):
    """Whoever asks the network for another machine, or for a name, fails the test."""

    def connect(_, address, *__):
        if address[0] not in ("127.0.0.1", "::1", "localhost"):
            pytest.fail(f"it would have asked {address}")
        raise ConnectionRefusedError

    def look_up(host, *_, **__):
        if host not in ("127.0.0.1", "::1", "localhost"):
            pytest.fail(f"it would have looked up {host}")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (host, 80))]

    monkeypatch.setattr("socket.socket.connect", connect)
    monkeypatch.setattr("socket.getaddrinfo", look_up)


@pytest.mark.parametrize("count", [300, pytest.param(20_000, marks=nightly)])
def test_whatever_is_accepted_is_this_machine_to_node_too(count, no_packet_leaves, record_property):
    urls = [*TRICKS, *made(count)]
    # What stands between may be anything, but not the host of another.
    meant = dict(zip(urls, means_this_machine(urls), strict=True))
    accepted = 0

    def attack(url):
        nonlocal accepted
        for ask in (loopback, resolve, get):
            try:
                ask(url)
            except NoAnswer:
                pass  # it was taken: nobody listens in this test
            except lab.LabError:
                continue
            if ask is resolve and "://" not in url:
                continue
            accepted += 1
            assert meant[url], f"{ask.__name__} takes it, and Node would ask another host"

    each(record_property, ((repr(url), url) for url in urls), attack)
    assert accepted > count / 100, "nearly all were refused: the cases are no good"


@nightly
def test_every_verb_refuses_every_trick(record_property, no_packet_leaves, monkeypatch, tmp_path):
    monkeypatch.setattr("lab.processes.lock.lock_path", lambda: tmp_path / "lock")
    monkeypatch.setattr("lab.paths.RUNS", tmp_path)
    monkeypatch.setattr(
        "lab.measure.generator.Generator.__init__", lambda *_: pytest.fail("a load was begun")
    )
    verbs = {
        "load": lambda url: lab.load(url, progress=False, seconds=1),
        "compare": lambda url: lab.compare({"a": "node/hello", "b": url}, pairs=1, progress=False),
        "capacity": lambda url: lab.capacity(url, bound_ms=5, progress=False),
        "survey": lambda url: lab.survey({"a": url}, tools=["ours"], connections=1, seconds=1),
    }

    def attack(case):
        verb, url = case
        with pytest.raises(lab.LabError):
            verbs[verb](url)

    pairs = itertools.product(verbs, TRICKS)
    each(record_property, ((f"{verb}({url!r})", (verb, url)) for verb, url in pairs), attack)


SAYS = "print('listening on ' + {url!r}, flush=True)\nimport time; time.sleep(600)"


@nightly
def test_a_server_that_says_a_trick_is_not_asked(record_property, no_packet_leaves, monkeypatch):
    names = itertools.count()

    def attack(url):
        recipe = catalog.define(f"python/says-{next(names)}", SAYS.format(url=url))
        try:
            with pytest.raises(lab.LabError):
                recipe.start(listen_s=1.0)
        finally:
            recipe.sources[0].unlink()
            catalog._defined.pop(recipe.name)

    # What holds a blank or begins no address is no line that says where it listens.
    said = [url for url in TRICKS if url.startswith("http://") and not set(url) & set(" \n")]
    each(record_property, ((repr(url), url) for url in said), attack)


REDIRECTS = """
    import http.server, json, threading, warnings
    import lab
    seen = []
    class Other(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(self.path)
            self.send_response(200); self.send_header("content-length", "0"); self.end_headers()
        def log_message(self, *_): pass
    class Redirects(Other):
        def do_GET(self):
            port = other.server_port
            self.send_response(STATUS)
            self.send_header("location", f"http://127.0.0.1:{port}/led-astray")
            self.send_header("refresh", f"0; url=http://127.0.0.1:{port}/led-astray")
            self.send_header("alt-svc", f'h2="127.0.0.1:{port}"')
            self.send_header("content-length", "0"); self.end_headers()
    other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Other)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Redirects)
    for one in (other, server):
        threading.Thread(target=one.serve_forever, daemon=True).start()
    found = lab.load(f"http://127.0.0.1:{server.server_port}/", requests=20, progress=False)
    print(json.dumps([seen, found.checks["no_errors"].text]))
"""


@pytest.mark.parametrize(
    "status",
    [pytest.param(301, id="301"), *(pytest.param(n, marks=nightly) for n in (302, 303, 307, 308))],
)
def test_a_redirect_is_an_answer_and_nobody_follows_it(project, status):
    ended = attacked(project, REDIRECTS.replace("STATUS", str(status)))
    assert ended.code == 0, ended.err
    seen, errors = json.loads(ended.out.splitlines()[-1])
    assert seen == []
    assert str(status) in errors
