import io
from contextlib import redirect_stdout

from IPython.core.interactiveshell import InteractiveShell

from lab.errors import LabError, did_you_mean, nearest


def test_a_notebook_shows_the_message_of_a_lab_error_and_no_stack():
    shell = InteractiveShell()
    shell.colors = "NoColor" if hasattr(shell, "colors") else None
    out = io.StringIO()
    with redirect_stdout(out):
        shell.run_cell(
            "import lab.errors\ndef f():\n    raise lab.errors.LabError('port is 99999')\nf()"
        )
    assert "LabError: port is 99999" in out.getvalue()
    assert "Traceback" not in out.getvalue()
    assert "def f" not in out.getvalue()


def test_a_misspelt_name_is_offered_its_neighbour():
    assert nearest("node/red-sync", ["node/read-sync", "python/flask-hello"]) == ["node/read-sync"]


def test_a_name_without_its_runtime_is_found():
    assert nearest("flask-hello", ["node/hello", "python/flask-hello"])[0] == "python/flask-hello"


def test_a_name_like_no_other_gets_the_list():
    assert did_you_mean("zzz", ["b", "a", "b"]) == "Known: a, b."


def test_a_lab_error_is_an_ordinary_exception():
    assert issubclass(LabError, Exception)
