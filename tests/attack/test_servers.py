"""Servers that mean harm, or know no better: a load ends in time and says what is wrong."""

import json
import re

import pytest
from support import linux

from .ground import apart, attacked, cases

pytestmark = apart

# Answers well until it has answered `SHY` requests, then shows what it is.
SERVER = """
import itertools, os, signal, socket, subprocess, sys, threading, time

GOOD = b"HTTP/1.1 200 OK\\r\\ncontent-length: 6\\r\\n\\r\\nhello\\n"
HEAD = b"HTTP/1.1 200 OK\\r\\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\\r\\n\\r\\n"
FOUND = b"HTTP/1.1 302 Found\\r\\nlocation: http://192.0.2.1/\\r\\ncontent-length: 0\\r\\n\\r\\n"
SWITCH = b"HTTP/1.1 101 Switching\\r\\nupgrade: x\\r\\nconnection: upgrade\\r\\n\\r\\n"

def of_length(body):
    return HEAD + b"content-length: %d\\r\\n\\r\\n" % len(body) + body

def python(text, **options):
    return subprocess.Popen([sys.executable, "-c", text], **options)

def crowd():
    for i in range(200):
        subprocess.Popen(["sleep", "600"], start_new_session=i % 2)
SHY = {shy}
COUNT = itertools.count()
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
{before}
listener = socket.create_server(("127.0.0.1", int(os.environ["PORT"])), backlog=200)

def say():
    print("listening on http://127.0.0.1:%d" % listener.getsockname()[1], flush=True)

def serve(client):
    send = client.sendall
    try:
        while client.recv(65536):
            n = next(COUNT)
            if n < SHY:
                send(GOOD)
                continue
            {answer}
    except OSError:
        pass
    finally:
        client.close()

{say}
while True:
    threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()
"""

# What it answers; what a load says when the first answer is like that, and when the load's are.
ANSWERS = {
    "random length": (
        "send(of_length(os.urandom(1 + n * 7919 % 4000)))",
        "verified: .*a body that differs",
        "verified: .*a body that differs",
    ),
    "changing body": (
        "send(GOOD.replace(b'hello', b'%05d' % n))",
        "verified: .*a body that differs",
        "verified: .*a body that differs",
    ),
    "endless header": (
        "send(HEAD)\n            while True: send(b'x-more: %s\\r\\n' % (b'y' * 4000))",
        "NotAnswering: .*got more than",
        "no_errors: .*(HEAD_TOO_LARGE|TOO_LARGE)",
    ),
    "endless line of a header": (
        "send(HEAD + b'x: ')\n            while True: send(b'y' * 65536)",
        "NotAnswering: .*(LineTooLong|got more than)",
        "no_errors: .*TOO_LARGE",
    ),
    "endless body": (
        "send(HEAD + b'\\r\\n')\n            while True: send(bytes(65536))",
        "NotAnswering: .*(more than|not answered within)",
        "no_errors: .*timed out",
    ),
    "half an answer, then the end": (
        "send(GOOD[:-3]); return",
        "NotAnswering: .*broke off",
        "no_errors: .*CLOSED_EARLY",
    ),
    "half a head, then the end": (
        "send(GOOD[:20]); return",
        "no_errors: .*CLOSED_EARLY",
        "no_errors: .*CLOSED_EARLY",
    ),
    "half an answer, then nothing": (
        "send(GOOD[:-3]); time.sleep(100)",
        "NotAnswering: .*not answered within",
        "no_errors: .*timed out",
    ),
    "nothing at all": (
        "time.sleep(100)",
        "NotAnswering: .*not answered within",
        "no_errors: .*timed out",
    ),
    "a byte now and then": (
        "for i in range(len(GOOD)): send(GOOD[i:i+1]); time.sleep(0.3)",
        "NotAnswering: .*not answered within",
        "no_errors: .*timed out",
    ),
    "garbage as status line": (
        "send(b'\\x00\\xffHELLO there\\r\\n\\r\\n')",
        "NotAnswering: .*BadStatusLine",
        "no_errors: .*BAD_STATUS_LINE",
    ),
    "status that is none": (
        "send(GOOD.replace(b'200', b'-20'))",
        "(NotAnswering|WrongBody): ",
        "no_errors: .*BAD_STATUS_LINE",
    ),
    "huge Content-Length": (
        "send(HEAD + b'content-length: 1' + b'0' * 15 + b'\\r\\n\\r\\nhello'); return",
        "NotAnswering: .*broke off",
        "no_errors: .*CLOSED_EARLY",
    ),
    "Content-Length beyond all numbers": (
        "send(HEAD + b'content-length: ' + b'9' * 5000 + b'\\r\\n\\r\\nhello'); return",
        "no_errors: .*BAD_CONTENT_LENGTH",
        "no_errors: .*BAD_CONTENT_LENGTH",
    ),
    "negative Content-Length": (
        "send(HEAD + b'content-length: -5\\r\\n\\r\\nhello')",
        "NotAnswering: .*not answered within",
        "no_errors: .*BAD_CONTENT_LENGTH",
    ),
    "two lengths": (
        "send(HEAD + b'content-length: 5\\r\\ncontent-length: 6\\r\\n\\r\\nhello\\n')",
        "no_errors: .*CONFLICTING",
        "no_errors: .*CONFLICTING",
    ),
    "a chunk of no number": (
        "send(CHUNKED + b'zz\\r\\nhello\\r\\n0\\r\\n\\r\\n')",
        "NotAnswering: .*broke off",
        "no_errors: .*CHUNK",
    ),
    "a negative chunk": (
        "send(CHUNKED + b'-5\\r\\nhello\\r\\n0\\r\\n\\r\\n')",
        "NotAnswering: .*failed",
        "no_errors: .*CHUNK",
    ),
    "a chunk larger than memory": (
        "send(CHUNKED + b'ffffffffffff\\r\\nhello'); return",
        "NotAnswering: .*broke off",
        "no_errors: .*CLOSED_EARLY",
    ),
    "a chunk longer than it says": (
        "send(CHUNKED + b'2\\r\\nhello\\r\\n0\\r\\n\\r\\n')",
        "NotAnswering: .*broke off",
        "no_errors: .*CHUNK",
    ),
    "a redirect to another host": (
        "send(FOUND)",
        "WrongBody: .*status 302",
        "no_errors: .*302",
    ),
    "interim answers without end": (
        "while True: send(b'HTTP/1.1 100 Continue\\r\\n\\r\\n' * 100)",
        "NotAnswering: .*not answered within",
        "no_errors: .*HEAD_TOO_LARGE",
    ),
    "two answers to each request": (
        "send(GOOD * 2)",
        "no_errors: .*EXTRA_DATA",
        "no_errors: .*EXTRA_DATA",
    ),
    "another protocol": (
        "send(SWITCH); time.sleep(100)",
        "WrongBody: .*101",
        "no_errors: .*UNEXPECTED_101",
    ),
    "bytes that are no text in the head": (
        "send(GOOD.replace(b'\\r\\n\\r\\n', b'\\r\\nx\\x00\\xff: \\x01\\r\\n\\r\\n'))",
        "no_errors: .*BAD_FIELD",
        "no_errors: .*BAD_FIELD",
    ),
    "a reset": (
        "client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes([1, *[0] * 7])); return",
        "NotAnswering: .*eset",
        "no_errors: .*(RESET|CLOSED)",
    ),
    "its own death": (
        "os._exit(3)",
        "ServerDied: .*exit code 3",
        "ServerGone: .*exit code 3",
    ),
    "a death by signal": (
        "os.kill(os.getpid(), signal.SIGSEGV)",
        "ServerDied: .*signal 11",
        "ServerGone: .*-11",
    ),
    "its suspension": (
        "os.kill(os.getpid(), signal.SIGSTOP)",
        "NotAnswering: .*not answered within",
        "no_errors: .*timed out",
    ),
    "a port that is closed again": (
        "listener.close(); send(GOOD); return",
        "ServerGone: .*exit code 1",
        "ServerGone: .*exit code 1",
    ),
    "a port for everybody": (
        "globals().setdefault('door', socket.create_server(('0.0.0.0', 0))); send(GOOD)",
        "NotLoopback: .*0\\.0\\.0\\.0",
        "NotLoopback: .*0\\.0\\.0\\.0",
    ),
    "a child that listens for everybody": (
        "n == SHY and (python(CHILD), time.sleep(0.3)); send(GOOD)",
        "NotLoopback: .*0\\.0\\.0\\.0",
        "NotLoopback: .*0\\.0\\.0\\.0",
    ),
    "a daemon without parent or mark": (
        "n == SHY and python(DAEMON, env={}).wait(); send(GOOD)",
        "verified: ",
        "verified: ",
    ),
    "two hundred children": (
        "n == SHY and crowd(); send(GOOD)",
        "verified: ",
        "verified: ",
    ),
    "a SIGKILL for its guard": (
        "os.kill(os.getppid(), signal.SIGKILL); time.sleep(0.2)",
        "(GuardDied|ServerDied): ",
        "(GuardDied|ServerGone): ",
    ),
    "a flood of output": (
        "n == SHY and threading.Thread(target=flood, daemon=True).start(); send(GOOD)",
        "verified: ",
        "verified: ",
    ),
    "a SIGTERM that it does not hear": (
        "send(GOOD)",
        "verified: ",
        "verified: ",
    ),
}
BEFORE = """
CHILD = "import socket, time; s = socket.create_server(('0.0.0.0', 0)); time.sleep(600)"
DAEMON = "import os, time; os.fork() and os._exit(0); os.setsid(); time.sleep(600)"
def flood():
    for _ in range(16384):
        os.write(1, b"x" * 65535 + b"\\\\n")
"""
DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"

# How it begins: what is done before it listens, what it says then, and what a load says of it.
BEGINNINGS = {
    "garbage": (
        "os.write(1, os.urandom(5000)); time.sleep(100)",
        "NeverListened: .*printed no line",
    ),
    "no line, only silence": ("time.sleep(100)", "NeverListened: "),
    "a line without its end": (
        "os.write(1, b'listening on http://127.0.0.1:%d' % listener.getsockname()[1])",
        "NeverListened: .*without a newline at the end",
    ),
    "1 GiB of output first": (
        "[os.write(1, b'y' * 1048576) for _ in range(1024)]; print(); say()",
        "verified: ",
    ),
    "output without end": (
        "while True: os.write(1, b'http listening on ' * 4096 + b'\\\\n')",
        "NeverListened: ",
    ),
    "a line of 10 MB": (
        "print('x' * 10_000_000, 'listening on http://127.0.0.1:1'); say()",
        "verified: ",
    ),
    "another host": (
        "print('listening on http://example.com:80', flush=True)",
        "NotLoopback: .*example.com",
    ),
    "a host that looks like this one": (
        "print('listening on http://127.0.0.1.example.com:80', flush=True)",
        "NotLoopback: ",
    ),
    "no port that can be": (
        "print('listening on http://127.0.0.1:99999', flush=True)",
        "NotLoopback: ",
    ),
    "a port of nobody": (
        "print('listening on http://127.0.0.1:9', flush=True)",
        "WrongPort: .*nothing is",
    ),
    "bytes that are no text": (
        "os.write(1, b'\\\\xff\\\\xfe\\\\x00\\\\x1b[2J\\\\n'); say()",
        "verified: ",
    ),
    "its line twice": ("say(); say()", "verified: "),
    "its end at once": ("sys.exit(5)", "ExitedEarly: .*exit code 5"),
    "its end by a signal": ("os.kill(os.getpid(), 9)", "ExitedEarly: .*signal 9"),
    "its suspension": ("os.kill(os.getpid(), signal.SIGSTOP)", "NeverListened: "),
    "closed streams": ("say(); os.close(1); os.close(2)", "verified: "),
    "its port closed again": (
        "say(); listener.close(); time.sleep(100)",
        "(WrongPort|NotAnswering): ",
    ),
    "a session of its own, its parent gone": (
        "say(); os.fork() and os._exit(0); os.setsid()",
        "(ServerDied|ServerGone): ",
    ),
    "a stopped guard": ("os.kill(os.getppid(), signal.SIGSTOP); say()", "GuardSilent: .*suspended"),
}

LOAD = """
import json, warnings
import lab
from lab.servers import catalog, process

warnings.simplefilter("ignore")
process.ANSWER_S = 1.5  # it waits half a minute as a rule, and so would we for half of these
process.start.__kwdefaults__["listen_s"] = 2.5
recipe = catalog.define("python/hostile-NUMBER", PROGRAM)
try:
    trial = lab.load(recipe, connections=3, seconds=3.0, warmup=0.0, timeout=0.3, progress=False)
except lab.LabError as error:
    print(json.dumps([f"{type(error).__name__}: {error}"]))
else:
    print(json.dumps([f"{name}: {check.text}" for name, check in trial.checks.items()]))
"""
SHORT_S = 90.0  # for all that a load waits for, one after another, on a slow machine


def told(project, text, number):
    """What a load says of a server."""
    script = LOAD.replace("NUMBER", str(number)).replace("PROGRAM", repr(text))
    ended = attacked(project, script, within_s=SHORT_S)
    assert ended.code == 0, ended.err[-2000:]
    return json.loads(ended.out.splitlines()[-1])


def says(found, wanted):
    assert any(re.match(wanted, one, re.DOTALL) for one in found), f"{wanted!r} is not in {found}"


@pytest.mark.parametrize("shy", [0, 20], ids=["first", "under load"])
@pytest.mark.parametrize(
    "name", cases(ANSWERS, sample=["random length", "half an answer, then the end"])
)
def test_hostile_answers(project, name, shy):
    answer, at_first, under_load = ANSWERS[name]
    before = BEFORE + (DEAF if "SIGTERM" in name else "")
    text = SERVER.format(shy=shy, before=before, answer=answer, say="say()")
    number = list(ANSWERS).index(name) + shy * 100
    says(told(project, text, number), under_load if shy else at_first)


@linux
@pytest.mark.parametrize("name", cases(BEGINNINGS))
def test_hostile_beginnings(project, name):
    say, wanted = BEGINNINGS[name]
    text = SERVER.format(shy=10**9, before="", answer="", say=say)
    says(told(project, text.replace("\\\\", "\\"), 900 + list(BEGINNINGS).index(name)), wanted)
