"""Put the course's two kernels into the virtual environment: `python -m lab.kernels.kernelspec`.

Nothing is written outside `sys.prefix`, so the reader's own kernels stay as they are.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ipykernel.kernelspec import get_kernel_dict
from jupyter_client.kernelspec import KernelSpecManager

from lab.errors import LabError
from lab.paths import NODE_SIDE
from lab.processes import nodes

# The kernel chooses its Node when it starts, in the same way as nodes.program(). A Node that was
# chosen when the kernel was installed could differ from the Node of the servers that its cells
# start.
START = 'exec "${LAB_NODE:-$(command -v node || echo "$0")}" "$@"'
JAVASCRIPT = {"display_name": "JavaScript (Node.js)", "language": "javascript"}


def install(prefix: str = sys.prefix, node: str | None = None) -> list[str]:
    """Return the names of the kernelspecs that were written; none if both were already right.

    node : the program on which the JavaScript kernel runs if, when it starts, neither LAB_NODE nor
        the PATH has a Node; by default the Node that is chosen now
    Raises LabError if there is no Node.js, or if the installed packages are missing.
    """
    program = nodes.program(node)
    if not (NODE_SIDE.parent.parent / "node_modules" / "ijavascript").is_dir():
        raise LabError("node_modules has no ijavascript. Run `npm ci` first.")
    main = NODE_SIDE / "kernel" / "main.cjs"
    javascript = {
        "argv": ["/bin/sh", "-c", START, program, str(main), "{connection_file}"],
        **JAVASCRIPT,
        "env": {"LAB_PYTHON": sys.executable},  # where the verbs of `require("lab")` run
        "interrupt_mode": "signal",
        "metadata": {"debugger": False},
    }
    # ipykernel's own specification, with this interpreter by name instead of whichever `python` is.
    python = get_kernel_dict()
    # Warnings are off. Otherwise each start would warn that loopback traffic is not encrypted, and
    # an interrupted build would end with its kernel's messages on closed sockets. Cells still
    # report their own errors.
    python["argv"] = [sys.executable, *python["argv"][1:], "--log-level=CRITICAL"]
    kernels = Path(prefix) / "share" / "jupyter" / "kernels"
    wanted = {"javascript": javascript, "python3": python}
    return [name for name, spec in wanted.items() if _write(kernels / name, spec)]


def check() -> None:
    """Raise LabError if Jupyter would start other kernels than the ones installed here."""
    manager = KernelSpecManager()
    for name in ("javascript", "python3"):
        found = Path(manager.get_kernel_spec(name).resource_dir).resolve()
        if not found.is_relative_to(Path(sys.prefix).resolve()):
            raise LabError(
                f"Jupyter would use the kernel {name!r} from {found} instead of {sys.prefix}. "
                "Unset JUPYTER_PATH, or set JUPYTER_PREFER_ENV_PATH=1."
            )


def _write(folder: Path, spec: dict[str, object]) -> bool:
    target = folder / "kernel.json"
    text = json.dumps(spec, indent=1) + "\n"
    if target.is_file() and target.read_text() == text:
        return False
    folder.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    return True


def main() -> None:
    """Install, check, and say what was done in one line."""
    written = install()
    check()
    print("kernels:", ", ".join(f"{name} installed" for name in written) or "up to date")


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(f"lab.kernels.kernelspec: {error}")
