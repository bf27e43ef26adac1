"""A build of Node by path, folder, archive or link: found, or refused with what to do."""

import functools
import hashlib
import http.server
import io
import tarfile
import threading

import pytest

from lab.errors import LabError
from lab.processes import node_builds, nodes

VERSION = "99.1.0-nightly20261127"
PLATFORM = f"{node_builds.SYSTEM}-{node_builds.MACHINE}"
SCRIPT = f"#!/bin/sh\necho v{VERSION}\n"


@pytest.fixture
def program(tmp_path):
    """A program that says it is a Node, in a folder as `make install` leaves it."""
    folder = tmp_path / "prefix"
    (folder / "bin").mkdir(parents=True)
    node = folder / "bin" / "node"
    node.write_text(SCRIPT)
    node.chmod(0o755)
    return node


def archive(file, inside=f"node-v{VERSION}-{PLATFORM}/bin/node"):
    content = SCRIPT.encode()
    with tarfile.open(file, "w:xz" if file.suffix == ".xz" else "w:gz") as tar:
        entry = tarfile.TarInfo(inside)
        entry.size, entry.mode = len(content), 0o755
        tar.addfile(entry, io.BytesIO(content))
    return file


def found(build, folder):
    build = node_builds.find(str(build), folder)
    return nodes.version(build.path), build.note


@pytest.mark.parametrize("part", ["prefix/bin/node", "prefix/bin", "prefix", "."])
def test_a_node_is_found_by_its_path_and_by_each_folder_above(program, tmp_path, part):
    assert found(tmp_path / part, tmp_path / "builds") == (VERSION, "")


def test_the_folder_of_a_clone_of_node_has_it_where_make_puts_it(program, tmp_path):
    release_folder = tmp_path / "clone" / "out" / "Release"
    release_folder.mkdir(parents=True)
    program.rename(release_folder / "node")
    assert found(tmp_path / "clone", tmp_path / "builds") == (VERSION, "")


@pytest.mark.parametrize("ending", [".tar.gz", ".tar.xz", ".tgz"])
def test_an_archive_is_unpacked(tmp_path, ending):
    file = archive(tmp_path / f"node-v{VERSION}-{PLATFORM}{ending}")
    assert found(file, tmp_path / "builds") == (VERSION, "")
    assert found(file, tmp_path / "builds") == (VERSION, "")  # again over what is there


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda p: p / "nothing", "is not there"),
        (lambda p: p, "has no Node at any of these"),
        (lambda p: p / "notes.txt", r"is not executable\. Give the path of a Node"),
        (lambda p: p / "node.zip", r"is not there\. Give .* archive \(\.tar\.gz"),
        (lambda p: p / "cut.tar.xz", "can't be unpacked"),
        (lambda p: p / "spoilt.tar.xz", "can't be unpacked"),
        (lambda p: p / "spoilt.tar.gz", "can't be unpacked"),
        (lambda p: p / "gone.tar.xz", "can't be unpacked"),
        (lambda p: archive(p / "other.tar.gz", "x/readme"), "has no Node"),
        (lambda p: archive(p / "out.tar.gz", "../../bin/node"), "can't be unpacked"),
    ],
)
def test_what_is_no_build_is_refused_in_a_sentence(tmp_path, make, words):
    place = tmp_path / "place"
    place.mkdir()
    (place / "notes.txt").write_text("no program")
    (place / "cut.tar.xz").write_bytes(b"\xfd7zXZ\x00\x00")
    for ending in ("xz", "gz"):
        whole = bytearray(archive(place / f"spoilt.tar.{ending}").read_bytes())
        whole[len(whole) // 2 : len(whole) // 2 + 8] = b"\xff" * 8
        (place / f"spoilt.tar.{ending}").write_bytes(whole)
    with pytest.raises(LabError, match=words):
        node_builds.find(str(make(place)), tmp_path / "builds")
    assert not (tmp_path / "bin").exists()


def test_no_name_of_an_archive_removes_what_is_next_to_it(tmp_path):
    kept = tmp_path / "candidate" / "builds" / "kept"
    kept.mkdir(parents=True)
    for name in ("...tar.gz", ".tar.gz"):
        found(archive(tmp_path / name), kept.parent)
    assert kept.exists()


def test_an_archive_that_unpacks_to_more_than_a_build_has_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(node_builds, "MOST_UNPACKED", 10)
    with pytest.raises(LabError, match="more than any build has"):
        found(archive(tmp_path / "big.tar.gz"), tmp_path / "builds")
    assert list((tmp_path / "builds").iterdir()) == []


@pytest.fixture
def site(tmp_path):
    """A folder of builds on a server, and its address."""
    folder = tmp_path / "site" / f"v{VERSION}"
    folder.mkdir(parents=True)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            if "broken" in self.path and self.path.endswith(node_builds.SUMS):
                self.send_error(503)
            elif "short" in self.path and not self.path.endswith(node_builds.SUMS):
                self.send_response(200)
                self.send_header("Content-Length", "100")
                self.end_headers()
                self.wfile.write(b"x" * 10)
            else:
                super().do_GET()

    handler = functools.partial(Quiet, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def listed(file, digest=""):
    digest = digest or hashlib.sha256(file.read_bytes()).hexdigest()
    (file.parent / node_builds.SUMS).write_text(
        f"{'0' * 64}  other.tar.gz\n{digest}  {file.name}\n"
    )


@pytest.mark.parametrize("ending", ["", "/", "/FILE"])
def test_a_link_leads_to_the_archive_of_this_machine(site, tmp_path, ending):
    folder, address = site
    file = archive(folder / f"node-v{VERSION}-{PLATFORM}.tar.xz")
    listed(file)
    link = f"{address}/{folder.name}{ending.replace('FILE', file.name)}"
    assert found(link, tmp_path / "builds") == (VERSION, "")


def test_a_word_is_the_newest_build_of_that_kind(site, tmp_path, monkeypatch):
    folder, address = site
    listed(archive(folder / f"node-v{VERSION}-{PLATFORM}.tar.gz"))
    (folder.parent / "index.json").write_text(
        f'[{{"version": "{folder.name}"}}, {{"version": "v1"}}]'
    )
    monkeypatch.setitem(node_builds.KINDS, "nightly", address)
    assert found("nightly", tmp_path / "builds") == (VERSION, "")


def test_an_archive_without_a_digest_next_to_it_is_taken_and_that_is_said(site, tmp_path):
    folder, address = site
    file = archive(folder / "mine.tar.gz")
    version, note = found(f"{address}/{folder.name}/{file.name}", tmp_path / "builds")
    assert version == VERSION
    assert "the digest of the archive was not checked" in note


def test_an_archive_of_another_digest_is_refused_and_not_kept(site, tmp_path):
    folder, address = site
    file = archive(folder / "mine.tar.gz")
    listed(file, "a" * 64)
    with pytest.raises(LabError, match="does not have the digest"):
        node_builds.find(f"{address}/{folder.name}/{file.name}", tmp_path / "builds")
    assert list((tmp_path / "builds").iterdir()) == []


def test_an_archive_that_a_list_next_to_it_does_not_name_is_refused(site, tmp_path):
    folder, address = site
    listed(archive(folder / "mine.tar.gz"))
    archive(folder / "other-one.tar.gz")
    with pytest.raises(LabError, match="can't be trusted"):
        node_builds.find(f"{address}/{folder.name}/other-one.tar.gz", tmp_path / "builds")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("broken/mine.tar.gz", "Service Unavailable"),  # perhaps there is a list
        ("short/mine.tar.gz", "can't be fetched"),
        ("with a blank/mine.tar.gz", "can't be fetched"),
        ("v0/node-v0.tar.gz", "can't be fetched"),
        ("v0/", "can't be fetched"),
        (f"v{VERSION}/", f"lists no archive for {PLATFORM}"),
    ],
)
def test_a_link_to_nothing_says_so(site, tmp_path, path, words):
    folder, address = site
    (folder / node_builds.SUMS).write_text(f"{'0' * 64}  node-v{VERSION}-plan9-mips.tar.gz\n")
    with pytest.raises(LabError, match=words):
        node_builds.find(f"{address}/{path}", tmp_path / "builds")


def test_a_server_that_is_not_there_says_so(tmp_path):
    with pytest.raises(LabError, match="can't be fetched"):
        node_builds.find("http://127.0.0.1:1/node-v1.tar.gz", tmp_path / "builds")


def test_no_more_is_fetched_than_a_build_has(site, tmp_path, monkeypatch):
    folder, address = site
    (folder / "big.tar.gz").write_bytes(b"x" * 3_000_000)
    monkeypatch.setattr(node_builds, "MOST_BYTES", 2_000_000)
    with pytest.raises(LabError, match="larger than"):
        node_builds.find(f"{address}/{folder.name}/big.tar.gz", tmp_path / "builds")
