"""What can be wrong with a server. Each message has its last log lines and the next step."""

from __future__ import annotations

from lab.errors import LabError


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
