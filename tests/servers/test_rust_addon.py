import os
import re
import shutil
import subprocess
import sys

import pytest

import lab
from lab import paths
from lab.servers import rust_addon


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the sources, so that the real build is left alone."""
    shutil.copytree(
        paths.SERVERS / "rust" / "qr",
        tmp_path / "qr",
        ignore=shutil.ignore_patterns("target", "Cargo.lock"),
    )
    lock(tmp_path, rust_addon._listed("qr"))
    monkeypatch.setattr(rust_addon, "FOLDER", tmp_path)
    return tmp_path / "qr"


def cargo(tmp_path, monkeypatch, script):
    """A cargo of our own in front of the real one."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "cargo").write_text(f"#!/bin/sh\n{script}\n")
    (programs / "cargo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")


def lock(tmp_path, crates):
    """What our cargo decides upon."""
    own_package = '[[package]]\nname = "qr"\nversion = "0.1.0"\n'
    others = (
        f'[[package]]\nname = "{n}"\nversion = "{v}"\nsource = "x"\nchecksum = "{c}"\n'
        for n, v, c in sorted(crates)
    )
    (tmp_path / "lock").write_text("\n".join([own_package, *others]))


MAKES = """
case $1 in
  generate-lockfile) cp ../lock Cargo.lock ;;
  update) echo "$*" >> ../updates; sed -i "s/9[.]9[.]9/$5/" Cargo.lock ;;
  build) mkdir -p target/release; echo built >> target/release/libqr.so; echo ran >> ../ran ;;
esac
"""


def test_builds_once_and_again_when_a_source_changes(folder, tmp_path, monkeypatch):
    cargo(tmp_path, monkeypatch, MAKES)
    assert rust_addon.missing("qr")
    assert [rust_addon.build("qr"), rust_addon.build("qr")] == ["", ""]
    assert (tmp_path / "ran").read_text() == "ran\n"
    assert rust_addon.missing("qr") is None
    (folder / "src" / "lib.rs").write_text("// other")
    assert "make addons" in rust_addon.missing("qr")
    rust_addon.build("qr")
    assert (tmp_path / "ran").read_text() == "ran\nran\n"


def test_a_build_that_fails_is_said_and_what_was_built_is_not_used(folder, tmp_path, monkeypatch):
    cargo(tmp_path, monkeypatch, MAKES)
    rust_addon.build("qr")
    shutil.rmtree(tmp_path / "bin")
    cargo(tmp_path, monkeypatch, "echo 'error[E0308]: mismatched types' >&2; exit 101")
    (folder / "Cargo.toml").write_text("[package]\n")
    wrong = rust_addon.build("qr")
    assert "E0308" in wrong
    assert "cargo build" in wrong
    assert rust_addon.missing("qr")


FAILS = """
case $1 in --version) cat ../version ;; *) echo 'error[E0433]: a long story' >&2; exit 101 ;; esac
[ $1 = build ] || exit 0
"""


def test_a_build_that_failed_is_tried_again_only_when_something_changed(
    folder, tmp_path, monkeypatch, capsys
):
    version = tmp_path / "version"
    version.write_text("cargo 1.80.0")
    cargo(tmp_path, monkeypatch, f"echo $1 >>../calls{FAILS}")

    def tried(**options):
        (tmp_path / "calls").unlink(missing_ok=True)
        capsys.readouterr()
        said = rust_addon.build("qr", **options)
        built = (tmp_path / "calls").read_text().split() != ["--version"]
        assert built == ("E0433" in said) == ("Building" in capsys.readouterr().out)
        assert built or said.count("\n") == 0
        return built

    assert tried()
    assert not tried() and not tried()
    assert "make addons" in rust_addon.build("qr")
    assert tried(again=True) and not tried()
    version.write_text("cargo 1.81.0")
    assert tried() and not tried()
    (folder / "src" / "lib.rs").write_text("// other")
    assert tried() and not tried()
    version.write_text("cargo 1.80.0")
    assert tried(), "of several only the last attempt is noted"


def test_what_failed_once_and_was_built_then_is_built_when_it_changes(
    folder, tmp_path, monkeypatch
):
    cargo(tmp_path, monkeypatch, "exit 1")
    assert rust_addon.build("qr")
    shutil.rmtree(tmp_path / "bin")
    cargo(tmp_path, monkeypatch, MAKES)
    assert rust_addon.build("qr", again=True) == ""
    before = (folder / "Cargo.toml").read_text()
    (folder / "Cargo.toml").write_text(f"{before}# other")
    assert rust_addon.build("qr") == ""
    assert rust_addon.missing("qr") is None


def test_a_note_of_a_failure_that_cannot_be_read_or_written_is_none(folder, tmp_path, monkeypatch):
    cargo(tmp_path, monkeypatch, "echo E0433 >&2; exit 1")
    rust_addon._failure("qr").mkdir(parents=True)
    for _ in range(2):
        assert "E0433" in rust_addon.build("qr")


def test_a_crate_with_another_content_is_not_built(folder, tmp_path, monkeypatch):
    cargo(tmp_path, monkeypatch, MAKES)
    crate, version, _ = sorted(rust_addon._listed("qr"))[0]
    other = {one for one in rust_addon._listed("qr") if one[0] != crate}
    lock(tmp_path, other | {(crate, version, "0" * 64)})
    wrong = rust_addon.build("qr")
    assert f"Not in the list: {crate} {version}" in wrong
    assert "--pin" in wrong
    lock(tmp_path, rust_addon._listed("qr") | {("stranger", "1.0.0", "0" * 64)})
    assert "Not in the list: stranger 1.0.0" in rust_addon.build("qr", again=True)
    assert not (tmp_path / "ran").exists()


def test_the_versions_of_the_list_are_taken_though_there_are_newer(folder, tmp_path, monkeypatch):
    cargo(tmp_path, monkeypatch, MAKES)
    wanted = rust_addon._listed("qr") | {("newer", "9.1.0", "a" * 64)}
    rust_addon._list("qr").write_text("\n".join(map(" ".join, wanted)))
    lock(tmp_path, wanted - {("newer", "9.1.0", "a" * 64)} | {("newer", "9.9.9", "a" * 64)})
    assert rust_addon.build("qr") == ""
    assert (tmp_path / "updates").read_text() == "update --package newer@9.9.9 --precise 9.1.0\n"


def test_what_was_built_on_another_kind_of_machine_is_built_again(folder, tmp_path, monkeypatch):
    cargo(tmp_path, monkeypatch, MAKES)
    assert rust_addon.build("qr") == ""
    assert rust_addon.missing("qr") is None
    monkeypatch.setattr(rust_addon.platform, "machine", lambda: "another")
    assert rust_addon.missing("qr")


def test_a_cargo_that_cannot_be_run_is_said_and_not_raised(folder, tmp_path, monkeypatch):
    cargo(tmp_path, monkeypatch, "")
    (tmp_path / "bin" / "cargo").write_text("#!/no/such/interpreter\n")
    assert "could not be built" in rust_addon.build("qr")


def test_a_full_disk_is_said_and_not_raised(folder, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    cargo(tmp_path, monkeypatch, MAKES)
    monkeypatch.setattr(rust_addon.shutil, "copyfile", full)
    assert "No space left" in rust_addon.build("qr")


def test_without_cargo_the_way_to_it_is_said(folder, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    assert "rustup" in rust_addon.build("qr")
    assert "rustup" in rust_addon.missing("qr")


def test_the_command_never_fails():
    process = subprocess.run(
        [sys.executable, "-m", "lab.servers.rust_addon"],
        env={**os.environ, "PATH": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0


def test_no_version_is_open_and_no_lock_file_is_in_the_repository():
    text = (paths.SERVERS / "rust" / "qr" / "Cargo.toml").read_text()
    wanted = text.partition("[dependencies]")[2].partition("[profile")[0].split("\n")
    assert all('"=' in line for line in wanted if line.strip())
    wanted = [re.sub(r'\{ version = ("=[^"]*").*', r"\1", line) for line in wanted]
    listed = rust_addon._listed("qr")
    pinned = dict(line.replace('"', "").replace("=", "").split() for line in wanted if line.strip())
    assert pinned.items() <= {(crate, version) for crate, version, _ in listed}
    assert all(len(checksum) == 64 for _, _, checksum in listed)
    ignored = (paths.SERVERS / "rust" / "qr" / ".gitignore").read_text().split()
    assert {"Cargo.lock", "target/"} <= set(ignored)


@pytest.mark.parametrize("how", ["loop", "slices", "worker", "pool"])
def test_every_way_in_javascript_draws_the_same(how):
    with lab.server("node/qr", env={"HOW": how}).start() as running:  # start verifies the bytes
        assert running.get("/ping").text == "pong\n"
        assert running.get("/?text=" + "x" * 3000).status == 400


@pytest.mark.parametrize("how", ["main", "pool"])
def test_the_published_service_draws_the_same_in_both_places(how):
    with lab.server("node/qr-express", env={"HOW": how}).start() as running:
        assert running.get("/?text=other").text.startswith('{"result":"data:image/png;base64,')
        assert running.get("/?text=" + "x" * 3000).status == 500


@pytest.mark.skipif(bool(rust_addon.missing("qr")), reason="the addon is not built")
def test_the_published_service_in_rust_refuses_what_fits_into_no_code():
    with lab.server("node/qr-express-rust").start() as running:
        assert running.get("/?text=" + "x" * 3000).status == 500
        assert running.get("/").status == 200


def test_a_mistyped_place_of_the_published_service_is_no_place():
    with pytest.raises(lab.LabError, match="HOW=lop: main or pool"):
        lab.server("node/qr-express", env={"HOW": "lop"}).start()


@pytest.mark.skipif(bool(rust_addon.missing("qr")), reason="the addon is not built")
@pytest.mark.parametrize("how", ["loop", "pool", "thread"])
def test_every_way_in_rust_draws_the_same(how):
    with lab.server("node/qr-rust", env={"HOW": how}).start() as running:
        assert running.get("/?text=" + "x" * 3000).status == 400


def test_a_mistyped_place_in_javascript_is_no_place():
    with pytest.raises(lab.LabError, match="HOW=pol: loop, slices, worker or pool"):
        lab.server("node/qr", env={"HOW": "pol"}).start()


@pytest.mark.skipif(bool(rust_addon.missing("qr")), reason="the addon is not built")
def test_a_mistyped_place_in_rust_is_no_place():
    with pytest.raises(lab.LabError, match="HOW=pol: loop, pool or thread"):
        lab.server("node/qr-rust", env={"HOW": "pol"}).start()
