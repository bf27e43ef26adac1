"""nbgrader for an instructor of a hub: what the course's own configuration says.

The course is reached by the link in the instructor's folder, because the formgrader shows only what
lies below the folder of its server.
"""

import os
from pathlib import Path

load_subconfig(str(Path(os.environ["LAB_HOME"]) / "course" / "nbgrader_config.py"))  # noqa: F821
