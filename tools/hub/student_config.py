"""The server of one student on a hub, run as that student: his files, the book, his results.

Where the hub has a course (LAB_COURSE_NAME), nbgrader's parts in JupyterLab are those of a student,
or with LAB_COURSE, the folder of the course, those of an instructor. Else they are off.
"""

import importlib.util
import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821 - Jupyter puts it there

ROOT = Path(__file__).resolve().parents[2]
HOME = Path(os.environ.get("LAB_HOME") or Path.home()).resolve()
RUNS = HOME / ".course" / "runs"


def linked(link: Path, target: Path) -> None:
    """Point a link at a folder of the course, also after the course has moved."""
    if link.is_symlink() and link.readlink() != target:
        link.unlink()
    if not link.is_symlink() and not link.exists():
        link.symlink_to(target)


# What is measured and handed in is the student's own; the book is everybody's.
RUNS.mkdir(parents=True, exist_ok=True, mode=0o700)
os.environ["LAB_RUNS"] = str(RUNS)
linked(RUNS / "node_modules", ROOT / "node_modules")  # for programs written in cells
for name in ("book", "servers"):
    linked(HOME / name, ROOT / name)

# ---- nbgrader: a folder each for what a student, an instructor and nobody has of it. In the
# environment, so that its commands in a terminal find it, too.
if os.environ.get("LAB_COURSE"):
    role = "instructor"
    # What the formgrader shows has to lie below the server's own folder.
    linked(HOME / "course", Path(os.environ["LAB_COURSE"]))
else:
    role = "student" if os.environ.get("LAB_COURSE_NAME") else "nobody"
places = [str(Path(__file__).resolve().parent / "nbgrader" / role)]
os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(
    [*places, *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
)
# nbgrader starts alembic by its name, and a terminal nbgrader.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
os.environ["LAB_HOME"] = str(HOME)
if importlib.util.find_spec("nbgrader"):
    used = {"assignment_list": ("student", "instructor"), "formgrader": ("instructor",)}
    c.ServerApp.jpserver_extensions = {
        f"nbgrader.server_extensions.{name}": role in used.get(name, ())
        for name in ("assignment_list", "formgrader", "course_list", "validate_assignment")
    }

c.ServerApp.root_dir = str(HOME)
# Kernels of JupyterLab that nobody talks to end; those of pages end with their tabs.
c.MappingKernelManager.cull_idle_timeout = 1800
c.MappingKernelManager.cull_interval = 120
