"""Who is let in, and when: a loop that takes few new connections a turn and serves all it has.

Symbols: c clients, R requests of each (one after the other), S seconds of work a request, T the
clients' patience. Sources: libuv 1.45.0, `uv__server_io` accepts one connection a turn (libuv
#3696); the arithmetic is that of a round: with n connections inside, a turn lasts n * S.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from dataclasses import dataclass

from lab.errors import LabError
from lab.storage.gate import checked


@dataclass(frozen=True)
class Admission:
    """What became of c * R requests: `latency_s` of the answered, sorted; `first_s` the wait of
    each client's first request (infinite if it gave up), in the order of the clients.
    """

    latency_s: tuple[float, ...]
    failed: int
    first_failed: int  # failed requests that were the first of their client
    total_s: float
    turns: int
    first_s: tuple[float, ...]

    @property
    def ok(self) -> int:
        """Requests answered in time."""
        return len(self.latency_s)

    def quantile(self, q: float) -> float:
        """Return the latency (s) that a share q of the answered requests does not exceed."""
        if not self.latency_s:
            return math.nan
        return self.latency_s[max(1, math.ceil(q * self.ok - 1e-9)) - 1]


@checked
def accept_losses(clients: int, rounds: int, service_s: float, timeout_s: float) -> float:
    """Return how many clients lose their first request: c - T / (R * S), not below 0.

    The k-th client is let in on turn k, a turn lasts R * S, so it waits k * R * S. Counts first
    losses only: good while the last client waits at most about 2 * T; `accept_turns` beyond.
    Raises LabError for numbers that can't be.
    """
    # "not >=" instead of "<", so that NaN is refused, too.
    if not clients >= 0:
        raise LabError(f"clients={clients!r} must be 0 or more")
    if not (rounds >= 1 and 0 < service_s < math.inf):
        raise LabError(f"a client sends at least 1 request of > 0 s; got {rounds!r}, {service_s!r}")
    if not timeout_s > 0:
        raise LabError(f"timeout_s={timeout_s!r} must be above 0; math.inf is unlimited patience")
    return max(0.0, clients - timeout_s / (rounds * service_s))


@checked
def accept_turns(
    clients: int,
    rounds: int,
    service_s: float,
    timeout_s: float = math.inf,
    *,
    per_turn: float = 1,
    abandoned_cost: bool = True,
) -> Admission:
    """Return what happens to c clients that all come at time 0, turn by turn.

    per_turn : connections let in a turn; 1 since libuv 1.45, math.inf before
    abandoned_cost : whether a request that nobody waits for any more is worked on all the same

    A request older than T fails; its client sends the next one at once, on a new connection at
    the end of the queue. Raises LabError for numbers that can't be.
    """
    accept_losses(clients, rounds, service_s, timeout_s)  # checks the arguments
    if not per_turn >= 1:
        raise LabError(
            f"per_turn={per_turn!r} must be 1 or more, because otherwise no client is ever let in"
        )
    return _Turns(clients, rounds, service_s, timeout_s, abandoned_cost).run(per_turn)


class _Connection:
    """One socket of a client and the request on it."""

    __slots__ = ("client", "gone", "sent_s")

    def __init__(self, client: int, sent_s: float) -> None:
        self.client, self.sent_s, self.gone = client, sent_s, False


class _Turns:
    def __init__(self, c: int, rounds: int, service_s: float, timeout_s: float, pay: bool) -> None:
        self.left = [rounds - 1] * c
        self.service_s, self.timeout_s, self.pay = service_s, timeout_s, pay
        self.queue = deque(_Connection(k, 0.0) for k in range(c))
        self.patience = [(timeout_s, i, one) for i, one in enumerate(self.queue)]
        self.number = c
        self.first: list[float | None] = [None] * c
        self.latency: list[float] = []
        self.failed = self.first_failed = self.turns = 0
        self.now = 0.0

    def run(self, per_turn: float) -> Admission:
        inside: list[_Connection] = []
        while self.queue or inside:
            self.turns += 1
            self.give_up()
            let_in = int(min(per_turn, len(self.queue)))
            inside += [self.queue.popleft() for _ in range(let_in)]
            inside = [connection for connection in inside if self.serve(connection)]
        first = tuple(math.inf if f is None else f for f in self.first)
        latency = tuple(sorted(self.latency))
        return Admission(latency, self.failed, self.first_failed, self.now, self.turns, first)

    def serve(self, connection: _Connection) -> bool:
        """Work on a connection's request; True if its client sends another connection on it."""
        if self.pay or not connection.gone:
            self.now += self.service_s
        self.give_up()
        if connection.gone:
            return False
        waited = self.now - connection.sent_s
        self.latency.append(waited)
        if self.first[connection.client] is None:
            self.first[connection.client] = waited
        if self.left[connection.client] == 0:
            connection.gone = True
            return False
        self.left[connection.client] -= 1
        connection.sent_s = self.now
        self.remember(connection)
        return True

    def remember(self, connection: _Connection) -> None:
        self.number += 1
        heapq.heappush(self.patience, (connection.sent_s + self.timeout_s, self.number, connection))

    def give_up(self) -> None:
        """Let all clients go whose patience is over by now; each comes back at the end."""
        while self.patience and self.patience[0][0] < self.now:
            due, _, connection = heapq.heappop(self.patience)
            if (
                connection.gone or due < connection.sent_s + self.timeout_s
            ):  # the server has answered it
                continue
            connection.gone = True
            self.failed += 1
            if self.first[connection.client] is None:
                self.first_failed += 1
                self.first[connection.client] = math.inf
            if self.left[connection.client]:
                self.left[connection.client] -= 1
                again = _Connection(connection.client, due)
                self.queue.append(again)
                self.remember(again)
