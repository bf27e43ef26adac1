"""JupyterLab as `make lab` starts it: chapters are notebooks, settings stay inside .venv."""

import os
import sys
from pathlib import Path

from lab.processes import nodes

c = get_config()  # noqa: F821 - Jupyter puts it there

ROOT = Path(__file__).resolve().parent.parent
STATE = Path(sys.prefix) / "var" / "jupyterlab"

os.environ.update(nodes.anchored())
os.environ.update(nodes.on_path())  # what cells start as `node` is the Node that is meant
c.ServerApp.root_dir = str(ROOT)  # so that servers/ can be read and edited beside the chapter
c.LabApp.default_url = "/lab/tree/book"
c.ServerApp.ip = "127.0.0.1"
c.LabApp.app_settings_dir = str(ROOT / "tools" / "jupyterlab")
c.LabApp.user_settings_dir = str(STATE / "user-settings")
c.LabApp.workspaces_dir = str(STATE / "workspaces")
c.LabApp.news_url = None
