"""What can be wrong with a server. Each message has its last log lines and the next step."""

from __future__ import annotations

from lab.errors import LabError

# What a server prints when it has a trouble of its own, and what to do.
_ADVICE = {
    "WORKER TIMEOUT": "gunicorn ended a worker whose request took longer than its time-out "
    "of 30 s (or GUNICORN_CMD_ARGS): Give the handler less to do, or give "
    "gunicorn a longer --timeout.",
    "EMFILE": "It had no file descriptor left, and each connection needs one. Raise `ulimit "
    "-n` above the number of connections, or use fewer connections.",
}


def advice(printed: str) -> str:
    """Return what to do about a trouble that the lines of a log tell of; "" if there is none."""
    return " ".join(text for words, text in _ADVICE.items() if words in printed)


class ServerError(LabError):
    """A server did not do what its recipe says."""


class NeverListened(ServerError):
    """It runs, but did not say in time that it listens."""


class ExitedEarly(ServerError):
    """It ended before it listened."""


class ServerDied(ServerError):
    """It listened, and is gone."""


class NotAnswering(ServerError):
    """It listens, but did not answer a request."""


class WrongBody(ServerError):
    """It answers, but not what its recipe promises."""


class WrongPort(ServerError):
    """It listens somewhere else than it says or was told."""


class StillRunning(ServerError):
    """It could not be killed."""


class IgnoredSigterm(LabError, UserWarning):
    """It had to be killed: given as a warning, since the server is gone all the same."""
