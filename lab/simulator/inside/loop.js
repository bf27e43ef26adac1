// Evaluated inside the engine after realm.js: what libuv and Node's C++ do, in virtual time.
//
// The clock reads whole milliseconds since the program began. Between two readings no time passes,
// unless the schedule says so: it maps the number of a reading to the milliseconds
// that passed before it. Each reading at which it could matter is noted, with the milliseconds that
// would change something; explore.js tries them. In a run that draws the times, each stretch of code takes
// some, as real code does, and the milliseconds that passed are told as a schedule.
(machine) => {
  const { host, tickInfo, immediateInfo, settings, exitCodes } = machine;
  const STOP = Symbol("stop"); // thrown to leave every function of a program that has ended
  const SPIN_MS = 0.05;

  let time = 0; // what passed, in milliseconds and parts
  let loopTime = 0; // what uv_now() would say
  let timerAt = null; // when libuv's one timer for Node is due
  let timerRef = true;
  let immediateRef = false;
  let phase = "main";
  let turn = 0;
  let readings = 0;
  let spins = 0;
  let schedule = {};
  let mostMs = 0; // longer delays are not tried
  let last = -1; // what could matter is noted after this reading
  const readingsList = [];
  let draw = null; // a number between 0 and 1 by chance, in a run that draws the times
  let drawnTime = 0; // the time of such a run
  let printedBefore = 0;
  const drawnSchedule = [];
  const SLOWNESS = [1, 1, 2, 1, 4]; // of the runs that draw their times, one after the other
  let slowness = 1;

  // --- time --------------------------------------------------------------------------------
  const dueTimes = () => {
    const { timerListMap } = machine.load("internal/timers");
    const times = [];
    for (const list of Object.values(timerListMap)) {
      for (let timer = list._idlePrev; timer !== list; timer = timer._idlePrev)
        if (timer._idleStart !== null) times.push(timer._idleStart + timer._idleTimeout);
      times.push(list.expiry);
    }
    return times;
  };

  /** What two schedules that come to the same state have in common, and where this is. */
  const note = (reading) => {
    readingsList.push({
      phase,
      turn,
      slept: false,
      printed: machine.printed(),
      immediates: immediateInfo[0],
      inFlight: machine.inFlight(),
      ...reading,
    });
  };

  /**
   * What code takes until the clock is read: as measured in real Nodes, next to nothing where no line is
   * printed, some tenths of a millisecond where one is, and up to three for the first line of all. A processor that is
   * shared or cold takes several times as long.
   */
  const takenMs = (slept) => slowness * onIdleProcessor(slept);
  const onIdleProcessor = (slept) => {
    const printed = machine.printed();
    const isFirst = printedBefore === 0 && printed > 0;
    const hasPrinted = printed > printedBefore;
    printedBefore = printed;
    const chance = -Math.log(1 - draw());
    if (isFirst) return 0.3 + 3 * draw();
    if (phase === "main") return 0.02 + 0.2 * chance;
    if (hasPrinted) return 0.03 + 0.15 * chance;
    return slept ? 0.06 * chance : 0.01 * chance;
  };
  /** The milliseconds that a schedule would have to have at this reading. */
  const passedBefore = (number, slept) => {
    drawnTime = Math.max(drawnTime, time) + takenMs(slept);
    const ms = Math.floor(drawnTime) - Math.floor(time);
    if (ms > 0) drawnSchedule.push([number, ms]);
    return ms;
  };

  /** Reads the clock, as `uv_update_time` does; `slept` if the loop was woken just before. */
  machine.readClock = (kind, slept = false) => {
    const number = readings++;
    time = Math.max(time, loopTime);
    const now = Math.floor(time);
    const delay = draw ? passedBefore(number, slept) : (schedule[number] ?? 0);
    // A delay at a look before a sleep does what one after the sleep does.
    const isOpen = kind !== "look" && (draw ? delay > 0 : number > last);
    const due = isOpen ? dueTimes() : [];
    if (due.length) {
      const offsets = due.map((at) => at - now);
      const ahead = offsets.filter((offset) => offset > 0);
      const steps = [...new Set([1, ...ahead])].filter((step) => step <= mostMs);
      steps.sort((a, b) => a - b);
      note({ number, kind, slept, now, next: now + Math.min(...ahead), steps, offsets });
    }
    time += delay;
    loopTime = Math.floor(time);
    spins = 0;
    return loopTime;
  };

  let skewMs = 0; // with each reading the program's clock shows so much more, and nothing takes longer
  let skew = 0;
  /** What the program has asked for: the clock, the day or a random number, and more depth than there is. */
  machine.asked = { clock: false, chance: false, depth: false, stack: false };
  /** The time of `Date.now()` and `performance.now()`: a program that waits for it to pass, gets there. */
  machine.preciseNow = () => {
    machine.asked.clock = true;
    spins++;
    skew += skewMs;
    const most = machine.serving ? SPIN_MS : 1; // with clients, how long a handler computes decides what is shown
    time += Math.min(most, SPIN_MS * 2 ** Math.max(0, Math.floor((spins - 40) / 8)));
    return time + skew;
  };

  /** The time that has passed, in microseconds; reading it takes none. */
  machine.timeUs = () => Math.round(Math.max(time, loopTime) * 1000);

  /** The time that has passed, in milliseconds and parts. */
  machine.timeMs = () => Math.max(time, loopTime);

  /** It is at least so late. */
  machine.comesTo = (ms) => {
    time = Math.max(time, loopTime, ms);
  };
  /** Code that blocks for some milliseconds. */
  machine.pass = (ms) => {
    time = Math.max(time, loopTime) + ms;
  };

  machine.scheduleTimer = (duration) => {
    timerAt = loopTime + duration;
  };
  machine.toggleTimerRef = (ref) => {
    timerRef = ref;
  };
  machine.toggleImmediateRef = (ref) => {
    immediateRef = ref;
  };

  // --- calls from C++ ----------------------------------------------------------------------
  const attempt = (call) => {
    if (machine.isStopped) return undefined;
    try {
      return { value: call() };
    } catch (error) {
      if (error === STOP || machine.isStopped) return undefined;
      machine.safely(() => machine.uncaught(error, false));
      return undefined;
    }
  };
  machine.safely = (call) => {
    try {
      call();
    } catch (error) {
      if (error !== STOP) throw error;
    }
  };

  machine.runJobs = () => {
    machine.isInJobs = true;
    host("jobs");
    machine.isInJobs = false;
  };

  // InternalCallbackScope::Close
  const drain = () => {
    if (machine.isStopped) return;
    if (!tickInfo[0]) machine.runJobs();
    if (machine.isStopped || (!tickInfo[0] && !tickInfo[1])) return;
    attempt(() => machine.tickCallback.call(machine.process));
  };

  const makeCallback = (call) => {
    const result = attempt(call);
    if (result) drain();
    return result;
  };
  machine.makeCallback = makeCallback;
  machine.attempt = attempt;

  machine.uncaught = (error, fromPromise) => {
    if (machine.isStopped || error === STOP) throw STOP;
    if (error?.name === "InternalError" && /out of memory/.test(error.message))
      machine.stop(
        `The program was stopped because it needs more than ${settings.mostMB} MB of memory.`,
      );
    machine.trace?.threw(error);
    let wasCaught;
    try {
      wasCaught = machine.process._fatalException(error, fromPromise);
    } catch (second) {
      if (second === STOP) throw STOP;
      machine.report(second);
      machine.end(exitCodes.kExceptionInFatalExceptionHandler);
    }
    if (wasCaught) return;
    machine.report(error);
    machine.end(machine.exitInfo[2] ? machine.exitInfo[1] : exitCodes.kGenericUserError);
  };

  machine.end = (code) => {
    machine.isStopped = true;
    machine.exitCode = code;
    host("stop");
    throw STOP;
  };
  machine.exit = (code) => machine.end(code ?? (machine.exitInfo[2] ? machine.exitInfo[1] : 0));

  machine.report = (error) => {
    const isError = machine.is.isNativeError(error);
    const { inspect } = machine.load("internal/util/inspect");
    let text;
    try {
      text = isError ? inspect(error) : `Uncaught:\n${inspect(error)}`;
    } catch {
      text = "Uncaught error";
    }
    machine.print(2, `${text}\n\nNode.js ${settings.version}\n`, "report");
  };

  /** Numbers by chance, always the same ones of a seed. */
  const numbersOf = (seed) => {
    let state = Math.imul(seed, 0x9e3779b1) | 1;
    const next = () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return (state >>> 0) / 2 ** 32;
    };
    for (let at = 0; at < 5; at++) next(); // seeds next to each other begin alike
    return next;
  };

  // --- the phases --------------------------------------------------------------------------
  const inPhase = (name, call) => {
    phase = name;
    machine.phase = name;
    call();
  };

  const runTimers = () => {
    if (timerAt === null || timerAt > loopTime) return;
    timerAt = null;
    inPhase("timers", () => {
      const now = machine.readClock("timers");
      let result;
      do result = attempt(() => machine.processTimers.call(machine.process, now));
      while (!result && !machine.isStopped);
      if (machine.isStopped) return;
      const expiry = result.value;
      if (expiry) {
        const duration = Math.abs(expiry) - loopTime;
        machine.scheduleTimer(duration > 0 ? duration : 1);
        timerRef = expiry > 0;
      } else timerRef = false;
      drain();
    });
  };

  // Until Node 24 the phase begins with C++'s own immediates, in a scope that works off the ticks even
  // where there are none of these; Node 26 opens it only for some.
  const drainsBeforeCheck = Number.parseInt(settings.version.slice(1), 10) < 26;
  machine.destroyed = []; // the ids whose hooks are called in the next check phase, which waits for none of them
  const callDestroyHooks = () => {
    const { destroy } = machine.load("internal/async_hooks").nativeHooks;
    while (machine.destroyed.length) for (const id of machine.destroyed.splice(0)) destroy(id);
  };
  const runCheck = () => {
    if (machine.destroyed.length) inPhase("check", () => makeCallback(callDestroyHooks));
    if (machine.isStopped) return;
    if (drainsBeforeCheck && (tickInfo[0] || tickInfo[1])) inPhase("check", drain);
    if (machine.isStopped || !immediateInfo[0]) return;
    inPhase("check", () => {
      do makeCallback(() => machine.processImmediate.call(machine.process));
      while (immediateInfo[2] && !machine.isStopped);
      if (!immediateInfo[1]) immediateRef = false;
    });
  };

  // --- the thread pool -------------------------------------------------------------------------
  // Work waits in a line, first in, first out, but name look-ups hold half of the threads at most. What a
  // thread has done is noticed in the poll phase. Whether a short work is done when the loop looks, and
  // which of two is done first, is left open: a reading of the kind "pool" names the other ways.
  const MOST_THREADS = 1024;
  let threads = 0; // libuv asks for the number when the first work comes
  machine.threads = () => {
    const wanted = machine.process?.env.UV_THREADPOOL_SIZE;
    threads ||= Math.min(
      MOST_THREADS,
      Math.max(1, wanted === undefined ? 4 : Number.parseInt(wanted, 10) || 1),
    );
    return threads;
  };
  const TURN_MS = 0.02; // what a turn takes that does not sleep, or two programs of immediates wait for ever
  const waiting = [];
  const working = [];
  const finishedWorks = [];
  let works = 0;

  const assign = (at) => {
    const most = machine.threads();
    for (let next = 0; next < waiting.length && working.length < most; ) {
      const slow = working.filter(({ isSlow }) => isSlow).length;
      if (waiting[next].isSlow && slow >= Math.ceil(most / 2)) next++;
      else {
        const [work] = waiting.splice(next, 1);
        const slots = new Set(working.map(({ slot }) => slot));
        work.slot = 0;
        while (slots.has(work.slot)) work.slot++;
        work.doneAt = at + work.ms;
        working.push(work);
        machine.trace?.thread(work, Math.round(at * 1000));
      }
    }
  };
  /** What the threads have done by now. */
  const advance = () => {
    for (;;) {
      const first = working.reduce(
        (least, work) => (least && least.doneAt <= work.doneAt ? least : work),
        null,
      );
      if (!first || first.doneAt > time) return;
      working.splice(working.indexOf(first), 1);
      finishedWorks.push(first);
      first.perform();
      machine.trace?.done(first, Math.round(first.doneAt * 1000));
      assign(first.doneAt);
    }
  };
  /** Gives the pool a work: {ms, isSlow, id, perform, done}. */
  machine.work = (work) => {
    work.number = works++;
    waiting.push(work);
    assign(Math.max(time, loopTime));
  };
  const nextDone = () => Math.min(...working.map(({ doneAt }) => doneAt));
  machine.inFlight = () =>
    waiting.length + working.length + finishedWorks.length + machine.posts.length === 0 &&
    !machine.sockets
      ? ""
      : JSON.stringify([
          waiting.map(({ number }) => number),
          working.map(({ number, doneAt }) => [number, Math.round((doneAt - time) * 100)]),
          finishedWorks.map(({ number }) => number),
          machine.posts.length,
          machine.sockets?.state(),
        ]);

  /**
   * The other ways in which the work that is done may be noticed: [sentence, what is noticed now], and
   * true where that comes before the sockets although it usually comes behind them, or the other way round.
   */
  const waysOf = (ready, slept, hasSockets) => {
    const ways = [];
    if (!slept) ways.push(["the pool has not finished when the loop checks", []]);
    if (hasSockets)
      ways.push(["the pool and the sockets are ready in the opposite order", ready, true]);
    if (ready.length === 1 || ready.length > 6) return ways; // of so many there are too many orders
    for (const [at, work] of ready.entries()) {
      const otherWork = ready.filter((other) => other !== work);
      ways.push([
        `the pool has finished only work ${work.number + 1} when the loop checks`,
        [work],
      ]);
      if (at)
        ways.push([`the pool has finished work ${work.number + 1} first`, [work, ...otherWork]]);
    }
    return ways;
  };
  const noticedWorks = (slept, hasSockets) => {
    advance();
    const ready = [...finishedWorks];
    const number = readings - 0.5; // between two readings of the clock
    if (ready.length === 0) return [ready, false];
    const ways = waysOf(ready, slept, hasSockets);
    let choice = schedule[number] ?? 0;
    if (draw && draw() < 0.3) {
      choice = Math.floor(draw() * (ways.length + 1));
      if (choice) drawnSchedule.push([number, choice]);
    }
    if (ways.length) {
      const now = Math.floor(time);
      const steps = ways.map((_, at) => at + 1);
      note({
        number,
        kind: "pool",
        slept,
        now,
        steps,
        offsets: [],
        ways: ways.map(([why]) => why),
      });
    }
    const [, works, isOther = false] = ways[choice - 1] ?? [null, ready];
    return [works, isOther];
  };

  // --- what is sent to this thread: messages of ports ---------------------------------------------
  machine.posts = []; // those that have something to take
  machine.closing = []; // what is called in the close phase
  machine.handles = new Set(); // those that keep the loop alive

  const isBusy = () => waiting.length + working.length + finishedWorks.length > 0;
  const MOST_IDLE_TURNS = 3;
  let idleTurns = 0;
  machine.sockets = null; // those of sockets.js, in a program that names them
  const isAlive = () =>
    immediateRef ||
    (timerAt !== null && timerRef) ||
    isBusy() ||
    machine.handles.size > 0 ||
    machine.closing.length > 0 ||
    machine.sockets?.isAlive() === true;

  const isHurried = () => {
    // Looking decides which sockets are ready in this round, so it is done in any case.
    const isSocketReady = machine.sockets?.isReady() === true;
    return (
      !isAlive() ||
      immediateRef ||
      machine.closing.length > 0 ||
      machine.posts.length > 0 ||
      finishedWorks.length > 0 ||
      isSocketReady
    );
  };
  /** When the next round has something to do. */
  machine.wakesAt = () =>
    isHurried()
      ? time
      : Math.min(timerAt === null ? Number.POSITIVE_INFINITY : timerAt, nextDone());

  const poll = () => {
    const hurries = isHurried();
    // With clients time has parts of milliseconds: libuv sleeps whole ones, from when it goes to sleep.
    const part = machine.serving ? Math.max(0, time - loopTime) : 0;
    const untilTimer = timerAt === null ? Number.POSITIVE_INFINITY : timerAt + part;
    phase = "poll";
    machine.phase = phase;
    turn++;
    machine.turn = turn;
    const nextOfClients = machine.sockets?.nextAt?.() ?? Number.POSITIVE_INFINITY;
    const until = Math.min(untilTimer, nextDone(), nextOfClients);
    // A server of Node's has a timer of its own that comes again for ever and keeps nothing alive.
    const isIdle = !hurries && nextDone() === Number.POSITIVE_INFINITY && !(timerAt && timerRef);
    const isServer = machine.sockets?.hasListener() && !machine.isGuest;
    idleTurns = isIdle && isServer ? idleTurns + 1 : 0;
    if (idleTurns > (timerAt === null ? 0 : MOST_IDLE_TURNS))
      machine.refuse(
        "The server waits for a client, but the model has only the clients that the program " +
          "itself creates",
      );
    if (!hurries && until === Number.POSITIVE_INFINITY)
      machine.stop(
        "The program never ends, because a handle is open and nothing is left that could happen.",
      );
    let sleeps = !hurries && until > Math.max(time, loopTime);
    if (!sleeps && hurries) time = Math.max(time, loopTime) + TURN_MS;
    // Node has libuv count how long the loop is idle. So libuv looks before it sleeps, and reads the clock.
    if (sleeps) sleeps = untilTimer > machine.readClock("look");
    else machine.readClock("poll");
    if (sleeps) {
      drawnTime += Math.max(0, until - Math.max(time, loopTime)); // a sleep is as long as it should be, from when it begins
      time = Math.max(time, until);
      machine.readClock("poll", true);
    }
    const events = machine.sockets?.take() ?? [];
    const [works, isOther] = noticedWorks(sleeps, events.length > 0);
    // Sockets and the pool are called in the order in which they became ready.
    const worksAt = works.length ? Math.round(works[0].doneAt * 1000) : Number.POSITIVE_INFINITY;
    const isBefore = ({ at }) => at <= worksAt !== isOther;
    const callSocket = ({ call }) => machine.isStopped || call();
    for (const event of events) if (isBefore(event)) callSocket(event);
    for (const work of works) {
      if (machine.isStopped) return;
      finishedWorks.splice(finishedWorks.indexOf(work), 1);
      work.done();
    }
    takePosts();
    for (const event of events) if (!isBefore(event)) callSocket(event);
    // A pending callback reports input or output, so it counts as one of the poll phase, as in a recorded trace.
    if (machine.sockets?.hasPending()) machine.sockets.runAfterPoll();
  };
  const takePosts = () => {
    // Each port is looked at once a turn, in the order in which they were made.
    const ports = [...machine.posts].sort((a, b) => a.number - b.number);
    let last = -1;
    for (let port = ports[0]; port && !machine.isStopped; ) {
      last = port.number;
      machine.posts.splice(machine.posts.indexOf(port), 1);
      port.take();
      port = [...machine.posts]
        .sort((a, b) => a.number - b.number)
        .find((other) => other.number > last);
    }
  };

  /** What became ready after the last poll phase is drawn in the next one. */
  const runPending = () => {
    machine.turn = turn + 1;
    inPhase("poll", () => machine.sockets.runPending());
  };

  /** What was closed last comes first. */
  const runClosing = () => {
    const callbacks = machine.closing.reverse();
    machine.closing = [];
    inPhase("close", () => {
      for (const callback of callbacks) if (!machine.isStopped) callback();
    });
  };

  // Once the loop has begun it goes round, even where the timers before its first turn were all that it had.
  function* runLoop() {
    let goesRound = isAlive();
    machine.readClock("loop");
    if (goesRound) runTimers();
    while (!machine.isStopped && goesRound) {
      yield;
      if (machine.sockets?.hasPending()) runPending();
      if (machine.isStopped) break;
      poll();
      if (machine.isStopped) break;
      runCheck();
      if (machine.closing.length) runClosing();
      if (machine.isStopped) break;
      machine.readClock("loop");
      runTimers();
      goesRound = isAlive();
    }
  }

  const exitCode = () => (machine.exitInfo[2] ? machine.exitInfo[1] : 0);

  machine.run = (main, options) => {
    const rounds = machine.rounds(main, options);
    for (;;) {
      const { done, value } = rounds.next();
      if (done) return value;
    }
  };
  /** A run that can be left, and gone on with, before each round of the loop. */
  machine.rounds = function* rounds(main, options) {
    ({ schedule, mostMs, last } = options);
    skewMs = options.skewMs ?? 0;
    if (options.draw) {
      draw = numbersOf(options.draw);
      slowness = SLOWNESS[options.draw % SLOWNESS.length];
      drawnTime = draw();
    }
    phase = machine.phase = "main";
    machine.turn = 0;
    attempt(main);
    drain();
    while (!machine.isStopped) {
      yield* runLoop();
      if (machine.isStopped) break;
      inPhase("beforeExit", () =>
        makeCallback(() => machine.process.emit("beforeExit", exitCode())),
      );
      if (!isAlive()) break;
    }
    if (!machine.isStopped) {
      inPhase("exit", () => {
        machine.exitInfo[0] = 1;
        let code = exitCode();
        if (machine.isUnsettled?.() && !machine.exitInfo[2])
          code = exitCodes.kUnsettledTopLevelAwait;
        makeCallback(() => machine.process.emit("exit", code));
        if (!machine.isStopped) {
          machine.exitCode = machine.exitInfo[2] ? machine.exitInfo[1] : code;
          if (code === exitCodes.kUnsettledTopLevelAwait && machine.isUnsettled())
            machine.print(2, "Warning: Detected unsettled top-level await\n", "report");
        }
      });
    }
    return {
      noted: readingsList,
      drawn: drawnSchedule,
      code: machine.exitCode,
      readings,
      threads: machine.threads(),
    };
  };
  machine.isStop = (error) => error === STOP;
};
