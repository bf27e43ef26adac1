"""The book on a Jupyter server: who gets it, who may run it, and who may not."""

import json
import re
import socket
import time

import psutil
import pytest
from websocket import WebSocketBadStatusException, create_connection

from lab import paths
from lab.live import book

from .jupyter import TOKEN, Server, answering, execute, outputs, small_site

PAGE = "book/start"
PYTHON = "book/cases/off-the-loop"
# As lab/simulator/bundle.py writes it.
FRAME = (
    '<!doctype html>\n<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; script-src 'sha256-x' 'wasm-unsafe-eval'\">\n"
)
IN_PYTHON = "import os, lab; print(os.getcwd(), os.environ['LAB_MODE'], lab.settings.notebook())"
IN_JAVASCRIPT = "console.log(process.cwd(), process.env.LAB_MODE, process.env.LAB_PAGE + '.md')"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    site = small_site(folder / "site", **{PAGE: "javascript", PYTHON: "python3", "book/odd": "sh"})
    (site / "_static").mkdir()
    (site / "_static" / "page.js").write_text("1;")
    (site / "_static" / "simulator-1a").mkdir()
    (site / "_static" / "simulator-1a" / "engine.html").write_text(FRAME)
    (folder / "secret").write_text("not yours")
    running = Server(site, folder)
    yield running
    running.stop()


@pytest.fixture
def reader(server):
    return cookies_of(server)


def cookies_of(server, **headers):
    """The two cookies of a reader who has opened the address that the server printed."""
    path = f"/book/{PAGE}.html"
    _, got, _ = server.ask("GET", f"{path}?token={TOKEN}", signed=False, **headers)
    first = "; ".join(one.split(";")[0] for one in got.get_all("Set-Cookie"))
    _, got, _ = server.ask("GET", path, signed=False, Cookie=first, **headers)
    second = [one.split(";")[0] for one in got.get_all("Set-Cookie") or []]
    cookies = "; ".join([first, *second])
    return cookies, re.search(r"_xsrf=([^;]+)", cookies)[1]


@pytest.fixture(autouse=True)
def no_kernel_is_left(server):
    yield
    for kernel in server.kernels():
        server.ask("DELETE", f"/api/kernels/{kernel['id']}")


def test_a_page_comes_with_the_live_part_and_a_file_as_it_is(server):
    status, _, body = server.ask("GET", f"/book/{PAGE}.html")
    assert status == 200
    assert body.count(b'<script type="module" src="/book/_live/code/live.js"') == 1
    assert body.count(b"/book/_live/code/live.css") == 1
    assert server.ask("GET", "/book/_static/page.js")[2] == b"1;"
    status, headers, _ = server.ask("GET", "/book/_live/code/live.js")
    assert (status, headers["Content-Type"]) == (200, "text/javascript; charset=utf-8")


def test_a_page_knows_whether_it_is_on_a_hub(monkeypatch, tmp_path):
    """There the advice is another: nobody has started `make live`."""
    (tmp_path / "live.js").write_text("")
    monkeypatch.setattr(book.places, "BUNDLE", tmp_path)
    monkeypatch.delenv("JUPYTERHUB_API_URL", raising=False)
    html = b"<html><head></head></html>"
    assert b"data-hub" not in book.with_live_part(html, "/")
    monkeypatch.setenv("JUPYTERHUB_API_URL", "http://127.0.0.1:8081/hub/api")
    page = book.with_live_part(html, "/user/ann/")
    assert b'data-base="/user/ann/" data-hub></script></head>' in page


def test_a_page_that_does_not_exist_says_so_and_is_not_live(server):
    status, _, body = server.ask("GET", "/book/book/nowhere.html")
    assert status == 404
    assert b"<h1>404</h1>" in body
    assert b"live.js" not in body


@pytest.mark.parametrize("end", ["", ".html", ".js"])
def test_an_address_that_no_file_can_have_is_none_that_exists(server, end):
    path = f"/book/{'a' * 300}{end}"
    assert server.ask("GET", path, Accept="text/html")[0] == 404
    assert server.ask("POST", "/book/_live/run", {"page": "a" * 300, "tab": "a"})[0] == 404


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("below", ["", "_static/", "_live/code/"])
@pytest.mark.parametrize(
    "path",
    ["%00", "%00.html", "a%00b.js", "book/start.html%00", "%ff", "%ff.html", "%ed%a0%80.html",
     "%2e%2e", "%2e%2e/", "%2500", "%zz", "%0a", "%c0%ae%c0%ae/x", "a" * 5000, "a/" * 2000],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_and_never_an_error_of_the_server(
    server, below, path, signed
):
    log = server.runtime / "log"
    before = log.stat().st_size
    for accept in ("text/html", "*/*"):
        status, _, _ = server.ask("GET", f"/book/{below}{path}", signed=signed, Accept=accept)
        assert status in (302, 400, 403, 404)
    assert "Traceback" not in log.read_text()[before:]


def test_the_site_is_not_changed(server):
    before = (server.runtime / "site" / f"{PAGE}.html").read_bytes()
    served = server.ask("GET", f"/book/{PAGE}.html")[2]
    assert (server.runtime / "site" / f"{PAGE}.html").read_bytes() == before
    assert b"live.js" not in before
    assert b"live.js" in served


def test_the_token_leaves_the_address(server):
    status, headers, _ = server.ask("GET", f"/book/{PAGE}.html?q=1&token={TOKEN}", signed=False)
    assert (status, headers["Location"]) == (302, f"/book/{PAGE}.html?q=1")
    assert any("HttpOnly" in one for one in headers.get_all("Set-Cookie"))


def test_it_listens_on_the_loopback_alone(server):
    family = [psutil.Process(server.process.pid)]
    family += family[0].children(recursive=True)
    listening = [
        one.laddr.ip
        for process in family
        for one in process.net_connections("inet")
        if one.status == psutil.CONN_LISTEN
    ]
    assert listening
    assert set(listening) <= {"127.0.0.1", "::1"}


@pytest.mark.parametrize(
    "path",
    ["/book", "/book/", f"/book/{PAGE}.html", f"/book/_live/{PAGE}.json", "/book/404.html",
     "/book/nowhere", "/book/_static"],
)  # fmt: skip
def test_nobody_reads_without_the_token(server, path):
    status, headers, body = server.ask("GET", path, signed=False)
    assert status == 302
    assert headers["Location"].startswith("/login")
    assert body == b""


def test_scripts_and_styles_are_for_everybody_and_nothing_beside_them_is(server):
    for path in ("/book/_static/page.js", "/book/_live/code/live.js"):
        status, headers, _ = server.ask("GET", path, signed=False)
        assert status == 200
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    for path in ("../index.html", "..%2findex.html", "%2e%2e/_live/book/start.json", "", "nowhere"):
        status, _, body = server.ask("GET", f"/book/_static/{path}", signed=False)
        assert status in (302, 403, 404)
        assert b"bd-article" not in body and b"kernel" not in body


def test_a_wrong_token_is_none(server):
    status, headers, _ = server.ask("GET", f"/book/{PAGE}.html?token=guess", signed=False)
    assert status == 302 and headers["Location"].startswith("/login")


@pytest.mark.parametrize(
    "path",
    ["/book/../secret", "/book/%2e%2e/secret", "/book/..%2fsecret", "/book/book/../../secret",
     "/book//etc/passwd", "/book/_live/../../secret", "/book/_live/code/../../package.json",
     "/book/_live/code/..%2f..%2f..%2fpackage.json", "/book/..\\secret"],
)  # fmt: skip
def test_no_address_leads_out_of_the_site(server, path):
    status, _, body = server.ask("GET", path)
    assert status in (302, 403, 404)
    assert b"not yours" not in body and b"root:" not in body and b"dependencies" not in body


def test_every_answer_refuses_frames_and_keeps_addresses_to_itself(server):
    for path in (f"/book/{PAGE}.html", "/book/_static/page.js", "/book/_live/code/live.js"):
        _, headers, _ = server.ask("GET", path)
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"


def test_only_a_page_of_the_site_may_frame_the_model_of_node_which_has_its_own_policy(server):
    _, headers, body = server.ask("GET", "/book/_static/simulator-1a/engine.html", signed=False)
    assert body.decode() == FRAME
    policy = headers["Content-Security-Policy"]
    assert policy == (
        "default-src 'none'; script-src 'sha256-x' 'wasm-unsafe-eval'; frame-ancestors 'self'"
    )
    assert headers["X-Frame-Options"] == "SAMEORIGIN"


def test_the_policy_of_a_page_is_its_own_and_names_no_host_but_its_own(server):
    _, headers, body = server.ask("GET", f"/book/{PAGE}.html")
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    hosts = set(re.findall(r"\w+://[^ ;]+", policy))
    assert hosts == {f"ws://{server.url.netloc}", f"wss://{server.url.netloc}"}
    assert "unsafe-eval" not in policy and "*" not in policy
    assert policy.partition("; object-src")[0].encode() in body


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil:80"])
def test_a_name_that_was_rebound_to_the_loopback_gets_nothing(server, host):
    for path in (f"/book/{PAGE}.html", "/book/_live/code/live.js", "/api/kernels"):
        assert server.ask("GET", path, Host=host)[0] == 403
    asked = {"page": PAGE, "tab": "a"}
    assert server.ask("POST", "/book/_live/run", asked, Host=host)[0] == 403
    assert server.kernels() == []


def test_no_foreign_page_can_read_or_run_with_the_cookie_of_a_reader(server, reader):
    cookies, xsrf = reader
    request = {"page": PAGE, "tab": "a"}
    foreign = {"Cookie": cookies, "Origin": "http://evil.example"}
    ours = {"Cookie": cookies, "Origin": f"http://{server.url.netloc}"}
    bad_headers = [
        {**foreign},  # a form of a foreign page
        {**foreign, "X-XSRFToken": xsrf},  # even if it knew the other cookie
        {"Cookie": cookies, "Origin": "null", "X-XSRFToken": xsrf},  # a file, a sandbox
        {"Cookie": cookies},  # nothing but the cookie
        {"Cookie": cookies, "X-XSRFToken": "guess", "Origin": ours["Origin"]},
        {"Origin": ours["Origin"], "X-XSRFToken": xsrf},  # nobody
    ]
    for headers in bad_headers:
        status, got, _ = server.ask("POST", "/book/_live/run", request, signed=False, **headers)
        assert status in (403, 404), headers
        assert "evil" not in str(got.get("Access-Control-Allow-Origin"))
        assert got.get("Access-Control-Allow-Origin") != "*"
    assert server.kernels() == []
    # What all of them lack, the page has.
    headers = {**ours, "X-XSRFToken": xsrf}
    assert server.ask("POST", "/book/_live/run", request, signed=False, **headers)[0] == 201


def test_no_foreign_page_gets_a_socket_to_a_kernel(server, reader):
    cookies, _ = reader
    kernel = server.run(PAGE)[1]["kernel"]
    address = f"ws://{server.url.netloc}/api/kernels/{kernel}/channels"
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{server.url.port + 1}"):
        with pytest.raises(WebSocketBadStatusException) as refused:
            create_connection(address, cookie=cookies, origin=origin)
        assert refused.value.status_code in (403, 404)
    with pytest.raises(WebSocketBadStatusException):
        create_connection(address, origin=f"http://{server.url.netloc}")
    create_connection(address, cookie=cookies, origin=f"http://{server.url.netloc}").close()


@pytest.fixture(scope="module")
def forwarded(server, tmp_path_factory):
    """A server in a codespace: its forwarder asks as localhost."""
    folder = tmp_path_factory.mktemp("codespace")
    names = {"CODESPACES": "true", "CODESPACE_NAME": "Sturdy-Disco-x7v"}
    domain = {"GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN": "app.github.dev"}
    running = Server(server.runtime / "site", folder, **names, **domain)
    yield running
    running.stop()


def run_as(server, origin):
    """The status of a Run, and whether a kernel's socket opens, for a reader at that origin."""
    port = server.url.port
    cookies, xsrf = cookies_of(server, Host=f"localhost:{port}")
    headers = {"Cookie": cookies, "X-XSRFToken": xsrf, "Host": f"localhost:{port}"}
    request = {"page": PAGE, "tab": "a"}
    kernel = server.run(PAGE)[1]["kernel"]
    address = f"ws://127.0.0.1:{port}/api/kernels/{kernel}/channels"
    try:
        create_connection(address, cookie=cookies, origin=origin, host=f"localhost:{port}").close()
    except WebSocketBadStatusException:
        opens = False
    else:
        opens = True
    status, got, _ = server.ask(
        "POST", "/book/_live/run", request, signed=False, Origin=origin, **headers
    )
    assert got.get("Access-Control-Allow-Origin") != "*"
    for kernel in server.kernels():
        server.ask("DELETE", f"/api/kernels/{kernel['id']}")
    return status, opens


def test_in_a_codespace_the_pages_of_its_own_port_run(forwarded):
    port = forwarded.url.port
    assert run_as(forwarded, f"https://sturdy-disco-x7v-{port}.app.github.dev") == (200, True)
    _, headers, _ = forwarded.ask("GET", f"/book/{PAGE}.html", Host=f"localhost:{port}")
    public = f"wss://sturdy-disco-x7v-{port}.app.github.dev"
    assert public in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "origin",
    [
        "https://sturdy-disco-x7v-{other}.app.github.dev",
        "https://someone-else-{port}.app.github.dev",
        "https://sturdy-disco-x7v-{port}.app.github.dev.evil.example",
        "https://evil-sturdy-disco-x7v-{port}.app.github.dev",
        "http://sturdy-disco-x7v-{port}.app.github.dev",
        "https://sturdy-disco-x7v-{port}xappxgithub.dev",
    ],
)
def test_in_a_codespace_no_other_page_does(forwarded, origin):
    port = forwarded.url.port
    assert run_as(forwarded, origin.format(port=port, other=port + 1)) in (
        (403, False),
        (404, False),
    )


def test_outside_a_codespace_its_pages_are_foreign(server):
    origin = f"https://sturdy-disco-x7v-{server.url.port}.app.github.dev"
    assert run_as(server, origin) in ((403, False), (404, False))


@pytest.mark.parametrize(
    "asked",
    [{"page": "book/nowhere", "tab": "a"}, {"page": "book/odd", "tab": "a"},
     {"page": "../secret", "tab": "a"}, {"page": "/etc/passwd", "tab": "a"},
     {"page": "book/start.html", "tab": "a"}, {"page": "book/start\n", "tab": "a"},
     {"page": ["book/start"], "tab": "a"}, {"page": PAGE}, {"page": PAGE, "tab": ""},
     {"page": PAGE, "tab": {}}, {}, [], "x", None],
)  # fmt: skip
def test_only_a_page_of_this_book_gets_a_kernel(server, asked):
    status, _, body = server.ask("POST", "/book/_live/run", asked)
    assert status in (400, 404)
    assert json.loads(body)["message"]
    assert server.kernels() == []


@pytest.mark.parametrize(
    ("page", "code", "folder"),
    [
        (PYTHON, IN_PYTHON, "cases"),
        (PAGE, IN_JAVASCRIPT, ""),
    ],
)
def test_a_page_runs_in_its_own_folder_with_its_own_kernel(server, page, code, folder):
    status, said = server.run(page)
    assert status == 201 and said["fresh"] and said["profile"] == "smoke"
    channel = answering(server.socket(said["kernel"]))
    found = outputs(channel, execute(channel, code))
    channel.close()
    text = "".join(content.get("text", "") for _, content in found)
    where, mode, name = text.rsplit(maxsplit=2)  # the folder may have blanks in its name
    assert where == str(paths.ROOT / "book" / folder).rstrip("/")
    assert (mode, name) == ("live", page.rpartition("/")[2] + ".md")


def test_the_same_tab_finds_its_kernel_and_another_is_told(server):
    kernel = server.run(PAGE, "a")[1]["kernel"]
    again = {"kernel": kernel, "fresh": False, "profile": "smoke", "notebook": False}
    assert server.run(PAGE, "a") == (200, again)
    channel = server.socket(kernel)
    status, answer = server.run(PAGE, "b")
    assert (status, answer["message"]) == (409, "This page runs in another tab.")
    whose = json.loads(server.ask("GET", f"/book/_live/run?page={PAGE}")[2])
    assert whose == {key: answer[key] for key in ("tab", "browser", "since", "kernel")}
    assert whose["tab"] == "a" and abs(whose["since"] - time.time()) < 600
    assert server.run(PAGE, "a")[0] == 409  # a copy of the tab
    status, answer = server.run(PAGE, "b", take=True)
    assert status == 201
    channel.close()
    assert [one["id"] for one in server.kernels()] == [answer["kernel"]] != [kernel]


def test_who_has_a_page_is_told_by_name(server):
    agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    asked = {"page": PAGE, "tab": "a"}
    server.ask("POST", "/book/_live/run", asked, User_Agent=agent)
    whose = json.loads(server.ask("GET", f"/book/_live/run?page={PAGE}")[2])
    assert whose["browser"] == "Firefox"
    assert server.ask("GET", f"/book/_live/run?page={PYTHON}")[0] == 404
    assert server.ask("GET", f"/book/_live/run?page={PAGE}", signed=False)[0] in (302, 403)


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ("Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36",
         "Chrome"),
        ("Mozilla/5.0 AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge"),
        ("Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15", "Safari"),
        ("curl/8.0", ""),
    ],
)  # fmt: skip
def test_a_browser_is_called_what_it_is_and_not_what_it_is_like(agent, name):
    assert book.browser_of(agent) == name


def test_a_chapter_that_jupyterlab_has_open_is_told(server):
    model = {"path": f"{PYTHON}.md", "type": "notebook", "name": "", "kernel": {"name": "python3"}}
    session = json.loads(server.ask("POST", "/api/sessions", model)[2])
    assert server.run(PYTHON)[1]["notebook"] is True
    assert server.run(PAGE)[1]["notebook"] is False
    server.ask("DELETE", f"/api/sessions/{session['id']}")
    assert server.run(PYTHON)[1]["notebook"] is False


def test_only_the_tab_that_runs_a_page_says_what_ran_there(server):
    request = {"page": PAGE, "tab": "a", "own": False}
    assert server.ask("POST", "/book/_live/ran", request)[0] == 404
    server.run(PAGE, "a")
    assert server.ask("POST", "/book/_live/ran", request)[0] == 204
    assert server.ask("POST", "/book/_live/ran", {**request, "tab": "b"})[0] == 404
    assert server.ask("POST", "/book/_live/ran", {**request, "page": "../secret"})[0] == 404
    assert server.ask("POST", "/book/_live/ran", request, signed=False)[0] in (302, 403)


def test_in_a_profile_without_verdicts_there_is_no_result_file_and_why_is_said(server):
    status, _, body = server.ask("GET", "/book/_live/my-results.json")
    assert status == 404
    assert "LAB_PROFILE=smoke" in json.loads(body)["message"]


def test_two_pages_have_two_kernels(server):
    first, second = server.run(PAGE, "a")[1], server.run(PYTHON, "a")[1]
    assert first["kernel"] != second["kernel"]
    assert {one["name"] for one in server.kernels()} == {"javascript", "python3"}


def test_a_port_that_is_taken_is_passed_by(server, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        second_server = Server(server.runtime / "site", tmp_path, words=[f"--port={port}"])
        try:
            assert second_server.url.port != port
            assert second_server.ask("GET", f"/book/{PAGE}.html")[0] == 200
        finally:
            second_server.stop()


def test_a_server_that_was_started_as_binder_does_has_the_book_and_runs_it(server, tmp_path):
    """It knows nothing of `make live`, and is below a prefix of the reader's own."""
    prefix = "/user/course-1a2b/"
    words = ["--port=0", f"--NotebookApp.base_url={prefix}", f"--NotebookApp.token={TOKEN}"]
    words += ["--NotebookApp.trust_xheaders=True", "--NotebookApp.allow_origin=*"]
    site = server.runtime / "site"
    lab_server = Server(site, tmp_path, words, program=["-m", "jupyterlab"])
    try:
        status, headers, _ = lab_server.ask("GET", f"{prefix}book")
        assert (status, headers["Location"]) == (302, f"{prefix}book/index.html")
        status, _, body = lab_server.ask("GET", f"{prefix}book/{PAGE}.html")
        assert status == 200
        assert f'src="{prefix}book/_live/code/live.js"'.encode() in body
        asked = {"page": PAGE, "tab": "a"}
        status, _, body = lab_server.ask("POST", f"{prefix}book/_live/run", asked)
        assert status == 201, body
        assert json.loads(body)["fresh"]
        assert lab_server.ask("POST", f"{prefix}book/_live/run", asked, signed=False)[0] in (
            302,
            403,
        )
    finally:
        lab_server.stop()


def test_binder_builds_the_image_that_readers_do():
    assert (paths.ROOT / "binder/Dockerfile").read_bytes() == (
        paths.ROOT / "Dockerfile"
    ).read_bytes()


def test_a_development_container_makes_the_book_and_opens_it_by_what_make_knows():
    container = json.loads((paths.ROOT / ".devcontainer/devcontainer.json").read_text())
    assert (paths.ROOT / ".devcontainer" / container["build"]["dockerfile"]).samefile(
        paths.ROOT / "Dockerfile"
    )
    targets = set(re.findall(r"^([a-z -]+):", (paths.ROOT / "Makefile").read_text(), re.M))
    targets = {one for several in targets for one in several.split()}
    dockerfile = (paths.ROOT / "Dockerfile").read_text()
    for text in (container["postCreateCommand"], container["postAttachCommand"], dockerfile):
        asked = re.findall(r"(?:RUN|&&|^)\s*make ([a-z-]+)", text)
        assert asked and set(asked) <= targets, text
    (port,) = re.findall(r"^EXPOSE (\d+)$", dockerfile, re.M)
    assert int(port) in container["forwardPorts"]
