import pytest
from IPython.core.interactiveshell import InteractiveShell

import lab
from lab.servers import catalog, server_cell
from lab.servers.catalog import CatalogError
from lab.servers.server_errors import ExitedEarly

MINE = "node/test-magic"


@pytest.fixture
def shell():
    shell = InteractiveShell()
    server_cell.load_ipython_extension(shell)
    yield shell
    entry = catalog._defined.pop(MINE, None)
    if entry:
        (lab.paths.ROOT / entry["source"][0]).unlink(missing_ok=True)


def run(shell, line, cell):
    return shell.run_cell_magic("server", line, cell)


def test_the_text_of_a_cell_becomes_a_server(shell, hello):
    run(shell, MINE, hello)
    with lab.server(MINE).start() as running:
        assert running.get().text == "hello world\n"


def test_a_cell_like_another_server_must_return_the_same_body(shell, hello):
    run(shell, f"{MINE} --like node/hello", hello)
    recipe = lab.server(MINE)
    assert (recipe.workload, recipe.body) == ("hello", lab.server("node/hello").body)
    recipe.start().stop()


def test_a_cell_may_set_its_own_parameters(shell, hello):
    run(
        shell,
        f"{MINE} --env GREETING=moin",
        hello.replace('"hello world\\n"', "process.env.GREETING"),
    )
    with lab.server(MINE).start() as running:
        assert running.get().text == "moin"


def test_a_mistake_in_the_program_shows_what_node_says_about_it(shell):
    run(shell, MINE, "const = 3;\n")
    with pytest.raises(ExitedEarly, match=r"SyntaxError") as failure:
        lab.server(MINE).start()
    assert "const = 3;" in str(failure.value), "with the line itself"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "name is missing"),
        ("node/a node/b", "can't both"),
        ("node/a --lik node/b", "--lik is unknown"),
        ("node/a --env GREETING", "KEY=VALUE"),
        ("node/a --like", "needs a value"),
        ("node/a --like node/red-sync", "Did you mean node/read-sync"),
    ],
)
def test_a_first_line_that_makes_no_sense_says_so(line, words):
    with pytest.raises(catalog.LabError, match=words):
        server_cell.server_cell(line, "// text")


def test_importing_lab_in_a_notebook_is_enough(python):
    import subprocess

    program = (
        "from IPython.core.interactiveshell import InteractiveShell as S; s = S.instance();"
        "s.run_cell('import lab'); print('server' in s.magics_manager.magics['cell'])"
    )
    done = subprocess.run(
        [python, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.stdout.strip() == "True", done.stderr


def test_errors_of_the_magic_are_errors_of_the_catalogue():
    assert issubclass(server_cell.BadMagic, CatalogError)
