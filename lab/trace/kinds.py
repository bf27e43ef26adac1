"""What each async_hooks type is to a reader: its lane, and the phases its callback can run in.

Types are those of `process.binding('async_wrap')` on Node 20 to 26 plus the JavaScript ones.
"""

from __future__ import annotations

import re

QUEUES = {"TickObject": "tick", "PROMISE": "micro", "Microtask": "micro"}
LANES = {"Timeout": "timers", "Immediate": "check", **QUEUES}

POOL_FILES = {"FSREQCALLBACK", "FSREQPROMISE", "FILEHANDLE", "FILEHANDLECLOSEREQ", "DIRHANDLE"}
# libuv lets at most half of the threads (rounded up) run these: 2 of 4.
POOL_SLOW = {"GETADDRINFOREQWRAP", "GETNAMEINFOREQWRAP"}
POOL_WORK = re.compile(
    r"^(ZLIB|PBKDF2REQUEST|SCRYPTREQUEST|RANDOM\w*REQUEST|KEY\w*REQUEST|SIGNREQUEST|HASHREQUEST|"
    r"CHECKPRIMEREQUEST|CIPHERREQUEST|DERIVEBITSREQUEST|ARGON2REQUEST|KEM\w*REQUEST|BLOBREADER)$"
)
KERNEL = re.compile(
    r"^(TCP|PIPE|UDP|TTY|WRITE|SHUTDOWN|DNSCHANNEL|QUERY|FSEVENT|SIGNAL|PROCESS|MESSAGEPORT|WORKER|"
    r"STATWATCHER|QUIC)"
)
# Also called in the close phase without a close() that the hooks see: a request of a closing stream
# ends with ECANCELED, and C++ closes message ports itself.
MAY_CLOSE = re.compile(r"^(WRITEWRAP|SHUTDOWNWRAP|UDPSENDWRAP|\w+CONNECTWRAP|MESSAGEPORT)$")
# Node itself finishes some of these with a native immediate, or at once inside another callback.
LOOSE = re.compile(r"^(WORKER$|TLS\w*|JSSTREAM|HTTP2|QUERYWRAP|STREAM|HTTP\w+|FILEHANDLE$|QUIC)")

NOUNS = {
    "TCPSERVERWRAP": "server",
    "TCPWRAP": "socket",
    "TCPCONNECTWRAP": "connect",
    "PIPESERVERWRAP": "pipe server",
    "PIPEWRAP": "pipe",
    "PIPECONNECTWRAP": "connect",
    "UDPWRAP": "UDP socket",
    "UDPSENDWRAP": "send",
    "WRITEWRAP": "write",
    "SHUTDOWNWRAP": "end of writing",
    "PROCESSWRAP": "child process",
    "SIGNALWRAP": "signal",
    "FSEVENTWRAP": "file watcher",
    "STATWATCHER": "file watcher",
    "HTTPINCOMINGMESSAGE": "HTTP request",
    "HTTPCLIENTREQUEST": "HTTP response",
    "QUERYWRAP": "DNS query",
    "MESSAGEPORT": "message port",
    "WORKER": "worker",
    "TTYWRAP": "terminal",
    "TLSWRAP": "TLS",
    "GETADDRINFOREQWRAP": "getaddrinfo",
    "GETNAMEINFOREQWRAP": "getnameinfo",
    "FILEHANDLE": "file handle",
    "FILEHANDLECLOSEREQ": "close",
    "DIRHANDLE": "directory",
    "ZLIB": "compression",
}


# Kinds that live on after their callback, unlike a request.
HANDLES = {
    "TCPSERVERWRAP",
    "TCPWRAP",
    "PIPESERVERWRAP",
    "PIPEWRAP",
    "UDPWRAP",
    "TTYWRAP",
    "SIGNALWRAP",
    "PROCESSWRAP",
    "FSEVENTWRAP",
    "STATWATCHER",
    "MESSAGEPORT",
    "WORKER",
    "TLSWRAP",
}


def lane(kind: str) -> str:
    """Where such a resource waits: timers, check, tick, micro, pool, slow, kernel or other."""
    if kind in LANES:
        return LANES[kind]
    if kind in POOL_SLOW:
        return "slow"
    if kind in POOL_FILES or POOL_WORK.match(kind):
        return "pool"
    return "kernel" if KERNEL.match(kind) else "other"
