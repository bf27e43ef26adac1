// Evaluated inside the engine after process.js: the rows of one traced run, as the recorder of real
// Node writes them (lab/node/recorder/preload.cjs), from the same hooks: Node's own `async_hooks`.
// A callback's row names the phase, too, which the recorder cannot know.
(machine) => {
  const FRAMES_KEPT = 4;
  const FRAMES_READ = 50;
  const TEXT_KEPT = 300;
  const MOST_ROWS = 20_000;
  const MOST_BUFFERS = 12; // of streams, the first that the program makes
  const PHASES = { beforeExit: "exit" };
  const { apply } = Reflect;
  const { String: string, Error: NativeError } = globalThis;

  /** Where in the program this is: { at: [[line, column, function], …] innermost first, called }. */
  const siteIn = (files) => {
    const { prepareStackTrace, stackTraceLimit } = NativeError;
    NativeError.prepareStackTrace = (_, sites) => sites;
    NativeError.stackTraceLimit = FRAMES_READ;
    const holder = {};
    NativeError.captureStackTrace(holder);
    const sites = holder.stack;
    NativeError.prepareStackTrace = prepareStackTrace;
    NativeError.stackTraceLimit = stackTraceLimit;
    const at = [];
    let calleeName = null;
    for (const [number, site] of sites.entries()) {
      if (!files.includes(site.getFileName())) continue;
      if (at.length === 0 && number > 0) calleeName = sites[number - 1].getFunctionName();
      const name = site.getFunctionName();
      at.push([
        site.getLineNumber(),
        site.getColumnNumber(),
        /^</.test(name) ? null : name || null,
      ]);
      if (at.length === FRAMES_KEPT) break;
    }
    // The source's own place of an await, where what is put around it has moved its column.
    if (at.length && machine.place) [at[0][0], at[0][1], at[0][3]] = [...machine.place, true];
    return at.length ? { at, called: calleeName } : null;
  };

  const detailOf = (type, resource) => {
    if (type === "Timeout")
      return {
        ms: resource._idleTimeout,
        every: resource._repeat ?? undefined,
        fn: resource._onTimeout?.name || undefined,
      };
    if (type === "Immediate") return { fn: resource._onImmediate?.name || undefined };
    if (type === "TickObject") return { fn: resource.callback?.name || undefined };
    return resource?.[machine.detail];
  };

  /** How full the buffers are of the streams that the program makes: before each row, those that have changed since the last. */
  const followBuffers = (files, rows) => {
    const buffers = [];
    const note = (stream) => {
      if (machine.isOwn) return;
      const { _readableState: readable, _writableState: writable } = stream;
      const site = (readable || writable) && buffers.length < MOST_BUFFERS ? siteIn(files) : null;
      if (!site) return;
      buffers.push({ readable, writable, read: readable && 0, written: writable && 0 });
      const markOf = (state) => state?.highWaterMark ?? null;
      rows.push(["s", site, { reads: markOf(readable), writes: markOf(writable) }]);
    };
    const EventEmitter = machine.load("events");
    const { init } = EventEmitter;
    EventEmitter.init = function (...values) {
      apply(init, this, values);
      note(this);
    };
    return {
      look() {
        const changes = [];
        for (const [number, buffer] of buffers.entries()) {
          const { readable, writable } = buffer;
          const [read, written] = [readable?.length, writable?.length];
          if (read === buffer.read && written === buffer.written) continue;
          Object.assign(buffer, { read, written });
          changes.push([number, read ?? null, written ?? null]);
        }
        if (changes.length) rows.push(["l", changes]);
      },
    };
  };

  machine.startTrace = (file) => {
    const rows = [];
    const ids = new WeakMap();
    const files = [file, `file://${file}`];
    const { createHook, executionAsyncId } = machine.load("async_hooks");
    const root = executionAsyncId();
    let isMain = true;
    const buffers = followBuffers(files, rows);
    const push = (...row) => {
      if (rows.length < MOST_ROWS) {
        buffers.look();
        rows.push(row);
      } else if (rows.length === MOST_ROWS) rows.push(["L", machine.timeUs()]);
    };
    /** The callback that runs now. A promise's callback of which nobody has told gets a name here. */
    const running = () => {
      if (machine.isInJobs && !isMain && executionAsyncId() === root) machine.enterUnknown();
      return executionAsyncId();
    };
    const hook = createHook({
      init(id, type, trigger, resource) {
        const by = type === "PROMISE" ? executionAsyncId() : running();
        if (type === "Timeout" || type === "Immediate") ids.set(resource, id);
        const detail =
          type === "PROMISE" ? { isSettled: machine.isSettled } : detailOf(type, resource);
        push("i", machine.timeUs(), id, type, trigger, by, siteIn(files), detail);
      },
      before: (id) =>
        push(...["b", machine.timeUs(), id, machine.turn], PHASES[machine.phase] ?? machine.phase),
      after: (id) => push("a", machine.timeUs(), id),
      promiseResolve: (id) => push("r", machine.timeUs(), id),
    });
    const timers = machine.load("timers");
    for (const name of ["clearTimeout", "clearInterval", "clearImmediate"]) {
      const clear = timers[name];
      timers[name] = globalThis[name] = {
        [name](timer) {
          if (typeof timer === "object" && timer !== null && ids.has(timer))
            push("k", machine.timeUs(), ids.get(timer), siteIn(files));
          return apply(clear, this, [timer]);
        },
      }[name];
    }
    hook.enable();
    machine.trace = {
      main() {
        isMain = true;
        push("m", machine.timeUs(), executionAsyncId());
      },
      mainEnd() {
        isMain = false;
        push("M", machine.timeUs());
      },
      printed(descriptor, text) {
        const by = running();
        const kept = text.length > TEXT_KEPT ? `${text.slice(0, TEXT_KEPT)}…\n` : text;
        push("o", machine.timeUs(), descriptor, kept, siteIn(files), by);
      },
      thread: ({ id, slot }, t) => id && push("g", t, id, slot),
      done: ({ id }, t) => id && push("d", t, id),
      threw(error) {
        push("!", machine.timeUs(), string(error?.message ?? error).slice(0, 400), running());
      },
      end(code) {
        push("x", machine.timeUs(), code);
        return rows;
      },
    };
  };
};
