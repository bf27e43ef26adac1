"""A record names the program that was measured, not the one that started it."""

from __future__ import annotations

import sys

import pytest

import lab
from lab.processes import machine, nodes
from lab.servers import versions
from lab.servers.program import lacking


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """An nginx and a thin of our own, first on the PATH."""
    says = {"nginx": "[ $1 = -v ] && echo nginx version: nginx/9.8.7 >&2 || exit 1"}
    says["thin"] = "echo thin 3.2.1 codename Test"
    for name, line in says.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    versions.of_need.cache_clear()
    yield tmp_path
    versions.of_need.cache_clear()


def test_a_launcher_in_python_is_not_what_was_measured(tools):
    recipe = lab.server("system/nginx-hello")
    assert recipe.interpreter == sys.executable
    assert recipe.version == "nginx 9.8.7"


def test_a_runtime_is_named_with_what_the_server_is_made_with():
    flask, express = (
        lab.server(name).version for name in ("python/flask-hello", "node/express-hello")
    )
    assert flask.startswith("Python 3") and ", Flask " in flask
    assert express.startswith("v") and ", Express " in express
    assert lab.server("node/hello").version == machine.version(lab.server("node/hello").interpreter)


def test_a_version_that_nobody_tells_is_left_out():
    assert versions.program("no-such-program") == ""
    assert versions.of_need("python:no_such_package") == ""
    assert versions.of_need("node:no-such-package") == ""


@pytest.mark.parametrize(
    ("here", "is_enough"), [("22.12.9", False), ("22.13.0", True), ("24.1.0", True)]
)
def test_a_program_may_need_a_newer_node_than_the_book_does(monkeypatch, here, is_enough):
    monkeypatch.setattr(nodes, "version", lambda node=None: here)
    lines = lacking(["node>=22.13"], {})
    assert (lines == []) is is_enough
    assert is_enough or (f"22.13 or newer (this is {here})" in lines[0] and "LAB_NODE" in lines[0])


def test_what_a_program_needs_is_asked_of_the_node_that_runs_it(monkeypatch):
    given = nodes.program()
    monkeypatch.setattr(nodes, "version", lambda node=None: "24.1.0" if node else "20.1.0")
    assert lacking(["node>=22.13"], {}, given) == []
    assert len(lacking(["node>=22.13"], {})) == 1
    assert lab.server("node/shelf", node=given).missing() == []
