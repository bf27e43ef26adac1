"""The rooms of `lab` and what they import, read from the sources: no module is imported for it."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The rooms of `lab`, the lowest first, as docs/house.md draws them.
PICTURE = (ROOT / "docs" / "house.md").read_text("utf8")
HOUSE = PICTURE.partition("## The house")[2].partition("\n## ")[0]
CELLS = re.findall(r"^\| (`[^|]+`) \|", HOUSE, re.M)
ROOMS = [room for cell in CELLS for room in re.findall(r"`(\w+)`", cell)][::-1]


def imports():
    """{module: the modules of `lab` it imports}, in functions and for types too."""
    files = {module_name(file): file for file in (ROOT / "lab").rglob("*.py")}
    return {name: set(targets(name, file, files)) - {name} for name, file in files.items()}


def module_name(file):
    """The dotted name of a Python file below the root."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def targets(name, file, files):
    """The modules among `files` that the module `name`, in `file`, imports."""
    package = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(file.read_text("utf8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                candidates = (f"{base}.{alias.name}", base)
                yield from [module for module in candidates if module in files][:1]


def room(module):
    """The room that a module of `lab` lies in; the door is `__init__`."""
    return module.split(".")[1] if "." in module else "__init__"


def level(module):
    """How high the room of a module lies: 0 is the ground."""
    return ROOMS.index(room(module))
