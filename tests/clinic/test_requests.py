"""Requests as programs want them: over TLS, on a UNIX socket, several in turns after a login."""

import contextlib
import dataclasses
import http.client
import json
import re
import subprocess
from collections import Counter
from urllib.parse import urlsplit

import pytest
from support import eventually

from lab.clinic import checkup, commands, direct, failures, scenario
from lab.clinic.app import App, AppFailed, Target
from lab.clinic.bridge import Bridge
from lab.clinic.examining import observe, observe_url
from lab.clinic.hub import Hub
from lab.clinic.loading import Request
from lab.errors import LabError
from lab.servers.http_get import Endless, get

HELLO = 'require("node:http").createServer((q, r) => r.end("hi"))'
SHOP = """
const http = require("node:http");
const seen = [];
http.createServer((q, r) => {
  let body = "";
  q.on("data", (part) => { body += part; }).on("end", () => {
    if (q.url === "/seen") return r.end(JSON.stringify(seen));
    if (q.url === "/login") {
      if (JSON.parse(body).user !== "ann") return r.writeHead(403).end();
      r.setHeader("set-cookie", ["a=1; Path=/", "session=s-1; HttpOnly"]);
      return r.end(JSON.stringify({ data: { tokens: ["t-1"] } }));
    }
    const { cookie, authorization } = q.headers;
    const isKnown = cookie === "a=1; session=s-1" || authorization === "Bearer t-1";
    if (!isKnown) return r.writeHead(401).end();
    seen.push(`${q.method} ${q.url} ${body} ${q.headers["x-more"] ?? ""}`.trim());
    if (q.method === "POST" && !JSON.parse(body).title) return r.writeHead(422).end();
    if (q.url === "/books") return r.end("[]");
    r.writeHead(404).end();
  });
}).listen(process.env.PORT, "127.0.0.1");
"""
BOOKS = [
    {"path": "/books", "weight": 3},
    {"method": "post", "path": "/books", "body": {"title": "É"}},
]
LOGIN = {"path": "/login", "body": {"user": "ann"}}


def target(tmp_path, text, **more):
    (tmp_path / "app.cjs").write_text(text)
    return Target(("node", "app.cjs"), tmp_path, **more)


def written(tmp_path, data):
    file = tmp_path / "shop.json"
    file.write_text(data if isinstance(data, str) else json.dumps(data))
    return file


@pytest.mark.parametrize("carry", ["cookie", {"from": "data.tokens.0"}])
def test_a_scenario_logs_in_and_sends_its_requests_by_their_weights(tmp_path, carry):
    file = written(tmp_path, {"login": {**LOGIN, "carry": carry}, "requests": BOOKS})
    several = scenario.read(file, {"x-more": "yes"})
    assert several.title == "shop.json (2 requests)"
    with App(target(tmp_path, SHOP, scenario=several), None) as app:
        for _ in range(8):
            assert app.get(60, Request("/whatever")).text == "[]"
        seen = json.loads(get(app.bridge.url, "/seen").text)
    # Each was tried once, and then four of them are a turn of the weights.
    assert Counter(seen) == {"GET /books  yes": 7, 'POST /books {"title": "É"} yes': 3}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            {"login": LOGIN, "requests": [{"path": "/none"}]},
            "GET /none of shop.json with status",
        ),
        ({"requests": BOOKS}, 'status 401. Add a "login"'),
        (
            {"login": {**LOGIN, "body": {}}, "requests": BOOKS},
            "login of shop.json, POST /login, with",
        ),
        ({"login": {**LOGIN, "carry": {"from": "token"}}, "requests": BOOKS}, "has no 'token'"),
        ({"login": {**LOGIN, "carry": {"from": "data"}}, "requests": BOOKS}, "is not a text"),
        (
            {"login": LOGIN, "requests": [{"path": "/books", "body": {}}]},
            '422. It may need another "body"',
        ),
    ],
)
def test_what_a_scenario_does_not_get_is_told_by_its_place(tmp_path, data, words):
    several = scenario.read(written(tmp_path, data))
    with pytest.raises(LabError, match=re.escape(words)):
        App(target(tmp_path, SHOP, scenario=several), None)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("{", "is not JSON"),
        ([], "must be an object"),
        ({"request": []}, "Did you mean requests?"),
        ({"requests": []}, "list of 1 to 100"),
        ('{"requests": [{"path": "/a", "path": "/b"}]}', "the key 'path' twice"),
        ('{"requests": [{"path": "/a", "method": "PUT", "body": NaN}]}', "NaN is not a number"),
        (f'{{"requests": {"[" * 100_000}{"]" * 100_000}}}', "within one another"),
        ({"requests": [{"method": "GET"}]}, 'request 1 has no "path"'),
        ({"requests": [{"path": "books"}]}, "request 1: path='books' must begin with /"),
        ({"requests": [{"path": "/a b"}]}, "%XX"),
        ({"requests": [{"path": "/", "wieght": 2}]}, "Did you mean weight?"),
        ({"requests": [{"path": "/", "weight": True}]}, "whole number"),
        ({"requests": [{"path": "/", "method": "HEAD"}]}, "HEAD is not supported"),
        ({"requests": [{"path": "/", "headers": {"a": "b\r\nc: d"}}]}, "invalid field"),
        ({"requests": [{"path": "/", "headers": {"a b": "c"}}]}, "invalid field"),
        ({"requests": [{"path": "/", "headers": {"a": "\u65e5\u672c"}}]}, "invalid field"),
        ({"requests": [{"path": "/", "headers": {"Content-Length": "3"}}]}, "must not contain"),
        ({"login": {**LOGIN, "carry": {"from": "a", "header": "b c"}}, "requests": BOOKS}, "field"),
        ({"requests": [{"path": "/", "headers": {"a": 1}}]}, "object of texts"),
        ({"requests": [{"path": "/", "body": "@none"}]}, "No such file"),
        ({"login": {**LOGIN, "carry": "token"}, "requests": BOOKS}, '"carry" must be'),
        ({"login": {**LOGIN, "carry": {"form": "token"}}, "requests": BOOKS}, "Did you mean from?"),
    ],
)
def test_a_mistake_in_a_scenario_is_told_by_its_place(tmp_path, data, words):
    with pytest.raises(LabError, match=re.escape(words)):
        scenario.read(written(tmp_path, data))


def test_a_scenario_may_begin_with_a_byte_order_mark(tmp_path):
    file = tmp_path / "shop.json"
    file.write_text(json.dumps({"requests": BOOKS}), "utf-8-sig")
    assert len(scenario.read(file).requests) == 2


def test_a_body_of_a_scenario_may_be_a_file_beside_it(tmp_path):
    (tmp_path / "book.json").write_bytes(b'{"title": 1}')
    file = written(tmp_path, {"requests": [{"path": "/", "body": "@book.json"}]})
    ((request, weight),) = scenario.read(file).requests
    assert (request.method, request.body, weight) == ("POST", b'{"title": 1}', 1)
    assert b"\r\nContent-Length: 12\r\n\r\n" in scenario.wire(request)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    command = (
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -subj /CN=localhost"
    )
    try:
        subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no openssl here")
    return folder


def secure(folder, module, options=""):
    return (
        f'const fs = require("node:fs"); const at = {json.dumps(str(folder))};'
        f'require("node:{module}").{"createSecureServer" if module == "http2" else "createServer"}('
        f'{{ key: fs.readFileSync(at + "/k.pem"), cert: fs.readFileSync(at + "/c.pem"), '
        f"{options} }},"
        '(q, r) => r.end("safe")).listen(process.env.PORT, "127.0.0.1");'
    )


@pytest.mark.parametrize(("module", "options"), [("https", ""), ("http2", "allowHTTP1: true")])
def test_a_server_with_a_certificate_of_its_own_is_loaded(tmp_path, certificate, module, options):
    program = target(tmp_path, secure(certificate, module, options))
    with Hub() as hub, App(program, hub) as app:
        assert app.get(60).text == "safe"
    with App(program, None) as app:  # as `compare` does, without a probe that says so
        assert app.get(60).text == "safe"
        seen = observe_url(f"https://127.0.0.1:{app.port}/", Request(), lambda _: None, 2.0)
    assert seen.phases["many"].answers > 0


ECHO = """(request, response) => {
  request.setEncoding("utf8");
  let body = "";
  request.on("data", (part) => { body += part; }).on("end", () => {
    if (request.url === "/ends") return request.stream.session.destroy();
    if (request.url === "/resets") return response.stream.close(2);
    response.writeHead(201, { "set-cookie": ["a=1", "b=2"] });
    response.end(`${request.httpVersion} ${request.method} ${request.url} ${body}`);
  });
}"""
POST = Request.of("/a?b", None, {"X-More": "yes"}, '{"title": "É"}')


def of_http2(folder, options="", answer=ECHO):
    """A server of HTTP/2, with TLS if there is a folder with its certificate."""
    text = 'require("node:http2").createServer(ANSWER).listen(process.env.PORT, "127.0.0.1");'
    if folder is not None:
        text = secure(folder, "http2", options).replace('(q, r) => r.end("safe")', "ANSWER")
    return text.replace("ANSWER", answer)


@pytest.fixture(params=["with TLS", "without TLS"])
def http2_only(request, tmp_path):
    """A program that takes HTTP/2 and nothing else."""
    folder = request.getfixturevalue("certificate") if request.param == "with TLS" else None
    return target(tmp_path, of_http2(folder))


@pytest.mark.parametrize("is_compared", [False, True])
def test_a_server_that_takes_http2_only_is_loaded_by_http2(http2_only, is_compared):
    with contextlib.nullcontext() if is_compared else Hub() as hub, App(http2_only, hub) as app:
        assert app.http2
        answer = app.get(60, POST)
        assert (answer.status, answer.cookies) == (201, ("a=1", "b=2"))
        assert answer.text == '2.0 POST /a?b {"title": "É"}'
        assert app.get(60).text == "2.0 GET / "


def test_a_running_server_of_http2_is_loaded_by_http2(http2_only):
    with App(http2_only, None) as app:
        scheme = (
            "https"
            if "createSecureServer" in (http2_only.folder / "app.cjs").read_text()
            else "http"
        )
        url = f"{scheme}://127.0.0.1:{app.port}/"
        seen = observe_url(url, Request(), lambda _: None, 2.0)
    assert seen.http2 and seen.phases["many"].answers > 0 and not seen.phases["many"].failed


def test_many_requests_on_one_connection_reset_no_stream(tmp_path):
    # After a thousand resets, Node takes a client for an attacker, and this program would end.
    program = """const server = require("node:http2").createServer();
server.on("stream", (stream) => {
  stream.respond({ ":status": 200 });
  stream.end("ok");
});
server.listen(process.env.PORT, "127.0.0.1");"""
    with App(target(tmp_path, program), None) as app:
        host = urlsplit(app.bridge.url)
        connection = http.client.HTTPConnection(host.hostname, host.port, timeout=60)
        statuses = Counter()
        for _ in range(1300):
            connection.request("GET", "/")
            response = connection.getresponse()
            response.read()
            statuses[response.status] += 1
        connection.close()
    assert statuses == {200: 1300}


def test_the_busier_of_bridge_and_load_generator_counts_as_the_client(monkeypatch, tmp_path):
    with App(target(tmp_path, of_http2(None)), None) as app:
        assert app.get(60).status == 201
        assert 0 < app.bridge.busy() <= 1
        monkeypatch.setattr(Bridge, "busy", lambda _: 0.97)
        seen = observe_url(f"http://127.0.0.1:{app.port}/", Request(), lambda _: None, 2.0)
    assert seen.phases["many"].client_elu >= 0.97


@pytest.mark.parametrize("path", ["/ends", "/resets"])
def test_a_request_of_http2_that_the_server_ends_fails_and_the_next_one_is_answered(
    http2_only, path
):
    with App(http2_only, None) as app:
        with pytest.raises(LabError, match="failed"):
            app.get(60, Request(path))
        assert app.get(60).text == "2.0 GET / "


SESSIONS = """
const http2 = require("node:http2");
const server = http2.createServer();
let sessions = 0, open = 0;
server.on("session", (session) => {
  session.number = ++sessions;
  open += 1;
  session.on("close", () => (open -= 1));
});
server.on("stream", (stream, headers) => {
  const { session } = stream;
  stream.on("error", () => {});
  if (headers[":path"] === "/ends") return stream.close(2);
  stream.respond({ ":status": 200 });
  stream.end(`${session.number} of ${open}`);
});
server.listen(process.env.PORT, "127.0.0.1");
"""


def asked(client, path="/"):
    client.request("GET", path)
    return client.getresponse().read().decode()


def test_clients_share_a_connection_of_http2_where_several_streams_are_wanted(tmp_path):
    with App(target(tmp_path, SESSIONS, http2=3), None) as app:
        place = urlsplit(app.url)
        clients = [http.client.HTTPConnection(place.hostname, place.port) for _ in range(6)]
        try:
            told = [asked(client).partition(" ")[0] for client in clients]
            first = told[0]
            assert told.count(first) == 3 and len(set(told)) == 2
            # A stream that fails is its client's alone.
            with pytest.raises((http.client.HTTPException, ConnectionError)):
                asked(clients[0], "/ends")
            assert asked(clients[1]).partition(" ")[0] == first
            # A connection ends with the last that shares it.
            for client in clients[:3]:
                client.close()
            eventually(lambda: asked(clients[5]).endswith("of 1"), 60)
        finally:
            for client in clients:
                client.close()


def test_a_scenario_is_sent_by_http2(http2_only, tmp_path):
    several = scenario.read(written(tmp_path, {"requests": BOOKS}))
    with App(dataclasses.replace(http2_only, scenario=several), None) as app:
        answers = Counter(app.get(60, Request("/whatever")).text for _ in range(4))
    assert answers == {"2.0 GET /books ": 3, '2.0 POST /books {"title": "É"}': 1}


def test_http2_is_asked_for_where_a_server_takes_both(tmp_path, certificate):
    program = target(tmp_path, of_http2(certificate, "allowHTTP1: true"))
    for http2, version in (False, "1.1"), (True, "2.0"):
        asked = dataclasses.replace(program, http2=http2)
        for hub in contextlib.nullcontext(), Hub():
            with hub as seen, App(asked, seen) as app:
                assert app.get(60).text == f"{version} GET / "


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["examine", "--", "node", "a.mjs"], "[0]"),
        (["examine", "--http2", "--", "node", "a.mjs"], "[1]"),
        (["examine", "--streams", "8", "--", "node", "a.mjs"], "[8]"),
        (["examine", "--streams", "0", "--", "node", "a.mjs"], "--streams 0: 1 or more"),
        (["compare", "--http2", "--commands", "node a.mjs", "node b.mjs"], "[1, 1]"),
        (["compare", "--streams=4", "--commands", "node a.mjs", "node b.mjs"], "[4, 4]"),
    ],
)
def test_the_option_reaches_what_is_loaded(monkeypatch, capsys, words, message):
    def refuse(*args, **_):
        raise LabError(str([one.http2 for one in args if isinstance(one, Target)]))

    monkeypatch.setattr(direct, "observe", refuse)
    monkeypatch.setattr(commands, "compare_versions", refuse)
    assert checkup.main(words) == commands.FAILED
    assert message in capsys.readouterr().err


def test_who_does_not_take_http2_is_told_what_to_leave_out(tmp_path):
    text = f'{HELLO}.listen(process.env.PORT, "127.0.0.1");'
    wants = target(tmp_path, text, http2=True)
    for hub in contextlib.nullcontext(), Hub():
        with hub as seen, pytest.raises(AppFailed, match=r"HTTP/2 on port \d+. Leave out --http2"):
            App(wants, seen)
    with App(target(tmp_path, text), None) as app, pytest.raises(AppFailed, match="--http2"):
        observe_url(app.url, Request(), lambda _: None, http2=True)


def test_a_server_of_http2_on_a_unix_socket_is_loaded(tmp_path):
    text = of_http2(None).replace('process.env.PORT, "127.0.0.1"', '"app.sock"')
    for hub in contextlib.nullcontext(), Hub():
        with hub as seen, App(target(tmp_path, text), seen) as app:
            assert app.get(60).text == "2.0 GET / "


CALLS = """async (request, response) => {
  for (let i = 0; i < 3; i++) await (await fetch(`http://127.0.0.1:${back.address().port}/`)).text();
  response.end("hi");
}"""


@pytest.mark.alone
def test_what_a_request_of_http2_makes_the_program_do_is_seen(tmp_path):
    backend = f"const back = {HELLO}.listen(0, '127.0.0.1');\n"
    program = target(tmp_path, backend + of_http2(None, answer=CALLS))
    observation = observe(program, load_s=2.0)
    (look,) = observation.looks
    assert look["calls"]["requests"] > 0
    assert observation.phases["look"].answers <= look["answered"] <= look["requests"]
    # The first request may have begun before the look.
    assert 2 < failures.calls(observation).alone <= 3.5


def test_a_server_on_a_unix_socket_in_its_folder_is_loaded(tmp_path):
    program = target(tmp_path, f'{HELLO}.listen("app.sock");')
    with Hub() as hub, App(program, hub) as app:
        assert app.get(60).text == "hi" and app.port is None
    with App(program, None) as app:
        assert app.get(60).text == "hi"
        url = f"unix:{tmp_path / 'app.sock'}"
        assert observe_url(url, Request(), lambda _: None, 2.0).phases["many"].answers > 0
    with pytest.raises(AppFailed, match="--url unix:/run"):
        observe_url(f"unix:{tmp_path / 'none.sock'}", Request(), lambda _: None)


def test_a_bridge_ends_a_connection_that_its_server_ends_and_leaves_no_process(tmp_path):
    text = 'require("node:net").createServer((s) => s.destroy())'
    text += '.listen(process.env.PORT, "127.0.0.1");'
    with App(target(tmp_path, text), None) as app, Bridge(("127.0.0.1", app.port)) as bridge:
        process = bridge._process
        with pytest.raises(LabError, match="failed"):
            get(bridge.url, deadline_s=60)
    assert process.poll() is not None


def test_a_stream_of_events_is_refused_with_the_next_step(tmp_path):
    text = HELLO.replace(
        'r.end("hi")', '{ r.setHeader("content-type", "text/event-stream"); r.write("data: 1"); }'
    )
    with (
        App(target(tmp_path, f'{text}.listen(process.env.PORT, "127.0.0.1");'), None) as app,
        pytest.raises(Endless, match="the body did not end") as caught,
    ):
        app.get(5)
    assert caught.value.kind == "text/event-stream"
