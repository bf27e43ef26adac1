"""`tools/checkup/staging.py`, which knows what is in the clinic's package, as a module."""

import importlib.util
from pathlib import Path

CHECKUP = Path(__file__).parents[2] / "tools" / "checkup"


def staging():
    spec = importlib.util.spec_from_file_location("staging", CHECKUP / "staging.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# What the package holds, and its program never runs: the fit of a law, and rows kept in files.
NOT_RUN = {"lab.predict.servers", "lab.records.raw", "lab.storage.stored"}
