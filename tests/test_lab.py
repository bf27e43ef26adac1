import subprocess
import sys

import pytest

import lab
from lab import paths, settings, usage
from lab.settings import BadSetting


def in_fresh_python(program, **env):
    import os

    process = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=paths.ROOT,
        env={**os.environ, **env},
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


def test_importing_lab_imports_nothing_heavy():
    heavy = "{'numpy', 'matplotlib', 'psutil', 'IPython', 'subprocess'}"
    assert in_fresh_python(f"import sys, lab; print({heavy} & set(sys.modules))") == "set()"


def test_a_verb_stays_a_verb_when_its_package_of_the_same_name_is_imported():
    program = (
        "from lab.trace.verb import trace as a; import lab; import lab.trace.phases;"
        "print(lab.trace is a, callable(lab.trace))"
    )
    assert in_fresh_python(program) == "True True"


def test_a_module_that_cells_know_by_another_name_is_looked_up_once():
    program = "import lab; lab.stats.sign_flip_p; print('stats' in vars(lab), 'ask' in vars(lab))"
    assert in_fresh_python(program) == "True False"


@pytest.mark.parametrize(
    "program",
    [
        "from lab.records import reference; print(reference.read('pool-crowd')['experiment'])",
        "from lab.widgets.question.questions import node_of; node_of('pool-crowd', 'replay');"
        "print('pool-crowd')",
        "from lab.records.trial import Trial; from lab.records import reference as r;"
        "print(r.answer('pool-crowd', {}).experiment)",
    ],
)
def test_a_record_opens_whoever_asks_first(program):
    assert in_fresh_python(program) == "pool-crowd"


@pytest.mark.parametrize("name", lab.__all__)
def test_every_public_name_is_there(name):
    assert getattr(lab, name) is not None


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="serve"):
        _ = lab.serve


def test_profiles_are_chosen_by_the_environment(monkeypatch):
    monkeypatch.setenv("LAB_PROFILE", "smoke")
    assert settings.profile().pairs == 1
    assert not settings.profile().verdicts
    monkeypatch.delenv("LAB_PROFILE")
    assert settings.profile().name == "course"


def test_a_setting_that_means_nothing_offers_what_it_may_have_meant(monkeypatch):
    monkeypatch.setenv("LAB_MODE", "reply")
    with pytest.raises(BadSetting, match=r"'reply'.*replay"):
        settings.mode()


def test_the_project_is_found_from_any_folder(tmp_path):
    program = f"import os; os.chdir({str(tmp_path)!r}); import lab.paths; print(lab.paths.ROOT)"
    assert in_fresh_python(program) == str(paths.ROOT)


def test_usage_is_not_noted_unless_asked_for(tmp_path, monkeypatch):
    monkeypatch.delenv("LAB_USAGE_FILE", raising=False)
    usage.note("load", requests=1)
    monkeypatch.setenv("LAB_USAGE_FILE", str(tmp_path / "usage"))
    usage.note("load", requests=2)
    assert (tmp_path / "usage").read_text() == '{"kind": "load", "requests": 2}\n'


def test_the_command_line_lists_servers_and_says_when_there_are_none():
    assert "node/read-sync" in in_fresh_python("from lab.__main__ import main; main(['servers'])")
    assert in_fresh_python("from lab.__main__ import main; main(['ps'])") == "No server is running."
