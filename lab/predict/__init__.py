"""What theory says before anything is measured. The functions are pure; their parameters come from
*other* measurements than those predicted.

    lab.predict.closed(loop=0.005, delay=0.045).limit
                                                200 requests a second, from however many clients
    lab.predict.closed(loop=0.005, delay=0.045).bound(5)
                                                100 requests a second from five clients, at most
    lab.predict.little(200, 0.05)               10 requests are inside, on average
"""

from lab.predict.accept import Admission, accept_losses, accept_turns
from lab.predict.closed_network import Band, Closed, Mva, Station, closed, delay, queue
from lab.predict.queues import (
    Exponential,
    Open,
    demand,
    little,
    md1,
    mg1,
    mm1,
)
from lab.predict.servers import (
    Law,
    Usl,
    blocking,
    nonblocking,
    pooled,
    prefork,
    threaded,
    two_core,
    usl,
)

__all__ = [
    "Admission",
    "Band",
    "Closed",
    "Exponential",
    "Law",
    "Mva",
    "Open",
    "Station",
    "Usl",
    "accept_losses",
    "accept_turns",
    "blocking",
    "closed",
    "delay",
    "demand",
    "little",
    "md1",
    "mg1",
    "mm1",
    "nonblocking",
    "pooled",
    "prefork",
    "queue",
    "threaded",
    "two_core",
    "usl",
]
