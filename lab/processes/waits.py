"""Waiting for what other threads do, so that Ctrl-C always ends the wait."""

from __future__ import annotations

from collections.abc import Collection
from concurrent import futures
from typing import Any

WAKES_S = 0.5  # between two looks at whether a signal has arrived


def some_done(
    pending: Collection[futures.Future[Any]],
) -> tuple[set[futures.Future[Any]], set[futures.Future[Any]]]:
    """Wait until at least one future is done; return those that are done, and the others.

    Python handles a signal in the main thread, and a signal that arrives just before this thread
    falls asleep is handled only when the thread wakes. So the thread wakes twice a second.
    """
    while True:
        done, others = futures.wait(pending, WAKES_S, futures.FIRST_COMPLETED)
        if done or not others:
            return done, others
