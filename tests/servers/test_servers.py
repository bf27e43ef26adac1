import http.client
import json
import os
import re
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import lab
from lab import paths
from lab.servers.catalog import names

alone = pytest.mark.alone  # by the clock: beside others it would measure them

CATALOGUE = [name for name in names() if not re.search(r"/test-\d", name)]
WORKLOADS = sorted({lab.server(name).workload for name in CATALOGUE})


def arms(workload):
    return [name for name in CATALOGUE if lab.server(name).workload == workload]


@pytest.fixture
def started(request):
    recipe = lab.server(request.param)
    if recipe.missing():
        pytest.skip(f"not installed here: {recipe.missing()}")
    with recipe.start() as running:
        yield running


def connection(running):
    return http.client.HTTPConnection("127.0.0.1", running.port, timeout=300)


def ask(client, path="/"):
    client.request("GET", path)
    answer = client.getresponse()
    return answer, answer.read()


@pytest.mark.parametrize("started", CATALOGUE, indirect=True)
def test_keeps_the_contract_of_servers(started):
    recipe = started.recipe
    answer = started.get(recipe.body.path)
    assert recipe.body.mismatch(answer.status, answer.body) is None

    client = connection(started)
    kept = [ask(client)[0].will_close for _ in range(3)]
    client.close()
    assert kept == [not recipe.keep_alive] * 3

    said = [line for line in started.log(100).splitlines() if started.url in line]
    assert len(said) == 1

    os.kill(started.pid, signal.SIGTERM)  # what `stop` sends, which kills it two seconds later
    assert started.died(300), "however slow the machine is"
    assert started.exit_code == 0


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_source_is_one_screen_under_two_lines_of_header(name):
    for source in lab.server(name).sources:
        lines = source.read_text().splitlines()
        comment = all(line.startswith(("//", "#")) for line in lines[:2])
        assert comment or lines[0].startswith('"""'), "two lines say what it is"
        assert "The book uses it" in lines[1]
        # One that puts nginx before a server or a file also writes its configuration.
        assert len(lines) <= (66 if name.startswith("system/") else 56)


def test_every_server_in_the_folder_is_in_the_catalogue():
    known = {source for name in CATALOGUE for source in lab.server(name).sources}
    programs = [path for path in paths.SERVERS.rglob("*") if path.suffix in (".mjs", ".cjs", ".py")]
    assert {path for path in programs if "PORT" in path.read_text()} <= known


# Two answers that differ, as those of the source did; the catalogue has both bodies.
AS_PUBLISHED = {"qr-published"}


@pytest.mark.parametrize("workload", [one for one in WORKLOADS if one not in AS_PUBLISHED])
def test_arms_of_a_workload_send_the_same_bytes_and_content_headers(workload):
    answers = []
    for name in arms(workload):
        recipe = lab.server(name)
        if not recipe.missing():
            with recipe.start() as running:
                answer = running.get()
                kept = {key: answer.headers.get(key) for key in ("content-type", "content-length")}
                answers.append((kept, answer.body))
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize(
    ("name", "length", "adds"),
    [
        # As many bytes as ApacheBench counted in 2017: no type and no length.
        ("node/express-json", 159, b"X-Powered-By: Express"),
        # There it was gunicorn/19.6.0; today it does not tell its version.
        ("python/pycnic-json", 193 - len("/19.6.0"), b"Content-Type: application/json"),
    ],
)
def test_the_published_pair_sends_what_was_published(name, length, adds):
    with (
        lab.server(name, env={"HEADERS": "published"}).start() as running,
        socket.create_connection(("127.0.0.1", running.port), timeout=300) as client,
    ):
        client.sendall(b"GET / HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(4096), b""))
    assert adds.lower() in answer.lower()
    assert b"content-length" not in answer.lower()
    assert len(answer) == length


@pytest.mark.parametrize("framework", ["bobo", "bottle", "cherrypy", "falcon", "flask", "pycnic"])
def test_each_framework_sends_the_same_text_as_tornado(framework):
    with lab.server("python/framework-json", env={"FRAMEWORK": framework}).start() as running:
        answer = running.get()
    assert answer.body == b'{"message": "Hello, world!"}'
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-length"] == str(len(answer.body))


def test_the_arms_that_read_a_file_send_exactly_the_same_headers():
    header_names = set()
    for name in arms("file"):
        with lab.server(name).start() as running:
            header_names.add(tuple(sorted(running.get().headers.keys())))
            assert running.get("/ping").text == "pong\n"
    assert len(header_names) == 1


@pytest.mark.parametrize("name", arms("file"))
def test_a_file_that_vanishes_is_an_error_and_not_a_crash(name, tmp_path):
    file = tmp_path / "file.txt"
    file.write_text("short\n")
    with lab.server(name, env={"FILE": file}).start() as running:
        file.unlink()
        assert running.get().status == 500
        file.write_text("short\n")
        assert running.get().text == "short\n"


@pytest.mark.parametrize("path", ["//", "//?text=a", "/?text=%", "/?text=a?b"])
def test_the_hash_server_outlives_a_path_that_is_no_url(path):
    with lab.server("node/blocking-hash", env={"ITERATIONS": 1}).start() as running:
        assert running.get(path).status == 200
        assert running.get("/ping").text == "pong\n"


@alone
def test_delay_holds_a_request_as_long_as_it_says():
    with lab.server("node/delay", env={"DELAY_MS": 20}).start() as running:
        client = connection(running)
        durations_ms = []
        for _ in range(20):
            answer, _ = ask(client)
            durations_ms.append(
                float(re.search(r"dur=([0-9.]+)", answer.headers["server-timing"])[1])
            )
        client.close()
    # The best of twenty, as the machine may be busy. A plain timer is early, or a millisecond late.
    assert 20 <= min(durations_ms) < 20.5


def test_delay_closes_every_tenth_answer_when_told():
    with lab.server("node/delay", env={"DELAY_MS": 0, "KEEP_ALIVE": "every10"}).start() as running:
        client = connection(running)
        closes = [ask(client)[0].will_close for _ in range(20)]
        client.close()
    assert closes == ([False] * 9 + [True]) * 2


@alone
def test_freeze_holds_everybody_up():
    with lab.server("node/freeze", env={"FREEZE_MS": 300}).start() as running:
        slow, quick = connection(running), connection(running)
        ask(quick)
        slow.request("GET", "/freeze")
        longest_s, end = 0.0, time.monotonic() + 10
        while (
            longest_s <= 0.1 and time.monotonic() < end
        ):  # one of the pings is there when it begins
            began = time.monotonic()
            ask(quick)
            longest_s = time.monotonic() - began
        assert longest_s > 0.1
        slow.getresponse().read()
        slow.close()
        quick.close()


@pytest.mark.parametrize("mended", ["advice", "basket"])
def test_a_mended_book_shop_says_what_it_said_before(mended):
    paths_asked = ["/advice", "/advice", "/basket/0", "/basket/10", "/basket/9000", "/ping", "/no"]
    said = []
    for which in ("nothing", mended):
        with lab.server("node/baskets", env={"MENDED": which}).start() as running:
            said.append([running.get(path).text for path in paths_asked])
    assert said[0] == said[1]


def test_the_profiler_in_the_book_shop_has_seen_who_added_up_the_basket():
    with lab.server("node/baskets", env={"LOOK_US": 1000}).start() as running:
        running.get("/basket/11000")
        profile = json.loads(running.get("/profile").text)
    names = {node["id"]: node["callFrame"]["functionName"] for node in profile["nodes"]}
    assert "basket" in {names[sample] for sample in profile["samples"]}


@alone
@pytest.mark.parametrize(("how", "at_a_time"), [("blocking", 1), ("pool", 4), ("async", 12)])
def test_fifty_lets_as_many_requests_wait_at_a_time_as_it_says(how, at_a_time):
    with lab.server(f"node/fifty-{how}").start() as running:
        ask(connection(running))
        began = time.monotonic()
        with ThreadPoolExecutor(12) as clients:
            list(clients.map(lambda _: ask(connection(running)), range(12)))
        took_s = time.monotonic() - began
    assert took_s > 12 / at_a_time * 0.045  # a busy machine only makes it longer
    if how != "blocking":
        assert took_s < 12 * 0.050  # so they did wait together
