"""Say what is wrong with the settings of the hub, before the site is built."""

import sys
from pathlib import Path

from traitlets.config.loader import PyFileConfigLoader

from lab.errors import LabError

try:
    PyFileConfigLoader("jupyterhub_config.py", str(Path(__file__).parent)).load_config()
except (LabError, ValueError, OSError) as error:
    print(error, file=sys.stderr)
    sys.exit(2)
