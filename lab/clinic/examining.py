"""`lab.examine`: starts a program with the probe in it, loads it in phases, and diagnoses its
likely problems.
"""

from __future__ import annotations

import contextlib
import math
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lab.clinic import failures, spoken
from lab.clinic import profile as profiles
from lab.clinic.app import App, AppFailed, Target
from lab.clinic.bridge import Bridge
from lab.clinic.failures import RECOVERY_S, is_silent
from lab.clinic.hub import Event, Hub
from lab.clinic.illnesses import BEHIND, LEAK
from lab.clinic.loading import Phase, Request, load, next_step, stalled_readers
from lab.clinic.observation import IN_TIME, Observed
from lab.clinic.scenario import Scenario
from lab.clinic.source_map import Originals, in_sources
from lab.measure.generator import Standby
from lab.processes import lock
from lab.records.stamp import utc
from lab.servers import sockets
from lab.servers.http_get import Endless, NoAnswer, address, loopback

MANY = 16
ABOVE = 256
READERS = 8
FIRST_S = 10.0
PROFILE_US = 1000
HEAP_BYTES = 4096  # the mean number of bytes allocated between two samples of the heap
CLOSING_S = 0.4
STUCK_MOST_S = 6.0  # a loop that doesn't turn doesn't answer, either
ANSWER_MOST_S = 15.0  # a process on a busy machine takes seconds to collect garbage
FRESH_S = 0.35  # the probe reads the heap's size five times a second
# The close look ends after so many responses, or after so many seconds.
LOOK_ENOUGH, LOOK_MOST_S = 12, 8.0
FEW = 4
OPEN_FILES = 3  # the number of open files that are named
# From so many failed calls to other services for each response on, the close look has as many
# clients as the load before.
REFUSED_EACH = 0.1
USUAL_IDLE_MS = 5000  # server.keepAliveTimeout of Node; a shorter one is early
# How long the load takes of a program that answers quickly, and in how much of it the signs are
# seen. The rest of it measures response times below and above the highest throughput.
USUAL_S, SIGNS_S = 15.1, 10.8
# About how many seconds are left until the report when a phase begins, for a quick program.
LEFT_S = {
    "one": 26.0,
    "many": 23.0,
    "look": 19.0,
    "profile": 15.0,
    "below": 12.0,
    "above": 9.0,
    "kept-1": 6.0,
    "kept-2": 3.0,
}

# From so many bytes on, a third load is worth its time, which is at most so many seconds.
SUSPECT_BYTES, THIRD_S = 60_000.0, 10.0

Say = Callable[[str], None]


@dataclass(frozen=True)
class Pace:
    """How long the phases take: `share` times as long as usual. Slow programs take longer.

    arrivals : whether requests are also sent in an open loop, below and above the highest
        throughput; no sign needs that
    """

    share: float = 1.0
    arrivals: bool = True

    @classmethod
    def of(cls, load_s: float | None) -> Pace:
        """Return the pace of a load that takes so many seconds; None is the usual load."""
        if load_s is None or load_s >= USUAL_S:
            return cls(1.0 if load_s is None else load_s / USUAL_S)
        return cls(load_s / SIGNS_S, False)


def observe(
    target: Target,
    request: Request | None = None,
    say: Say = lambda _: None,
    load_s: float | None = None,
) -> Observed:
    """Start the program, load it for so many seconds, watch it, end it. Raises AppFailed if it
    cannot be examined.
    """
    load_request = request or Request(target.path)
    asked_for = load_request.path
    if target.scenario is not None:
        load_request, asked_for = Request("/"), target.scenario.title
    pace = Pace.of(load_s)
    with lock.measuring(), Hub(short=pace.share < 1) as hub, Standby() as standby:
        standby.prepare(None)
        say(f"starting {target.title}")
        with App(target, hub) as app:
            observed = Observed(target.title, app.url, asked_for, started=utc())
            observed.bridged, observed.http2 = app.bridge is not None, app.http2
            loader = _Loader(observed, load_request, standby, say, pace=pace, bridge=app.bridge)
            seen = _Examination(app, hub, loader).run()
        seen.stubborn = app.stubborn
        return seen


class _Examination:
    def __init__(self, app: App, hub: Hub, loader: _Loader) -> None:
        self.app, self.hub, self.loader = app, hub, loader
        self.seen, self.request, self.say = loader.seen, loader.request, loader.say
        self.share = loader.pace.share
        self.began = time.monotonic()
        self._stop = threading.Event()
        self._originals: dict[int, Originals] = {}  # by process
        self._has_no_marks = False  # once memory could not be measured after a load
        self._open_files: list[Counter[str]] = []  # for each garbage collection

    def run(self) -> Observed:
        observation, app = self.seen, self.app
        watching = threading.Thread(target=self._watch_queue, daemon=True)
        watching.start()
        try:
            if self._first():
                self._phases()
            else:
                self._unanswered()
        except AppFailed as error:
            if not observation.phases:
                raise
            observation.died = str(error)
        except KeyboardInterrupt:
            if "many" not in observation.phases:
                raise
            observation.stopped = True
            observation.warnings.append(
                f"Stopped early, after the load {list(observation.phases)[-1]!r}. The report has "
                "only the results up to then."
            )
        finally:
            self._stop.set()
            watching.join(2.0)
        observation.listening = [one for one in self.hub.since(0, "listening")]
        observation.node = next((one["node"] for one in observation.listening), "")
        observation.warnings += _early_closes(observation.listening)
        observation.rows = self.hub.since(0, "row")
        for look in observation.looks:
            originals = self._originals.get(look["pid"], Originals())
            look["sites"] = {
                kind: in_sources(sites, originals) for kind, sites in look["sites"].items()
            }
        with contextlib.suppress(Exception):
            observation.outside = app.outside
        observation.seconds = time.monotonic() - self.began
        return observation

    # --- the phases

    def _first(self) -> bool:
        """One answer; False if none comes."""
        try:
            answer, _ = self.app.first(FIRST_S, self.request)
        except Endless as error:
            if error.kind.startswith("text/event-stream"):
                raise AppFailed(
                    f"{self.app.target.title} responds to {self.request.path} with a stream of "
                    "events, which never ends and is not examined. Give the --path of a request "
                    "that ends."
                ) from None
            self.seen.warnings.append(f"{error}")
            return False
        except NoAnswer as error:
            self.seen.warnings.append(f"{error}")
            return False
        seen = self.seen
        seen.answer_status, seen.answer_bytes = answer.status, answer.size
        seen.answer_type = answer.headers.get("content-type", "")
        if not 200 <= answer.status < 300:
            raise AppFailed(
                f"{self.app.target.title} answered {self.request.method} {self.request.path} with "
                f"status {answer.status}. {next_step(answer.status)}"
            )
        return True

    def _phases(self) -> None:
        with self._span("rest"):
            time.sleep(0.7 * self.share)

        def close(each_s: float) -> None:
            self._look(each_s)
            self._profile(each_s)

        self.loader.all(close, self.app.check)
        self._drain()
        self._count_open()
        with self._span("after"):
            time.sleep(max(0.15, 0.3 * self.share))
        if self.loader.pace.arrivals:
            self._memory()

    def _unanswered(self) -> None:
        """Examine a program that listens and does not answer, as far as that is possible."""
        with self._span("unanswered"):
            time.sleep(1.0)
        self._profile(None)

    def _load(self, name: str, words: str, **more: Any) -> Phase:
        phase = self.loader.load(name, words, **more)
        self.app.check(f"under load ({words})")
        return phase

    def _look(self, each_s: float) -> None:
        """The close look: four clients, then clients that do not read.

        If calls to other services or most requests failed with many clients, four clients may be
        answered without a failure. Then the look uses as many clients as before, to show how the
        program handles the failure.
        """
        self._count_open()
        self.seen.rows = self.hub.since(0, "row")
        many = self.seen.phases["many"]
        is_refused = failures.failed_calls(self.seen) >= REFUSED_EACH or many.failed > many.answers
        mark = self.hub.mark()
        pids = self.hub.tell(do="look")
        self.hub.answers(pids, {"looking"}, mark, 1.0)
        answer_count, until = 0, time.monotonic() + LOOK_MOST_S
        while answer_count < LOOK_ENOUGH and time.monotonic() < until:
            phase = self._load(
                "look",
                "close observation of what runs and waits",
                seconds=max(2.5 * self.share, min(5.0, 6 * each_s)),
                warmup=0.1,
                connections=MANY if is_refused else FEW,
            )
            answer_count += phase.answers
        self.say("clients that do not read")
        with self._span("stalled"):
            stalled_readers(self.app.url, self.request, READERS, 1.2 * self.share)
        mark = self.hub.mark()
        pids = self.hub.tell(do="rest")
        deadline_s = max(ANSWER_MOST_S, 2 * each_s)
        answers = self.hub.answers(pids, {"seen", "starved", "failed"}, mark, deadline_s)
        if any(answer["event"] == "starved" for answer in answers):  # some loops turn again later
            answers += self.hub.answers(pids, {"seen", "failed"}, mark, STUCK_MOST_S)
        look_of = {answer["pid"]: answer["seen"] for answer in answers if "seen" in answer}
        self.seen.looks += [look | {"pid": pid} for pid, look in look_of.items()]
        self.seen.starved += [answer["pid"] for answer in answers if answer["event"] == "starved"]
        lack = "long runs, waits and calls were not observed"
        self._note_gap("The close observation", lack, pids, answers, "seen")

    def _profile(self, each_s: float | None) -> None:
        mark = self.hub.mark()
        pids = self.hub.tell(do="profile", interval_us=PROFILE_US)
        self.hub.answers(pids, {"profiling", "failed"}, mark, 4.5, "profile")
        if each_s is None:
            time.sleep(1.0)
        else:
            self._load(
                "profile",
                "a profile of what the program computes",
                seconds=max(1.5 * self.share, min(4.0, 4 * each_s)),
                connections=8,
            )
        mark = self.hub.mark()
        file = self.hub.folder / "profile"
        pids = self.hub.tell(do="profiled", file=str(file))
        deadline_s = STUCK_MOST_S if each_s is None else self._deadline_s
        answers = self.hub.answers(pids, {"profiled", "failed"}, mark, deadline_s, "profiled")
        lack = "logs, synchronous calls and lines of code were not observed"
        if each_s is not None:
            self._note_gap("The profile", lack, pids, answers, "profiled")
        for answer in answers:
            if answer["event"] == "profiled":
                try:
                    profile, originals = profiles.read(Path(answer["file"]), answer["pid"])
                except (OSError, ValueError, KeyError) as error:
                    self.seen.gaps.append(f"The profile can't be read ({error}), so {lack}.")
                    continue
                self.seen.profiles.append(profile)
                self._originals[answer["pid"]] = originals

    @property
    def _deadline_s(self) -> float:
        """How long a process may take for an order: less if its loop did not turn before."""
        return STUCK_MOST_S if self.seen.starved else ANSWER_MOST_S

    def _note_gap(
        self, name: str, lack: str, pids: set[int], answers: Sequence[Event], result: str
    ) -> None:
        """Note what is not known because processes failed at it, or because none of them, or not
        every process that serves, sent the event `result` in time.

        A process whose loop did not turn is a finding of its own, so its silence is no gap.
        """
        reasons = {answer["message"] for answer in answers if answer["event"] == "failed"}
        answered_pids = {one["pid"] for one in answers if one["event"] in {result, "failed"}}
        if not answered_pids:
            reasons.add(f"no process sent it {IN_TIME}")
        else:
            serving_pids = pids & self.seen.serving
            silent_pids = serving_pids & self.hub.pids - answered_pids - set(self.seen.starved)
            if silent_pids:
                reasons.add(
                    f"{len(silent_pids)} of {len(serving_pids)} processes did not send it {IN_TIME}"
                )
        self.seen.gaps += [f"{name} failed ({reason}), so {lack}." for reason in sorted(reasons)]

    def _memory(self) -> None:
        """Load twice or three times, with a garbage collection before and after each load. Each
        load shows the memory and descriptors that the program keeps, and the second load shows
        which functions keep it.
        """
        many = self.seen.phases["many"]
        if not many.answers:
            return
        self._collect()
        least_bytes = LEAK.limits[0].least
        usual_s = max(1.5, min(4.0, 4 * (many.mean_s or 0.0)))
        for index in (1, 2, 3):
            if index == 3 and not (left_bytes := self._suspected_bytes()):
                break
            sampling = index == 2 and self._told("heap", "sampling", interval_bytes=HEAP_BYTES)
            self._load(
                f"kept-{index}",
                "a check whether it keeps memory after a load",
                seconds=usual_s if index < 3 else _longer(usual_s, least_bytes / left_bytes),
                connections=MANY,
            )
            if sampling:
                file = str(self.hub.folder / "heap")
                for event in self._told("heaped", "heaped", file=file):
                    with contextlib.suppress(OSError, ValueError, KeyError):
                        originals = self._originals.get(event["pid"], Originals())
                        self.seen.keepers += profiles.keepers(Path(event["file"]), originals)
            self._collect()
        if len(self._open_files) > 1:
            more_open = self._open_files[-1] - self._open_files[0]
            self.seen.opened = [file for file, _ in more_open.most_common(OPEN_FILES)]
        if len(self.seen.kept) < 3:
            self.seen.gaps.append(
                f"The memory that it keeps after a load could not be measured {IN_TIME}, so a leak "
                "would not be found."
            )

    def _suspected_bytes(self) -> float:
        """Return how many bytes a load may have left behind, if they are worth a third load, else
        0.

        A heap that grew twice may belong to a cache that was not yet full, which a longer load
        shows. With few responses, the size of the heap is not exact enough, so the samples of
        allocated and still living objects decide.
        """
        grown = failures.growth(self.seen)
        for total, each in ((grown.bytes, grown.each), failures.left_behind(self.seen)):
            if total >= SUSPECT_BYTES and each >= LEAK.limits[1].least:
                return total
        return 0.0

    def _told(self, order: str, event: str, **more: Any) -> list[Event]:
        """Send an order to every process and return the events of the processes that obeyed."""
        mark = self.hub.mark()
        pids = self.hub.tell(do=order, **more)
        answers = self.hub.answers(pids, {event, "failed"}, mark, self._deadline_s, order)
        return [one for one in answers if one["event"] == event]

    def _collect(self) -> None:
        """Collect garbage in all processes, and note what they hold then."""
        # In this time connections of the load close, and so do their descriptors.
        time.sleep(CLOSING_S)
        self._count_open()
        kinds: Counter[str] = Counter()
        files: Counter[str] = Counter()
        if self._has_no_marks:
            return
        told_pids = self.hub.pids
        collections = self._told("collect", "collected")
        for event in collections:
            kinds.update(event["kinds"] or {})
            files.update(event["files"] or {})
        self._open_files.append(files)
        mark = self.hub.mark()
        time.sleep(FRESH_S)
        pids = {event["pid"] for event in collections}
        fresh_rows = self.hub.answers(pids, {"row"}, mark, ANSWER_MOST_S)
        rows = {row["pid"]: row for row in fresh_rows if row["pid"] in pids}
        # A sum without one of the processes would be compared with a sum that has it.
        if not pids or not told_pids & self.hub.pids <= pids <= rows.keys():
            self._has_no_marks = True
            return

        def sum_of(name: str) -> float:
            return float(sum(row[name] for row in rows.values()))

        limits = {event["pid"]: event.get("heap_limit") for event in self.hub.since(0, "listening")}
        shares = [row["heap_used"] / (limits.get(pid) or math.inf) for pid, row in rows.items()]
        self.seen.kept.append(
            {
                "heap_share": max(shares),
                "heap": sum_of("heap_used"),
                "external": sum_of("external"),
                "rss": sum_of("rss"),
                "descriptors": kinds.total() or None,
                "kinds": dict(kinds),
            }
        )
        self.app.check("while it was watched")

    def _count_open(self) -> None:
        """Note the share of its limit of descriptors that a process has open, and what most of them
        are of. Linux only: a program that has no descriptor left may not answer its probe.
        """
        for pid in {event["pid"] for event in self.hub.since(0, "listening")}:
            process = Path(f"/proc/{pid}")
            targets, limits = list[str](), None
            with contextlib.suppress(OSError):
                limits = re.search(r"Max open files +(\d+)", (process / "limits").read_text())
                for descriptor in (process / "fd").iterdir() if limits else ():
                    with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                        targets.append(f"{descriptor.readlink()}")
            share = len(targets) / int(limits[1]) if targets and limits else 0.0
            if share > self.seen.open_share:
                kinds = Counter(
                    "sockets" if target.startswith("socket:") else target for target in targets
                )
                kind, n = kinds.most_common(1)[0]
                self.seen.open_share = share
                self.seen.open_most = kind if 2 * n > len(targets) else ""

    def _drain(self) -> None:
        """After the overload, wait some seconds at most until the program answers as before."""
        end = time.monotonic() + 6.0
        while time.monotonic() < end:
            with contextlib.suppress(NoAnswer):
                self.app.get(2.0, self.request)
                return
            self.app.check("after the overload")

    @contextlib.contextmanager
    def _span(self, name: str) -> Iterator[None]:
        begun = time.time() * 1e3
        try:
            yield
        finally:
            self.seen.spans[name] = (begun, time.time() * 1e3)
            self.app.check("while it was watched")

    def _watch_queue(self) -> None:
        """Return how many connections the kernel holds that the program has not accepted."""
        port = self.app.port
        while port is not None and not self._stop.wait(0.1):
            waiting = sockets.unaccepted(port)
            if waiting is None:
                return
            self.seen.accept_queue.append((time.time() * 1e3, waiting))


def _early_closes(listening: Iterable[Event]) -> list[str]:
    """Return a sentence if a server closes kept connections earlier than Node does by default. A
    load that never pauses doesn't show what that does to a proxy in front.
    """
    idle_ms = [
        one["policy"]["keepAliveTimeout"]
        for one in listening
        if one["http"] and 0 < one["policy"].get("keepAliveTimeout", 0) < USUAL_IDLE_MS
    ]
    if not idle_ms:
        return []
    return [
        f"The program sets server.keepAliveTimeout to {min(idle_ms) / 1e3:g} s, so it closes a "
        "kept connection soon after a request. If a proxy in front keeps connections for longer, "
        "some of its requests are reset. Set keepAliveTimeout above the proxy's idle time."
    ]


class _Loader:
    """Loads one program, phase by phase, and adds each phase to the observations."""

    def __init__(
        self,
        observation: Observed,
        request: Request,
        standby: Standby,
        say: Say,
        *,
        pace: Pace,
        bridge: Bridge | None,
    ) -> None:
        self.seen, self.request, self.standby, self.say = observation, request, standby, say
        self.pace, self.bridge = pace, bridge
        self.began = time.monotonic()

    def load(self, name: str, words: str, **more: Any) -> Phase:
        """Run one phase."""
        self.say(f"{words}{self._time_left(name)}")
        generator = self.standby.take(None)
        try:
            phase = load(generator, name, self.seen.url, self.request, bridge=self.bridge, **more)
        finally:
            generator.close()
            self.standby.prepare(None)
        self.seen.phases[name] = phase
        one = self.seen.phases.get("one")
        if is_silent(phase, (one.mean_s if one else None) or 0.0):
            with contextlib.suppress(NoAnswer):
                self.request.answer(self.seen.url, RECOVERY_S)
                self.seen.recovered.append(name)
        return phase

    def _below(self, best: float) -> None:
        """Load at half of the highest throughput. If the program falls behind, load again and keep
        the better of both phases, since other programs on the machine may have taken the processor
        once.
        """

        def once(words: str) -> Phase:
            return self.load(
                "below",
                words,
                seconds=max(2.0, min(5.0, 10 / best)),
                warmup=0.3,
                rate=0.5 * best,
                connections=64,
            )

        first = once("arrivals at half of that")
        if failures.behind(self.seen) < BEHIND.limits[0].least:
            return
        with contextlib.suppress(NoAnswer):
            self.request.answer(self.seen.url, RECOVERY_S)
        again = once("arrivals at half of that, again")
        self.seen.phases["below"] = max(first, again, key=lambda phase: phase.answers)

    def _time_left(self, name: str) -> str:
        """Return about how many seconds are left until the report, for the line of progress."""
        left_s = LEFT_S.get(name)
        if left_s is None or not self.pace.arrivals:
            return ""
        usual_s = LEFT_S["one"] - left_s
        slower = (time.monotonic() - self.began) / usual_s if usual_s > 5 else 1.0
        return f" (about {left_s * max(1.0, slower):.0f} s left)"

    def all(
        self,
        close: Callable[[float], None] = lambda _: None,
        check: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Run every phase. The phases answer these questions: how long does one client wait, what
        is the highest throughput, and how long do responses take below and above it?

        close : makes the close look in between, given the seconds of one response
        check : raises if the program has ended
        """
        share = self.pace.share
        one_client = self.load(
            "one", "one client at a time", seconds=1.2 * share, warmup=0.8 * share, connections=1
        )
        check("with one client")
        each_s = one_client.mean_s or FIRST_S
        many = self.load(
            "many",
            f"{MANY} clients, each as fast as it gets responses",
            seconds=max(2.0 * share, min(6.0, 4 * each_s)),
            warmup=max(0.8 * share, min(2.0, each_s)),
            connections=MANY,
        )
        check(f"with {MANY} clients")
        close(each_s)
        if not self.pace.arrivals:
            return
        best = max(many.throughput, one_client.throughput, 0.1)
        self._below(best)
        check("with arrivals at half of its rate")
        self.load(
            "above",
            "arrivals at a quarter more than that",
            seconds=2.0,
            rate=1.25 * best,
            connections=int(min(ABOVE, max(MANY, 4 * best))),
        )
        check("with more arrivals than it can handle")


def _longer(usual_s: float, short_by: float) -> float:
    """Return how long the third load takes, in seconds. `short_by` : how many times as much must
    be left behind as in a usual load. The load is planned for twice that much, and takes at least
    twice as long as usual, and not longer than THIRD_S otherwise.
    """
    return max(2 * usual_s, min(THIRD_S, 2 * short_by * usual_s))


def observe_url(
    url: str,
    request: Request,
    say: Say,
    load_s: float | None = None,
    scenario: Scenario | None = None,
    *,
    http2: int = 0,
) -> Observed:
    """Load a server that was already running. Nothing is known of its inside, so no problem is
    named.
    """
    with contextlib.ExitStack() as stack:
        place, tls, sent_request = _reached(url, request)
        if http2 and not spoken.is_http2(place, tls=tls):
            raise AppFailed(f"{url} does not accept HTTP/2. Leave out --http2.")
        by_http2 = int(http2 or spoken.is_http2_only(place, tls=tls))
        bridge, subject = None, sent_request.path
        if isinstance(place, tuple) and not tls and not by_http2 and scenario is None:
            base = address(*place)
        else:
            bridge = stack.enter_context(Bridge(place, tls=tls, http2=by_http2))
            base = bridge.url
            if scenario is not None:
                base = bridge.replacing(scenario.ready(base, url))
                sent_request, subject = Request("/"), scenario.title
        observation = Observed(url, base, subject, started=utc(), inside=False, http2=by_http2)
        began = time.monotonic()
        standby = stack.enter_context(Standby())
        stack.enter_context(lock.measuring())
        answer = sent_request.answer(base, FIRST_S)
        if not 200 <= answer.status < 300:
            raise AppFailed(
                f"The response to {sent_request.method} {url} has the status {answer.status}. "
                f"{next_step(answer.status)}"
            )
        observation.answer_status, observation.answer_bytes = answer.status, answer.size
        observation.answer_type = answer.headers.get("content-type", "")
        _Loader(observation, sent_request, standby, say, pace=Pace.of(load_s), bridge=bridge).all()
        observation.seconds = time.monotonic() - began
        return observation


def _reached(url: str, request: Request) -> tuple[spoken.Place, bool, Request]:
    """Return where the server is that a URL names, with http or https or as unix:FILE, whether it
    speaks TLS, and the request.
    """
    scheme, _, tail = url.partition(":")
    if scheme == "unix":
        file = Path(tail)
        if not file.is_socket():
            raise AppFailed(
                f"{url}: there is no UNIX socket {file}. Give the path of a socket on which a "
                "server listens, such as --url unix:/run/app.sock, and the path to request "
                "with --path."
            )
        return file.resolve(), False, request
    tls = scheme == "https"
    plain = f"http:{tail}" if tls else url
    loopback(plain)
    parts = urlsplit(plain)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    full_request = replace(request, path=path if path != "/" else request.path)
    return (str(parts.hostname), parts.port or (443 if tls else 80)), tls, full_request
