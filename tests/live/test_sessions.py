"""When the kernel of a page starts, whose it is, and when it ends."""

import asyncio
import json
from types import SimpleNamespace

import pytest

from lab import paths
from lab.book.pages.yours import on_page
from lab.live import places, sessions
from lab.live.sessions import Elsewhere, NotLive, Sessions

PAGE, OTHER = "book/start", "book/what-if"


class Manager:
    """Jupyter's kernel manager as far as it is asked, and what it was asked."""

    def __init__(self):
        self.connections = {}
        self.done = []
        self.busy, self.dead = set(), set()
        self.restarted = {}

    def __contains__(self, kernel):
        return kernel in self.connections

    def kernel_model(self, kernel):
        state = "busy" if kernel in self.busy else "idle"
        return {"connections": self.connections[kernel], "execution_state": state}

    async def start_kernel(self, *, kernel_name, cwd, env):
        await asyncio.sleep(0)
        kernel = f"{kernel_name}-{len(self.done)}"
        self.done.append(("start", kernel, cwd, env))
        self.connections[kernel] = 0
        return kernel

    def add_restart_callback(self, kernel, callback, event="restart"):
        assert event == "restart"
        self.restarted[kernel] = callback

    def get_kernel(self, kernel):
        async def is_alive():
            return kernel not in self.dead

        return SimpleNamespace(is_alive=is_alive)

    async def interrupt_kernel(self, kernel):
        self.done.append(("interrupt", kernel))

    async def shutdown_kernel(self, kernel):
        self.done.append(("shutdown", kernel))
        del self.connections[kernel]


@pytest.fixture
def manager():
    return Manager()


@pytest.fixture(autouse=True)
def site(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(places, "cells_of", lambda page: {"kernel": "python3"})


@pytest.fixture
def clock():
    return [1000.0]


def ended(manager):
    return [what[1] for what in manager.done if what[0] == "shutdown"]


def test_two_presses_at_once_start_one_kernel(manager):
    known = Sessions(manager)

    async def both():
        return await asyncio.gather(known.of(PAGE, "a"), known.of(PAGE, "a"))

    (first, fresh), (second, again) = asyncio.run(both())
    assert first is second
    assert (fresh, again) == (True, False)
    assert [what[0] for what in manager.done] == ["start"]


def test_a_tab_that_stays_away_is_waited_for_and_then_its_kernel_ends(manager, clock):
    known = Sessions(manager, 20, lambda: clock[0])
    session, _ = asyncio.run(known.of(PAGE, "a"))
    manager.connections[session.kernel] = 1
    clock[0] += 1000
    asyncio.run(known.look())
    manager.connections[session.kernel] = 0
    clock[0] += 19
    asyncio.run(known.look())
    assert ended(manager) == []
    clock[0] += 2
    asyncio.run(known.look())
    assert manager.done[1:] == [("interrupt", session.kernel), ("shutdown", session.kernel)]
    asyncio.run(known.look())
    assert ended(manager) == [session.kernel]


def test_a_page_that_was_asked_for_and_never_connected_ends_too(manager, clock):
    known = Sessions(manager, 20, lambda: clock[0])
    session, _ = asyncio.run(known.of(PAGE, "a"))
    clock[0] += sessions.STARTS_S - 1  # the kernel of a slow machine
    asyncio.run(known.look())
    assert ended(manager) == []
    clock[0] += 2
    asyncio.run(known.look())
    assert ended(manager) == [session.kernel]


def test_a_tab_that_was_closed_before_anybody_looked_is_one_that_stays_away(manager, clock):
    known = Sessions(manager, 20, lambda: clock[0])
    session, _ = asyncio.run(known.of(PAGE, "a"))
    manager.busy.add(session.kernel)
    for _ in range(3):  # it goes on with what it was asked for
        asyncio.run(known.look())
        assert ended(manager) == []
        clock[0] += 10
    asyncio.run(known.look())
    assert ended(manager) == [session.kernel]


def test_a_tab_that_comes_back_finds_its_kernel(manager, clock):
    known = Sessions(manager, 20, lambda: clock[0])
    session, _ = asyncio.run(known.of(PAGE, "a"))
    session.met = True
    clock[0] += 15
    assert asyncio.run(known.of(PAGE, "a")) == (session, False)
    clock[0] += 15
    asyncio.run(known.look())
    assert ended(manager) == []


def test_another_tab_is_refused_while_the_first_is_connected(manager):
    known = Sessions(manager)
    session, _ = asyncio.run(known.of(PAGE, "a"))
    manager.connections[session.kernel] = 1
    with pytest.raises(Elsewhere):
        asyncio.run(known.of(PAGE, "b"))
    assert ended(manager) == []
    taken, fresh = asyncio.run(known.of(PAGE, "b", take=True))
    assert fresh and taken.kernel != session.kernel
    assert ended(manager) == [session.kernel]


def test_the_page_is_the_new_tabs_already_while_the_old_ones_kernel_ends(manager):
    known = Sessions(manager)
    asyncio.run(known.of(PAGE, "a", browser="Firefox"))
    assert (known.whose(PAGE).tab, known.whose(PAGE).browser) == ("a", "Firefox")
    tabs = []
    shut = manager.shutdown_kernel

    async def shutdown_kernel(kernel):
        tabs.append(known.whose(PAGE).tab)
        await shut(kernel)

    manager.shutdown_kernel = shutdown_kernel
    asyncio.run(known.of(PAGE, "b", take=True))
    assert tabs == ["b"]
    assert known.whose(OTHER) is None


def test_a_kernel_knows_nothing_of_what_one_before_it_judged(manager):
    on_page.notes(PAGE).parent.mkdir(parents=True)
    on_page.notes(PAGE).write_text("{}")
    asyncio.run(Sessions(manager).of(PAGE, "a"))
    assert not on_page.notes(PAGE).exists()
    assert sessions.environment(PAGE)["LAB_CLAIMS_FILE"] == str(on_page.notes(PAGE))


def test_a_tab_that_was_closed_holds_nobody_up(manager):
    known = Sessions(manager)
    session, _ = asyncio.run(known.of(PAGE, "a"))
    taken, fresh = asyncio.run(known.of(PAGE, "b"))
    assert fresh and taken.kernel != session.kernel
    assert ended(manager) == [session.kernel]


def test_a_kernel_that_was_ended_in_jupyterlab_is_started_again(manager):
    known = Sessions(manager)
    session, _ = asyncio.run(known.of(PAGE, "a"))
    del manager.connections[session.kernel]
    again, fresh = asyncio.run(known.of(PAGE, "a"))
    assert fresh and again.kernel != session.kernel
    del manager.connections[again.kernel]
    asyncio.run(known.look())
    assert asyncio.run(known.of(PAGE, "a"))[1]


def test_a_page_whose_kernel_is_gone_is_nobodys_before_anybody_looks(manager):
    known = Sessions(manager)
    session, _ = asyncio.run(known.of(PAGE, "a"))
    assert known.whose(PAGE) is session
    manager.restarted[session.kernel]()
    assert known.whose(PAGE) is None
    session, _ = asyncio.run(known.of(PAGE, "a"))
    del manager.connections[session.kernel]
    assert known.whose(PAGE) is None


def test_who_looks_while_a_page_is_taken_over_ends_the_old_session_and_not_the_new(manager, clock):
    known = Sessions(manager, 20, lambda: clock[0])
    shutdown = manager.shutdown_kernel
    kernels_closed = []

    async def shutdown_kernel(kernel):
        if (
            kernel == kernels_closed[0]
        ):  # a slow end, in the middle of which the other page is taken over
            kernels_closed.append((await known.of(OTHER, "b", take=True))[0])
        await shutdown(kernel)

    async def both():
        first, _ = await known.of(PAGE, "a")
        second, _ = await known.of(OTHER, "a")
        kernels_closed.append(first.kernel)
        manager.connections[second.kernel] = 1
        clock[0] += 1000
        manager.shutdown_kernel = shutdown_kernel
        await known.look()
        return second

    second = asyncio.run(both())
    assert ended(manager) == [second.kernel, kernels_closed[0]]
    assert known.whose(OTHER) is kernels_closed[1]
    manager.connections[kernels_closed[1].kernel] = 0
    clock[0] += 1000
    asyncio.run(known.look())
    assert ended(manager)[2:] == [kernels_closed[1].kernel], "nobody looks after the new one"


def test_a_session_that_ends_while_its_tab_comes_back_is_not_given_to_it(manager, clock):
    known = Sessions(manager, 20, lambda: clock[0])
    session, _ = asyncio.run(known.of(PAGE, "a"))
    session.met = True
    clock[0] += 1000
    found = manager.get_kernel

    def get_kernel(kernel):
        async def is_alive():
            alive = await found(kernel).is_alive()
            await known.look()
            return alive

        return SimpleNamespace(is_alive=is_alive)

    manager.get_kernel = get_kernel
    again, fresh = asyncio.run(known.of(PAGE, "a"))
    assert fresh and again.kernel in manager
    assert ended(manager) == [session.kernel]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_kernel_that_died_is_not_the_one_that_was_known(manager, restarted):
    known = Sessions(manager)
    session, _ = asyncio.run(known.of(PAGE, "a"))
    if restarted:  # by Jupyter, under the same name
        manager.restarted[session.kernel]()
    else:
        manager.dead.add(session.kernel)
    again, fresh = asyncio.run(known.of(PAGE, "a"))
    assert fresh and again.kernel != session.kernel
    assert ended(manager) == [session.kernel]


def test_a_kernel_that_jupyter_started_again_is_ended(manager):
    known = Sessions(manager)
    session, _ = asyncio.run(known.of(PAGE, "a"))
    manager.restarted[session.kernel]()
    asyncio.run(known.look())
    assert ended(manager) == [session.kernel]


def test_a_page_without_cells_or_source_has_no_kernel(manager, monkeypatch):
    known = Sessions(manager)
    with pytest.raises(NotLive):
        asyncio.run(known.of("book/nowhere", "a"))
    for cells in (None, {}, {"kernel": "bash"}, {"kernel": ["python3"]}):
        monkeypatch.setattr(places, "cells_of", lambda page, cells=cells: cells)
        with pytest.raises(NotLive):
            asyncio.run(known.of(PAGE, "a"))
    assert manager.done == []


def test_a_kernel_measures_whatever_this_server_was_started_for(manager, monkeypatch):
    monkeypatch.setenv("LAB_MODE", "replay")
    monkeypatch.setenv("LAB_CHAPTER", "another")
    monkeypatch.setenv("LAB_USAGE_FILE", "/nowhere")
    monkeypatch.setenv("LAB_NODE", "node-of-the-reader")
    env = sessions.environment("book/cases/off-the-loop")
    assert env["LAB_MODE"] == "live"
    assert not {"LAB_CHAPTER", "LAB_USAGE_FILE"} & env.keys()
    assert env["LAB_NODE"] == "node-of-the-reader"
    assert env["LAB_PAGE"] == "cases/off-the-loop"


def test_a_site_may_be_named_by_a_detour(tmp_path, monkeypatch):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("")
    monkeypatch.setenv("LAB_LIVE_SITE", str(tmp_path / "other" / ".." / "site"))
    assert places.site() == tmp_path / "site"


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"', "null"])
def test_a_damaged_file_of_a_page_is_no_page(tmp_path, monkeypatch, text):
    monkeypatch.undo()
    monkeypatch.setenv("LAB_LIVE_SITE", str(tmp_path))
    (tmp_path / "index.html").write_text("")
    file = tmp_path / "_live" / "book" / "start.json"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert places.cells_of("book/start") is None
    file.write_text(json.dumps({"kernel": "python3"}))
    assert places.cells_of("book/start") == {"kernel": "python3"}
