// Evaluated inside the engine after loop.js: the process, the globals and the console that a program
// sees, clone with Node's own modules as its bootstrap does, and how the program itself is begun.
(machine) => {
  const { host, load, settings, lent, exitInfo } = machine;
  const { process } = settings;
  const MOST_LINES = settings.mostLines;
  machine.process = process;

  // --- what is printed ---------------------------------------------------------------------
  const chunks = [];
  machine.printed = () => chunks.length;
  let lines = 0;
  let origin = "program";
  machine.print = (descriptor, words, from = origin) => {
    if (machine.isStopped) return;
    const text = words.toWellFormed(); // half a character has no bytes
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
    if (lines > MOST_LINES)
      machine.stop(
        `The program printed more than ${MOST_LINES.toLocaleString("en")} lines and was stopped.`,
      );
    if (from !== "report") machine.refuseForeignWords?.(text);
    chunks.push([descriptor, text, machine.phase, machine.turn, from]);
    if (from !== "report") machine.trace?.printed(descriptor, text);
  };
  /** What a stream of the process prints of a text or of bytes; the error of Node's own streams for anything else. */
  const textOfChunk = (chunk, encoding) => {
    if (typeof chunk === "string") {
      const isText = typeof encoding !== "string" || /^utf-?8$/i.test(encoding);
      return isText ? chunk : load("buffer").Buffer.from(chunk, encoding).toString();
    }
    const { codes } = load("internal/errors");
    if (chunk === null) throw new codes.ERR_STREAM_NULL_VALUES();
    if (!ArrayBuffer.isView(chunk))
      throw new codes.ERR_INVALID_ARG_TYPE(
        "chunk",
        ["string", "Buffer", "TypedArray", "DataView"],
        chunk,
      );
    const { Buffer } = load("buffer");
    return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString();
  };
  const stream = (fd) => {
    const EventEmitter = load("events");
    return Object.assign(new EventEmitter(), {
      fd,
      writable: true,
      writableLength: 0,
      write(chunk, encoding, callback) {
        machine.print(fd, textOfChunk(chunk, encoding));
        const done = typeof encoding === "function" ? encoding : callback;
        if (done) process.nextTick(done, null);
        return true;
      },
    });
  };

  // Where a program pipes to a stream of the process it is one of Node's own; else nobody sees whether it is, and to load
  // `stream` takes long.
  const PASSED_ON = /\bstd(out|err)\b(?!\s*\??\.\s*(write|isTTY|columns|fd)\b)/;
  const PIPES = /\.(pipe|compose|pipeTo|pipeThrough|toWeb)\s*\(|\b(pipeline|finished)\b/;
  const ownStream = (fd) => {
    const { Writable } = load("stream");
    const write = (chunk, _encoding, done) => {
      machine.print(fd, typeof chunk === "string" ? chunk : chunk.toString());
      done();
    };
    machine.isOwn = true; // a stream that is no buffer of the program's
    const made = new Writable({ decodeStrings: false, write });
    machine.isOwn = false;
    made.destroySoon = made.destroy;
    made._destroy = (error, done) => done(error); // Node's is never closed
    return Object.assign(made, { fd, _type: "pipe", _isStdio: true });
  };
  const isPiped = (source) => PASSED_ON.test(source) && PIPES.test(source);
  const streams = {};
  const exposeStream = (name, fd) =>
    Object.defineProperty(process, name, {
      get() {
        streams[name] ??= isPiped(host("source")) ? ownStream(fd) : stream(fd);
        return streams[name];
      },
      configurable: true,
      enumerable: true,
    });

  // --- process -----------------------------------------------------------------------------
  const MEMORY = {
    rss: 4e7,
    heapTotal: 6e6,
    heapUsed: 5e6,
    external: 1e6,
    arrayBuffers: 1e4,
  };
  const EventEmitter = load("events");
  const prototype = Object.create(EventEmitter.prototype, {
    constructor: { value: function process() {}, writable: true, configurable: true },
    [Symbol.toStringTag]: { value: "process", configurable: true },
  });
  Object.setPrototypeOf(process, prototype);
  EventEmitter.call(process);
  Object.assign(process, {
    version: settings.version,
    versions: settings.versions,
    title: "node",
    arch: "x64",
    platform: "linux",
    pid: 1234,
    ppid: 1,
    execPath: "/usr/bin/node",
    execArgv: [],
    argv: ["/usr/bin/node", settings.file],
    argv0: "node",
    env: { HOME: "/home/you", PATH: "/usr/local/bin:/usr/bin:/bin", PWD: "/home/you", USER: "you" },
    release: { name: "node" },
    domain: null,
    cwd: () => settings.cwd,
    umask: () => 0o22,
    abort: () => machine.exit(134),
    memoryUsage: Object.assign(() => ({ ...MEMORY }), { rss: () => MEMORY.rss }),
    binding: () => machine.stop("process.binding() is not modelled."),
    report: { reportOnUncaughtException: false },
  });
  let features = null;
  Object.defineProperty(process, "features", {
    get: () => (features ??= machine.host("part", "features")(settings.version)),
    enumerable: true,
    configurable: true,
  });
  const integer = load("internal/validators").validateInteger;
  Object.defineProperty(process, "_exiting", {
    get: () => exitInfo[0] === 1,
    set: (value) => {
      exitInfo[0] = value ? 1 : 0;
    },
    enumerable: true,
    configurable: true,
  });
  Object.defineProperty(process, "exitCode", {
    get: () => (exitInfo[2] ? exitInfo[1] : undefined),
    set(code) {
      if (code === null || code === undefined) {
        exitInfo[2] = 0;
        return;
      }
      const number = typeof code === "string" && code !== "" ? Number(code) : code;
      const value = Number.isNaN(number) ? code : number;
      integer(value, "code");
      exitInfo[1] = value;
      exitInfo[2] = 1;
    },
    enumerable: true,
  });
  load("internal/util/debuglog").initializeDebugEnv(undefined);
  const hrtime = (before) => {
    const ns = Math.round(machine.preciseNow() * 1e6) + 1e12;
    const now = [Math.floor(ns / 1e9), ns % 1e9];
    if (!before) return now;
    const [seconds, rest] = [now[0] - before[0], now[1] - before[1]];
    return rest < 0 ? [seconds - 1, rest + 1e9] : [seconds, rest];
  };
  hrtime.bigint = () => BigInt(Math.round(machine.preciseNow() * 1e6) + 1e12);
  process.hrtime = hrtime;
  process.uptime = () => machine.preciseNow() / 1000;
  process.reallyExit = (code) => machine.exit(code);
  const { wrapProcessMethods, ref, unref } = load("internal/process/per_thread");
  process.exit = wrapProcessMethods(machine.bindings.process_methods).exit;
  if (ref) Object.assign(process, { ref, unref });

  const { setupTaskQueue, queueMicrotask } = load("internal/process/task_queues");
  const { nextTick, runNextTicks } = setupTaskQueue();
  process.nextTick = nextTick;
  process._tickCallback = runNextTicks;
  const { getTimerCallbacks } = load("internal/timers");
  const { processImmediate, processTimers } = getTimerCallbacks(runNextTicks);
  machine.processImmediate = processImmediate;
  machine.processTimers = processTimers;

  const execution = load("internal/process/execution");
  process._fatalException =
    execution.onGlobalUncaughtException ?? execution.createOnGlobalUncaughtException();
  process.setUncaughtExceptionCaptureCallback = execution.setUncaughtExceptionCaptureCallback;
  process.hasUncaughtExceptionCaptureCallback = execution.hasUncaughtExceptionCaptureCallback;
  const warning = load("internal/process/warning");
  process.emitWarning = warning.emitWarning;
  process._rawDebug = (text) => machine.print(2, `${text}\n`, "report");
  process.on("warning", (warned) => {
    origin = "report";
    try {
      warning.onWarning(warned);
    } finally {
      origin = "program";
    }
  });
  process.getActiveResourcesInfo = () => {
    const { timerListMap } = load("internal/timers");
    const names = [];
    for (const list of Object.values(timerListMap))
      for (let timer = list._idlePrev; timer !== list; timer = timer._idlePrev)
        if (timer.hasRef()) names.push("Timeout");
    for (let count = machine.immediateInfo[1]; count > 0; count--) names.push("Immediate");
    return names;
  };
  exposeStream("stdout", 1);
  exposeStream("stderr", 2);

  // --- globals -----------------------------------------------------------------------------
  const expose = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  const defineHidden = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, configurable: true });
  const operation = (name, value) =>
    Object.defineProperty(globalThis, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  // What complete.js writes into a program asks for: the iterable of a loop as one whose iterator has no
  // `return()`, and what closes it behind the loop unless it is exhausted or has failed by itself.
  const { apply } = Reflect;
  const isCallable = (value) => typeof value === "function";
  const methodOf = (object, name) => object?.[name] ?? undefined;
  const { then } = Promise.prototype;
  const announce = (value) => (machine.isWatched ? machine.awaited(value, null) : value);
  const notingClose = (iterable, isAsync = true) => {
    let iterator = null;
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    // Both reactions run before that of the engine, which is the next to await the same promise.
    const follow = (result) => {
      if (result instanceof Promise && isAsync)
        apply(then, result, [(settled) => settled?.done && end(), end]);
      else if (Object(result) !== result || result.done) end();
    };
    const noting = (taken) => {
      if (Object(taken) !== taken) return taken; // the engine says what is wrong
      iterator = taken;
      const { next } = iterator;
      return {
        next(...values) {
          let result;
          try {
            result = apply(next, iterator, values);
            follow(result);
          } catch (error) {
            end();
            throw error;
          }
          return isAsync ? announce(result) : result;
        },
      };
    };
    const loop = { iterable, hasThrown: false };
    /** {promise} of what `return()` gives; null where there is nothing to close. */
    loop.close = () => {
      if (!iterator || isOver) return null;
      const close = methodOf(iterator, "return");
      if (close === undefined) return null;
      return { promise: announce(apply(close, iterator, [])) };
    };
    loop.check = (result) => {
      if (Object(result) !== result)
        throw new TypeError(`Iterator result ${String(result)} is not an object`);
    };
    loop.closeNow = () => {
      const close = iterator && !isOver ? methodOf(iterator, "return") : undefined;
      if (close !== undefined) loop.check(apply(close, iterator, []));
    };
    const asynchronous = isAsync ? methodOf(iterable, Symbol.asyncIterator) : undefined;
    const synchronous = asynchronous ? undefined : methodOf(iterable, Symbol.iterator);
    if (isCallable(asynchronous))
      loop.iterable = { [Symbol.asyncIterator]: () => noting(apply(asynchronous, iterable, [])) };
    else if (isCallable(synchronous) && isAsync)
      loop.iterable = {
        [Symbol.asyncIterator]: () => noting(machine.fromSync(apply(synchronous, iterable, []))),
      };
    else if (isCallable(synchronous))
      loop.iterable = { [Symbol.iterator]: () => noting(apply(synchronous, iterable, [])) };
    return loop;
  };
  Object.defineProperty(globalThis, "__iterated", { value: notingClose });

  /** What complete.js writes for `using`: what was taken is given back in reverse order. */
  const { SymbolDispose, SymbolAsyncDispose } = machine.primordials;
  for (const [name, symbol] of Object.entries({
    dispose: SymbolDispose,
    asyncDispose: SymbolAsyncDispose,
  }))
    if (!Symbol[name]) Object.defineProperty(Symbol, name, { value: symbol });
  const ofUsing = () => {
    need("using");
    return machine.using;
  };
  Object.defineProperty(globalThis, "__using", { value: () => new (ofUsing().UsingScope)() });

  /** `import.meta` of the program, which is the only module of its own. */
  const fileUrl = (path) =>
    `file://${encodeURI(path).replaceAll("#", "%23").replaceAll("?", "%3F")}`;
  let meta = null;
  const metaOf = (filename) => {
    const dirname = filename.slice(0, filename.lastIndexOf("/")) || "/";
    const resolve = (specifier) => {
      const text = `${specifier}`;
      const name = text.replace(/^node:/, "");
      if (OPEN.includes(name) || name in ELSEWHERE) return `node:${name}`;
      if (!/^\.{0,2}\//.test(text)) return refuse("packages to resolve");
      const path = text.startsWith("/") ? text : `${dirname}/${text}`;
      const parts = [];
      for (const part of path.split("/"))
        if (part === "..") parts.pop();
        else if (part && part !== ".") parts.push(part);
      return fileUrl(`/${parts.join("/")}`);
    };
    const made = { dirname, filename, main: true, resolve, url: fileUrl(filename) };
    return Object.assign(Object.create(null), made);
  };
  Object.defineProperty(globalThis, "__metaOf", {
    value: (filename) => Object.assign(metaOf(filename), { main: false }),
  });
  Object.defineProperty(globalThis, "__meta", {
    get() {
      meta ??= metaOf(settings.file);
      return meta;
    },
  });

  Object.defineProperty(globalThis, "crypto", {
    get: () => machine.own.crypto.webcrypto,
    configurable: true,
  });
  const { codes } = load("internal/errors");
  const timers = load("timers");
  for (const name of Object.keys(timers)) if (name !== "promises") operation(name, timers[name]);
  operation("queueMicrotask", queueMicrotask);
  operation("structuredClone", (...values) => {
    if (!values.length) throw new codes.ERR_MISSING_ARGS("The value argument must be specified");
    const [value, options] = values;
    if (options !== undefined && options !== null) need("transfer");
    const transfer = machine.transferIn?.(options) ?? [];
    const copy = machine.clone(value);
    for (const buffer of transfer) if (machine.is.isArrayBuffer(buffer)) buffer.transfer();
    return copy;
  });
  expose("process", process);
  expose("DOMException", lent.DOMException);
  // What few programs use is loaded once it is asked for.
  const exposeLater = (name, get) =>
    Object.defineProperty(globalThis, name, {
      get,
      set: (value) => expose(name, value),
      configurable: true,
    });
  const exposeModule = (id, names) => {
    for (const name of names)
      exposeLater(name, () => {
        for (const each of names) expose(each, load(id)[each]);
        return globalThis[name];
      });
  };
  if (machine.hasDispose) exposeLater("SuppressedError", () => ofUsing().SuppressedError);
  exposeModule("internal/event_target", ["Event", "EventTarget", "CustomEvent"]);
  exposeModule("internal/abort_controller", ["AbortController", "AbortSignal"]);
  exposeModule("buffer", ["Buffer"]);
  const ofBuffer = { atob: null, btoa: null };
  for (const name of Object.keys(ofBuffer)) {
    const value = {
      [name](...values) {
        load("buffer");
        return apply(ofBuffer[name], undefined, values);
      },
    }[name];
    operation(name, Object.defineProperty(value, "length", { value: 1 }));
  }
  const { atob, btoa } = globalThis;
  machine.changed.buffer = (exported) => {
    Object.assign(ofBuffer, { atob: exported.atob, btoa: exported.btoa });
    const transcode = { transcode: () => refuse("buffer.transcode") }.transcode;
    Object.assign(exported, { atob, btoa, transcode });
  };

  /** When the run began, as a date. */
  machine.epoch = () => {
    machine.asked.chance = true;
    return settings.epoch;
  };

  // --- time ----------------------------------------------------------------------------------
  // Marks and measures are of the model's time, in which only waiting takes any.
  const marks = [];
  const entry = (entryType, name, startTime, duration, detail = null) => {
    marks.push({ name, entryType, startTime, duration, detail });
    return marks.at(-1);
  };
  const startOf = (place) => {
    if (typeof place === "number") return place;
    const mark = marks.findLast(({ name, entryType }) => name === place && entryType === "mark");
    if (mark) return mark.startTime;
    throw new lent.DOMException(`The "${place}" performance mark has not been set`, "SyntaxError");
  };
  const measureless = (name) => () =>
    machine.refuse(`performance.${name}() measures real work, which a model does not have`);
  expose("performance", {
    now: () => machine.preciseNow(),
    get timeOrigin() {
      return machine.epoch();
    },
    mark: (name, { startTime, detail } = {}) =>
      entry("mark", `${name}`, startTime ?? machine.preciseNow(), 0, detail),
    measure(name, from = {}, to = undefined) {
      const { start = 0, end = to, detail } = typeof from === "object" ? from : { start: from };
      const last = end === undefined ? machine.preciseNow() : startOf(end);
      const first = startOf(start);
      return entry("measure", name, first, last - first, detail);
    },
    getEntries: () => [...marks],
    getEntriesByName: (wanted) => marks.filter(({ name }) => name === wanted),
    getEntriesByType: (wanted) => marks.filter(({ entryType }) => entryType === wanted),
    clearMarks: () => void marks.splice(0),
    clearMeasures: () => void marks.splice(0),
    eventLoopUtilization: measureless("eventLoopUtilization"),
    timerify: measureless("timerify"),
    toJSON: () => ({ timeOrigin: machine.epoch() }),
  });

  const RealDate = Date;
  // It has the engine's prototype: a date that Node makes is one of the program's.
  function ModelDate(...values) {
    if (!new.target) return new ModelDate().toString();
    return Reflect.construct(RealDate, values.length ? values : [ModelDate.now()], new.target);
  }
  const ofDate = Object.getOwnPropertyDescriptors(RealDate);
  ofDate.now.value = {
    now: () => Math.floor(machine.epoch() + machine.preciseNow()),
  }.now;
  Object.defineProperties(ModelDate, ofDate);
  expose("Date", ModelDate);
  defineHidden(RealDate.prototype, "constructor", ModelDate);

  // --- languages and time zones ----------------------------------------------------------------
  const LOCAL = {
    Date: "toString toTimeString toLocaleString toLocaleDateString toLocaleTimeString",
    Number: "toLocaleString",
    BigInt: "toLocaleString",
    String: "localeCompare toLocaleLowerCase toLocaleUpperCase",
  };
  const selfOf = {
    Date: (value) => apply(RealDate.prototype.getTime, value, []),
    Number: (value) => (Object.is(+value, -0) ? "-0" : `${+value}`),
    BigInt: (value) => apply(BigInt.prototype.toString, value, []),
    String: (value) => `${value}`,
  };
  // A function of a class, whose code is strict, so that `this` may be nothing.
  const localMethod = (owner, method) =>
    class {
      called(...values) {
        if (owner === "String" && (this === null || this === undefined))
          throw new TypeError(`String.prototype.${method} called on null or undefined`);
        const self = selfOf[owner](this);
        if (method === "localeCompare") values[0] = `${values[0]}`;
        return inLocale({ owner, method, self, values });
      }
    }.prototype.called;
  const inLocale = (request) => {
    const { value, error } = JSON.parse(host("locale", JSON.stringify(request)));
    if (error) throw new globalThis[error[0]](error[1]);
    return value;
  };
  for (const [owner, methods] of Object.entries(LOCAL))
    for (const method of methods.split(" ")) {
      const { prototype } = owner === "Date" ? RealDate : globalThis[owner];
      const { length } = prototype[method];
      const value = localMethod(owner, method);
      Object.defineProperties(value, { name: { value: method }, length: { value: length } });
      Object.defineProperty(prototype, method, { value, writable: true, configurable: true });
    }

  machine.locale = { inLocale, selfOf };
  exposeLater("Intl", () => {
    need("formats");
    return globalThis.Intl;
  });

  // --- what a program can see of an object, as in V8 -------------------------------------------
  const { exec } = RegExp.prototype;
  const inOrder = {
    exec(text) {
      const match = apply(exec, this, [text]);
      if (match === null) return null;
      const { groups } = match;
      delete match.groups;
      match.groups = groups; // the engine has it first, V8 behind `index` and `input`
      return match;
    },
  };
  Object.defineProperty(RegExp.prototype, "exec", {
    value: inOrder.exec,
    writable: true,
    configurable: true,
  });

  const ANOTHER_DAY_MS = 100_234_567;
  const ANOTHER_SEED = 4711;
  let seed = 42;
  Math.random = () => {
    machine.asked.chance = true;
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return seed / 0x80000000;
  };

  const WEB_STREAMS = [
    ...["ReadableStream", "ReadableStreamDefaultReader", "ReadableStreamBYOBReader"],
    ...["ReadableStreamBYOBRequest", "ReadableByteStreamController"],
    ...["ReadableStreamDefaultController", "TransformStream", "TransformStreamDefaultController"],
    ...["WritableStream", "WritableStreamDefaultController", "WritableStreamDefaultWriter"],
    ...["ByteLengthQueuingStrategy", "CountQueuingStrategy"],
    ...["TextEncoderStream", "TextDecoderStream"],
  ];

  // What Node has and the model has not: `typeof` says what it is, and every other use of it is refused.
  const TRAPS =
    "get set has apply construct ownKeys getOwnPropertyDescriptor defineProperty deleteProperty " +
    "getPrototypeOf setPrototypeOf isExtensible preventExtensions";
  const refusedValue = (type, words) => {
    const refused = () => refuse(words);
    const handler = Object.fromEntries(TRAPS.split(" ").map((trap) => [trap, refused]));
    return new machine.EngineProxy(type === "object" ? {} : function refusedValue() {}, handler);
  };
  const major = Number.parseInt(settings.version.slice(1), 10);
  const NETWORK = "requests over the network";
  const MEASURES = "measurements of real work";
  // [names, words, what they are, the first Node that has them]
  const ABSENT = [
    ["fetch WebSocket FormData Headers Request Response", NETWORK],
    ["CloseEvent", NETWORK, "function", 24],
    ["Blob File", "blobs"],
    ["URLPattern", "patterns of URLs", "function", 24],
    ["BroadcastChannel", "channels between threads"],
    ["CompressionStream DecompressionStream", "compression"],
    ["Crypto CryptoKey SubtleCrypto", "keys"],
    ["Navigator", "navigator"],
    ["navigator", "navigator", "object"],
    ["Performance PerformanceEntry PerformanceMark PerformanceMeasure", MEASURES],
    ["PerformanceObserver PerformanceObserverEntryList PerformanceResourceTiming", MEASURES],
    ["WebAssembly", "WebAssembly", "object"],
    ["DisposableStack AsyncDisposableStack", "stacks of resources", "function", 24],
    ["ErrorEvent QuotaExceededError", "errors of the web", "function", 26],
    ["Storage", "storage", "function", 26],
    ["sessionStorage", "storage", "object", 26],
    ["Temporal", "calendars", "object", 26],
  ];
  for (const [names, words, type, since = 0] of ABSENT)
    for (const name of names.split(" "))
      if (major >= since && !(name in globalThis))
        expose(name, refusedValue(type, name === "fetch" ? name : `${words} (${name})`));
  // The same of what the language has.
  const LANGUAGE = [
    [JSON, "rawJSON isRawJSON", 0],
    [Uint8Array, "fromBase64 fromHex", 26],
    [Uint8Array.prototype, "toBase64 toHex setFromBase64 setFromHex", 26],
  ];
  for (const [owner, names, since] of LANGUAGE)
    for (const name of names.split(" "))
      if (major >= since && !(name in owner))
        Object.defineProperty(owner, name, {
          value: { [name]: () => refuse(`function ${name}`) }[name],
          writable: true,
          configurable: true,
        });
  const OF_THE_LAST_MATCH =
    "input lastMatch lastParen leftContext rightContext $_ $& $+ $` $' $1 $2 $3 $4 $5 $6 $7 $8 $9";
  for (const name of OF_THE_LAST_MATCH.split(" "))
    Object.defineProperty(RegExp, name, {
      get: () => refuse(`memory of the last match (RegExp.${name})`),
      set() {},
      configurable: true,
    });
  machine.hooksOfPerformance = () => ({
    performance: globalThis.performance,
    ...Object.fromEntries(
      Object.getOwnPropertyNames(globalThis)
        .filter((name) => name.startsWith("Performance"))
        .map((name) => [name, globalThis[name]]),
    ),
    ...Object.fromEntries(
      ["monitorEventLoopDelay", "createHistogram"].map((name) => [
        name,
        refusedValue("function", `${MEASURES} (perf_hooks.${name})`),
      ]),
    ),
    constants: refusedValue("object", `${MEASURES} (perf_hooks.constants)`),
  });

  for (const name of ["URL", "URLSearchParams"])
    exposeLater(name, () => {
      need("url");
      return globalThis[name];
    });
  exposeModule("internal/encoding", ["TextEncoder", "TextDecoder"]);
  exposeModule("stream/web", WEB_STREAMS);

  const console = load("internal/console/global");
  // The inspector's, which do nothing where none listens.
  for (const name of ["profile", "profileEnd", "timeStamp", "context"])
    console[name] ??= { [name]() {} }[name];
  const requireThat = (isRight, words) => {
    if (!isRight) throw new Error(words);
  };
  console.createTask = {
    createTask(name) {
      requireThat(name && typeof name === "string", "First argument must be a non-empty string.");
      return {
        run(action) {
          requireThat(isCallable(action), "First argument must be a function.");
          return action();
        },
      };
    },
  }.createTask;
  console[load("internal/console/constructor").kBindStreamsLazy](process);
  expose("console", console);

  machine.clone = (value) => {
    need("transfer");
    return machine.clone(value);
  };

  // --- stacks as V8 words them ---------------------------------------------------------------
  const nameIn = (site) => {
    const name = site.getFunctionName() ?? "";
    return /^<(eval|anonymous)>$/.test(name) ? "" : name;
  };
  const fileOf = (site) => site.getFileName()?.replace(/^file:\/\//, "") ?? "";
  const isCode = (site) => ["cjs", "esm"].includes(programFiles[fileOf(site)]?.kind);
  /** Where the engine has a function of the program, for the machine outside. */
  const placeOf = (site) => ({
    line: site.getLineNumber(),
    column: site.getColumnNumber(),
    file: fileOf(site),
  });
  const [beginsLine, beginsColumn] = ["lineNumber", "columnNumber"].map(
    (name) => Object.getOwnPropertyDescriptor(Function.prototype, name).get,
  );
  /** Where the function of a frame begins, for one that failed before anything of it has a place for the engine; else undefined. */
  const beginningOf = (site) => {
    const called = site.getFunction();
    if (typeof called !== "function") return undefined;
    const [line, column] = [beginsLine, beginsColumn].map((get) => apply(get, called, []));
    const isThere = site.getLineNumber() === line && site.getColumnNumber() <= column;
    return isThere ? { line, column, file: fileOf(site) } : undefined;
  };
  const callerOf = (site) => {
    if (!site) return null;
    return isCode(site) ? placeOf(site) : { name: nameIn(site) };
  };
  let builtins = null; // functions of the language by themselves, as V8 names them in a stack
  const namesOfBuiltins = () => {
    builtins = new Map();
    for (const owner of ["JSON", "Math", "Reflect"])
      for (const name of Object.getOwnPropertyNames(globalThis[owner]))
        builtins.set(globalThis[owner][name], `${owner}.${name}`);
    for (const type of ["Array", "String", "Map", "Set", "Number", "Promise", "RegExp"]) {
      const { prototype } = globalThis[type];
      builtins.set(globalThis[type], `new ${type}`);
      for (const name of Object.getOwnPropertyNames(prototype).filter((word) => word !== "size"))
        builtins.set(Object.getOwnPropertyDescriptor(prototype, name).value, `${type}.${name}`);
    }
    builtins.set(parse, "JSON.parse");
    builtins.set(stringify, "JSON.stringify");
    return builtins;
  };
  const OF_THE_ENGINE = [TypeError, RangeError, ReferenceError, SyntaxError, URIError, EvalError];
  /** A frame in V8's words; null for one of Node's own, or of the model's. */
  const frameOf = (site, at, sites, words, Type) => {
    const caller = sites[at + 1];
    if (site.isNative()) {
      const name =
        caller && isCode(caller) ? (builtins ?? namesOfBuiltins()).get(site.getFunction()) : null;
      return name ? `    at ${name} (<anonymous>)` : null;
    }
    if (!isCode(site)) return null;
    const [, missed] = /([\w$]+) is not a (?:function|constructor)$/.exec(words) ?? [];
    const calleeName = at === 0 ? missed : nameIn(sites[at - 1]);
    const read =
      at === 0 ? /\((?:read|sett)ing '(.*)'\)$/.exec(words) : /^[gs]et (.*)$/.exec(calleeName);
    const request = {
      ...placeOf(site),
      ...{
        name: nameIn(site),
        property: read?.[1],
        callee: calleeName ?? Type?.name,
        isTop: at === 0 && OF_THE_ENGINE.includes(Type) && words !== DEPTH,
      },
      ...{ words: at === 0 ? words : undefined, beginning: beginningOf(site) },
      caller: callerOf(caller),
    };
    const { name, line, column } = JSON.parse(host("frame", stringify(request)));
    const position = `${site.getFileName()}:${line}:${column}`;
    return name ? `    at ${name} (${position})` : `    at ${position}`;
  };
  const DEPTH = "Maximum call stack size exceeded";
  const NEGATIVE_EXPONENT =
    Number.parseInt(process.versions.node, 10) >= 26
      ? "Exponent must be positive"
      : "undefined must be positive";
  const MESSAGES = [
    [
      /^cannot read property '((?!Symbol\.).*)' of (undefined|null)$/,
      "Cannot read properties of $2 (reading '$1')",
    ],
    [
      /^cannot set property '(.*)' of (undefined|null)$/,
      "Cannot set properties of $2 (setting '$1')",
    ],
    [
      /^this is not initialized$/,
      "Must call super constructor in derived class before accessing 'this' or returning from derived constructor",
    ],
    [/^(.*) is not initialized$/, "Cannot access '$1' before initialization"],
    [/^cannot convert symbol to (string|number)$/, "Cannot convert a Symbol value to a $1"],
    [
      /^cannot convert BigInt to number$/,
      "Cannot mix BigInt and other types, use explicit conversions",
    ],
    [/^bigint argument with unary \+$/, "Cannot convert a BigInt value to a number"],
    [/^BigInt division by zero$/, "Division by zero"],
    [/^BigInt negative exponent$/, NEGATIVE_EXPONENT],
    [
      /^BigInt operands are forbidden for >>>$/,
      "BigInts have no unsigned right shift, use >> instead",
    ],
    [/^BigInt are forbidden in JSON.stringify$/, "Do not know how to serialize a BigInt"],
    [/^invalid array length$/, "Invalid array length"],
    [/^expecting hex digit$/, "URI malformed"],
    [/^empty array$/, "Reduce of empty array with no initial value"],
    [/^Date value is NaN$/, "Invalid time value"],
    [/^cannot invoke a running generator$/, "Generator is already running"],

    [/^expecting surrogate pair$/, "URI malformed"],
    [/^bad normalization form$/, "The normalization form should be one of NFC, NFD, NFKC, NFKD."],
    [/^invalid value used as WeakMap key$/, "Invalid value used as weak map key"],
    [/^invalid value used as WeakSet key$/, "Invalid value used in weak set"],
    [/^invalid string length$/, "Invalid string length"],
    [/^circular prototype chain$/, "Cyclic __proto__ value"],
    [/^toPrimitive$/, "Cannot convert object to primitive value"],
    [
      /^private class field '(.*)' does not exist$/,
      "Cannot read private member $1 from an object whose class did not declare it",
    ],
  ];
  // Words of the engine's for which V8 has others, which depend on more than the model knows: those of
  // the program's own code, and those of a function of the language that the program calls.
  const matching = (...texts) => new RegExp(`^(${texts.join("|")})$`);
  const FOREIGN_IN_CODE = matching(
    "not a function",
    "not a constructor",
    "object is not extensible",
    "not an? object",
    "value is not iterable",
    "could not delete property",
    "'.*' is read-only",
    "invalid 'in' operand",
    "invalid 'instanceof' right operand",
    "class constructors must be invoked with 'new'",
    "no setter for property",
    "parent class must be constructor",
    "parent prototype must be .*",
    "invalid brand on object",
    "operand 'prototype' property is not an object",
    "iterator must return an object",
    "private class field '.*' already exists",
    "cannot convert to object",
    "null or undefined are forbidden",
    "Cannot convert undefined or null to object",
    "cannot read property 'Symbol.*",
    "revoked proxy",
  );
  // Of the program's code and of calls: V8 also says what the object is.
  const FOREIGN_ANYWHERE =
    /^(\w+ object expected|proxy: .*|\.\w+ is undefined|Property description must be an object|Invalid property descriptor\. .*)$/;
  // V8's words of what its own functions throw begin with a capital letter.
  const FOREIGN_IN_CALL = /^[a-z'"]/;
  const foreignWords = new Set(["promise self resolution"]); // for which nothing is prepared
  const NO_FUNCTION = "not a function";
  // These are said by no text but an error's, wherever it was thrown.
  const UNMISTAKABLE =
    /^(invalid 'in|invalid 'inst|class constructors must|'.*' is read-only|cannot read property 'Sym)/;
  const NO_OBJECT =
    /^(null or undefined are forbidden|cannot convert to object|Cannot convert undefined or null to object)$/;
  const CALLED_ON =
    /^(String|Array(?=\.(?:concat|find\w*|indexOf|forEach|filter|map|every|some|reduce\w*)$))\.(\w+)$/;
  const V8_NAMES = { __proto__: null, trimStart: "trimLeft", trimEnd: "trimRight" };
  /** V8's words where a symbol is read or written of nothing, or something is no iterable; null for other errors. */
  const wordsOfSymbol = (message, site) => {
    const isOfSymbol = /^(cannot .* property 'Symbol\.|value is not iterable$)/.test(message);
    const mayBe = /^cannot (read|set) property/.test(message) && /\bSymbol\b/.test(host("source"));
    if (!isOfSymbol && !mayBe) return null;
    const place = { ...placeOf(site), beginning: beginningOf(site) };
    return wordsFor("symbols", "ofSymbol", message, place);
  };
  const ENDINGS = { call: "is not a function", new: "is not a constructor" };
  /** V8's words of an error of the engine's own; those that are not known are kept as foreign. */
  const wordsOf = (message, sites, Type) => {
    const [site] = sites;
    const isInCall = site?.isNative() || site?.getFileName() === "<input>"; // which JSON.parse reads
    if (isInCall && message === "cannot convert BigInt to number")
      return "Cannot convert a BigInt value to a number";
    if (/^too many arguments in function call/.test(message))
      machine.refuse("A function gets more values here than the model can pass, which is 65,535");
    const [, privateName] = /^private class field '(.*)' does not exist$/.exec(message) ?? [];
    if (
      privateName &&
      new RegExp(`\\.${privateName}\\s*(\\W{0,3}=[^=]|\\+\\+|--)`).test(host("source"))
    ) {
      foreignWords.add(message); // V8 says whether it is read or written
      return message;
    }
    if (
      /^class constructors must/.test(message) &&
      /^(WeakRef|FinalizationRegistry)$/.test(nameIn(site))
    )
      return `Constructor ${nameIn(site)} requires 'new'`;
    if (/^class constructors must/.test(message) && nameIn(site))
      return `Class constructor ${nameIn(site)} cannot be invoked without 'new'`;
    if (/^invalid number of digits$/.test(message) && nameIn(site) === "toFixed")
      return "toFixed() digits argument must be between 0 and 100";
    if (site?.isNative() && NO_OBJECT.test(message)) {
      const [, owner, name] =
        CALLED_ON.exec((builtins ?? namesOfBuiltins()).get(site.getFunction())) ?? [];
      if (owner) return `${owner}.prototype.${V8_NAMES[name] ?? name} called on null or undefined`;
    }
    const ofSymbol = site && isCode(site) ? wordsOfSymbol(message, site) : null;
    if (ofSymbol) return ofSymbol;
    for (const [pattern, words] of MESSAGES)
      if (pattern.test(message)) return message.replace(pattern, words);
    const foreign = isInCall ? FOREIGN_IN_CALL : FOREIGN_IN_CODE;
    const isForeign = foreign.test(message) || FOREIGN_ANYWHERE.test(message);
    if (!isForeign || (isInCall && !OF_THE_ENGINE.includes(Type))) return message;
    if (site && isCode(site)) {
      const { kind, text } = JSON.parse(host("expression", stringify(placeOf(site)))) ?? {};
      if (/^not a (function|constructor)$/.test(message) && kind in ENDINGS)
        return `${text} ${ENDINGS[kind]}`;
      if (/ is read-only$/.test(message) && kind === "name")
        return "Assignment to constant variable.";
    }
    // Node's own code looks for what there may be, and most of what it meets there is never printed.
    const caller = sites.find((each) => !each.isNative());
    if (!inner(caller) || message === NO_FUNCTION || UNMISTAKABLE.test(message))
      foreignWords.add(message);
    return message;
  };
  /** Whether the engine's words of an error are in a text; V8's of a call end with the same ones. */
  const has = (text, words) => {
    const at = text.indexOf(words);
    return at >= 0 && !(words === NO_FUNCTION && text.slice(0, at).endsWith(" is "));
  };
  machine.refuseForeignWords = (text) => {
    for (const words of foreignWords)
      if (has(text, words))
        machine.refuse(`The model does not know what Node prints for the error "${words}"`);
  };
  const { parse, stringify } = JSON;
  const words = {}; // the functions of json.js and of symbols.js
  const wordsFor = (part, name, ...values) => {
    words[part] ??= machine.host("part", part)(machine);
    return words[part][name](...values);
  };
  const reword = (error, words) => {
    const { message } = error;
    if (!words || !isString(message)) return;
    foreignWords.delete(message);
    defineHidden(error, "message", words);
  };
  // The stack of V8's own functions is full after 1,600 to 5,600 levels, at another one on each Node.
  const MOST_WALKED = 2000;
  const MOST_KEYS = 8;
  /** Refuses an object with more than `most` levels, told from the last object in each. */
  machine.refuseDeep = (value, most) => {
    const outerObjects = new Set(); // there may be a circle
    let object = value;
    while (typeof object === "object" && object !== null && !machine.is.isProxy(object)) {
      if (outerObjects.has(object)) return;
      if (outerObjects.size > most)
        machine.refuse(
          `An object has more levels here (${most}) than Node's stack is sure to hold`,
        );
      outerObjects.add(object);
      const outer = object;
      const keys = Array.isArray(outer) ? [outer.length - 1] : Object.keys(outer).slice(-MOST_KEYS);
      object = keys
        .map((key) => Object.getOwnPropertyDescriptor(outer, key)?.value)
        .findLast((inner) => typeof inner === "object" && inner !== null);
    }
  };
  // That of Node 26 needs no stack for what is written without a function and without spaces.
  const isWrittenFlat = Number.parseInt(process.versions.node, 10) >= 26;
  const isString = (value) => typeof value === "string";
  const isOf = (error, type, pattern) => error instanceof type && pattern.test(error.message);
  const json = {
    parse(text, reviver) {
      try {
        if (typeof reviver !== "function") return parse(text);
        const written = `${text}`; // what is no text is made one only once
        if (written.length > MOST_WALKED) machine.refuseDeep(parse(written), MOST_WALKED);
        return parse(written, reviver);
      } catch (error) {
        const { message } = error;
        if (
          isOf(error, SyntaxError, /^(unexpected|Unexpected (number|end)|No number|Expected prop)/)
        )
          reword(error, wordsFor("json", "wrongText", `${text}`, message));
        throw error;
      }
    },
    stringify(value, replacer, space) {
      try {
        const json = stringify(value, replacer, space);
        const isFlat = isWrittenFlat && !replacer && !space;
        if (json?.length > MOST_WALKED && !isFlat) machine.refuseDeep(value, MOST_WALKED);
        return json;
      } catch (error) {
        if (isOf(error, TypeError, /^circular reference$/) && !replacer)
          reword(error, wordsFor("json", "circle", value));
        throw error;
      }
    },
  };
  for (const name of ["parse", "stringify"]) defineHidden(JSON, name, json[name]);
  const inner = (site) =>
    /^(node:)?(internal\/|realm\.js|loop\.js|process\.js|(sockets|http|url)\.js)/.test(
      site?.getFileName() ?? "",
    );
  const isOfModel = (site) =>
    !site.isNative() &&
    (site.getLineNumber() < 1 || /^(<input>|\w+\.js)$/.test(site.getFileName() ?? ""));
  // The engine ends a run at every ten-thousandth call or round of a loop, and not if that is in here: what
  // a program does over and over must not always have it in here.
  let luck = 1;
  const nothing = () => {};
  const shiftTheEnd = () => {
    luck = (Math.imul(luck, 1103515245) + 12345) & 0x7fffffff;
    if (luck & (2 ** 20)) nothing();
    for (let round = (luck >> 16) & 7; round > 0; round--) nothing();
  };
  /** A stack's text; as in V8 it begins where the constructor of the error's own class is called. */
  const textOf = (error, { sites, words, Type }) => {
    const constructed = sites.findIndex((site) => site.getFunction() === Type);
    const frames = sites
      .slice(constructed + 1)
      .filter((site) => !isOfModel(site))
      .map((site, at, all) => frameOf(site, at, all, words, Type))
      .filter((frame) => frame !== null);
    let head;
    try {
      head = Error.prototype.toString.call(error);
    } catch {
      head = "Error";
    }
    machine.asked.stack = true;
    if (machine.hasMoreFrames) frames.push(FURTHER);
    return [head, ...frames].join("\n");
  };
  const FURTHER = "    at async further (node:internal/further:1:1)";
  // V8 makes the text of a stack when it is first asked for: a name that an error gets in its constructor is in it.
  const stacks = new WeakMap(); // by errors
  const lazyStack = Object.getOwnPropertyDescriptor(
    {
      get stack() {
        let holder = this;
        while (holder !== null && !stacks.has(holder)) holder = Object.getPrototypeOf(holder);
        if (holder === null) return undefined;
        const captured = stacks.get(holder);
        if (!("text" in captured)) stacks.set(holder, { text: textOf(holder, captured) });
        return stacks.get(holder).text;
      },
      set stack(text) {
        stacks.set(this, { text });
      },
    },
    "stack",
  );
  Object.assign(lazyStack, { enumerable: false, configurable: false });
  const isLazy = (error) => Object.getOwnPropertyDescriptor(error, "stack")?.get === lazyStack.get;
  const keepStack = (error) => Reflect.defineProperty(error, "stack", lazyStack);
  /** V8 gives an error its stack before its message and cause, which `Object.getOwnPropertyNames` shows. */
  const keepStackFirst = (error) => {
    const descriptors = Object.getOwnPropertyDescriptors(error);
    const names = ["message", "cause"].filter((name) => descriptors[name]?.configurable);
    if (!Object.isExtensible(error)) return keepStack(error);
    for (const name of names) delete error[name];
    const isKept = keepStack(error);
    for (const name of names) Object.defineProperty(error, name, descriptors[name]);
    return isKept;
  };
  let isCapturing = false;
  const { captureStackTrace } = Error;
  const capturing = {
    captureStackTrace(error, above = capturing.captureStackTrace) {
      if (Object(error) !== error) throw new TypeError("invalid_argument");
      if (!Object.isExtensible(error) && !Object.hasOwn(error, "stack"))
        throw new TypeError("Cannot define property stack, object is not extensible");
      stacks.delete(error);
      isCapturing = true;
      try {
        apply(captureStackTrace, Error, [error, above]);
      } finally {
        isCapturing = false;
      }
    },
  };
  Object.defineProperty(capturing.captureStackTrace, "length", { value: captureStackTrace.length });
  defineHidden(Error, "captureStackTrace", capturing.captureStackTrace);
  const OF_ITEMS = /^(map|forEach|filter|reduce|some|every|find|flatMap|from|replace)/;
  Error.prepareStackTrace = (error, sites) => {
    // Calls that end by this error may throw it on thousands of times.
    if (error.message !== DEPTH || stacks.has(error)) return prepare(error, sites);
    machine.asked.depth = true;
    // Where the engine has been in the innermost call is not known; in the one around it, it was at the same call.
    const [top, around] = sites;
    const isSame = around && top.getFunction() === around.getFunction();
    const places = [];
    let isDirect = true; // the call of the function before does not depend on the items of a list
    for (const site of sites) {
      if (isCode(site)) places.push({ ...placeOf(site), beginning: beginningOf(site), isDirect });
      isDirect = isCode(site) || !OF_ITEMS.test(site.getFunctionName());
    }
    try {
      if (!stacks.has(error) && !host("overflows", stringify(places)))
        machine.refuse(
          "Functions call one another more deeply here than the model can follow on a page, which is about 1,000 calls; Node follows about 10,000",
        );
      return prepare(error, isSame ? [around, ...sites.slice(1)] : sites);
    } finally {
      host("shorten");
    }
  };
  const prepare = (error, sites) => {
    if (machine.isStopped || host("over")) {
      shiftTheEnd();
      return "";
    }
    const words =
      typeof error.message === "string" && wordsOf(error.message, sites, error.constructor);
    if (words && words !== error.message)
      Object.defineProperty(error, "message", { value: words, writable: true, configurable: true });
    if (stacks.has(error)) return ""; // it is thrown on
    const captured = { sites, words, Type: error.constructor };
    const isKept = isLazy(error) || (isCapturing ? keepStack(error) : keepStackFirst(error));
    if (!isKept) return textOf(error, captured);
    stacks.set(error, captured);
    return ""; // which does not take the place of what is there
  };

  // --- the program -------------------------------------------------------------------------
  const OPEN = [
    "assert",
    "assert/strict",
    "async_hooks",
    "events",
    "path",
    "path/posix",
    "perf_hooks",
    "process",
    "timers",
    "timers/promises",
    "util",
    "util/types",
    "console",
    "diagnostics_channel",
    "buffer",
    "string_decoder",
    "fs",
    "fs/promises",
    "http",
    "net",
    "os",
    "querystring",
    "readline",
    "readline/promises",
    "url",
    "stream",
    "stream/consumers",
    "stream/promises",
    "stream/web",
  ];
  const ELSEWHERE = {
    child_process: "child processes",
    cluster: "child processes",
    worker_threads: "workers",
    https: "TLS",
    http2: "HTTP/2",
    dgram: "datagrams",
    tls: "TLS",
    zlib: "compression",
    vm: "contexts",
  };
  machine.refuse = (sentence) =>
    machine.stop(`${sentence}. To run it for real: node ${settings.shown()}`);
  const refuse = (words) => machine.refuse(`The model has no ${words}`);
  machine.refuseFor = refuse;
  Object.defineProperty(process, "stdin", {
    get: () => refuse("terminal (process.stdin)"),
    configurable: true,
  });

  // What asks or changes the real process; a call is refused, and not the look whether there is such a function.
  const REAL =
    "kill chdir getuid getgid setuid setgid geteuid getegid getgroups seteuid setegid setgroups initgroups openStdin cpuUsage threadCpuUsage resourceUsage constrainedMemory " +
    "availableMemory loadEnvFile dlopen execve";
  for (const name of REAL.split(" "))
    Object.defineProperty(process, name, {
      value: { [name]: () => refuse(`real process (process.${name})`) }[name],
      configurable: true,
      writable: true,
    });
  Object.defineProperty(process, "config", {
    get: () => refuse("real process (process.config)"),
    configurable: true,
  });
  process.getBuiltinModule = (name) => publicModule(name);

  // What modules of Node need of the model beside what it always has.
  const NEEDS = { net: ["sockets"], http: ["sockets", "http", "url"], url: ["url"] };
  const parts = new Set();
  const need = (part) => {
    if (parts.has(part)) return;
    parts.add(part);
    host("part", part)(machine);
  };
  /** What `http` passes on of another module, with all that this needs, is looked up only when it is asked for. */
  const hideSockets = (http) => {
    for (const word of ["WebSocket", "CloseEvent", "MessageEvent"])
      Object.defineProperty(http, word, {
        value: refusedValue("function", `${NETWORK} (http.${word})`),
        enumerable: false,
      });
  };
  /** These make a Blob on their way. */
  const refuseBlobs = (consumers) => {
    for (const word of ["arrayBuffer", "blob", "buffer", "bytes"])
      if (word in consumers)
        consumers[word] = { [word]: () => refuse(`blobs (stream/consumers.${word})`) }[word];
  };
  /** Node's own modules have none of their channels: who would listen to one is told so. */
  const OF_NODE = /^(console|http2?|net|tls|udp|process|module|child_process|worker_threads)\./;
  let channels = null;
  const ownChannels = () => {
    if (channels) return channels;
    channels = machine.loadOwn("diagnostics_channel");
    for (const name of ["channel", "subscribe", "hasSubscribers"]) {
      const ownFunction = channels[name];
      channels[name] = {
        [name](channel, ...values) {
          if (typeof channel === "string" && OF_NODE.test(channel))
            refuse(`channels of Node's own modules (${channel})`);
          return apply(ownFunction, channels, [channel, ...values]);
        },
      }[name];
    }
    return channels;
  };
  const publicModule = (name) => {
    const id = name.replace(/^node:/, "");
    if (id === "diagnostics_channel") return ownChannels();
    if (Object.hasOwn(machine.own, id)) return machine.own[id];
    for (const part of NEEDS[id] ?? []) need(part);
    if (id === "http") hideSockets(load(id));
    if (id === "stream/consumers") refuseBlobs(load(id));
    if (OPEN.includes(id)) return id === "console" ? console : load(id);
    const root = id in ELSEWHERE ? id : id.split("/")[0];
    if (root in ELSEWHERE) return refuse(`${ELSEWHERE[root]} (${name})`);
    return undefined;
  };
  const OTHERS_OF_NODE =
    /^(node:.*|v8|module|tty|punycode|domain|inspector|repl|wasi|trace_events|stream\/\w+)$/;
  const refuseModule = (name) =>
    refuse(OTHERS_OF_NODE.test(name) ? `module ${name}` : `other files or packages (${name})`);
  /** Load those of the modules that there are; what is imported also with all that it exports. */
  machine.preload = (kind, names) => {
    for (const name of names.filter((word) => word.startsWith("internal/"))) load(name);
    for (const name of names.filter((word) => OPEN.includes(word))) {
      const exported = publicModule(name);
      if (kind === "esm") Object.values(exported);
    }
  };
  /** What the program imports of a module that the model has in part: a call is refused, and not the import. */
  const absentIn = (name, exports) => {
    const id = name.replace(/^node:/, "");
    if (!Object.hasOwn(machine.own, id)) return [];
    const source = host("source");
    const named = new RegExp(`\\{([^}]*)\\}\\s*from\\s*["'](?:node:)?${id}["']`, "g");
    // What comes of import() may be asked for anything that the text names.
    const isDynamic = new RegExp(`\\bimport\\s*\\(\\s*["'\`](?:node:)?${id}["'\`]`).test(source);
    const lists = isDynamic ? [source] : [...source.matchAll(named)].map(([, list]) => list);
    return lists
      .flatMap(
        (list) =>
          list.match(isDynamic ? /[A-Za-z_$][\w$]*/g : /(?<=^|,)\s*[A-Za-z_$][\w$]*/g) ?? [],
      )
      .map((word) => word.trim())
      .filter((word) => word !== "default" && word !== "then" && !(word in exports));
  };
  machine.fileAt = (path) => programFiles[path];
  machine.isModule = (path) => ["cjs", "esm", "json"].includes(programFiles[path]?.kind);
  machine.moduleText = (name, kind, file, exported, specifier) => {
    if (kind) return machine.textOfOther(kind, file, JSON.parse(exported), specifier);
    const exports = publicModule(name);
    if (exports === undefined) {
      const words = specifier.replace(/#json$/, "");
      if (file) machine.lack?.("module", file, words);
      return refuseModule(words);
    }
    const key = `__module_${name}`;
    Object.defineProperty(globalThis, key, { value: exports, configurable: true });
    const names = Object.keys(exports).filter(
      (word) => /^[A-Za-z_$][\w$]*$/.test(word) && word !== "default",
    );
    return [
      `const m = globalThis[${JSON.stringify(key)}];`,
      `delete globalThis[${JSON.stringify(key)}];`,
      "export default m;",
      ...names.map(
        (word) => `const _${word} = m[${JSON.stringify(word)}]; export { _${word} as ${word} };`,
      ),
      ...new Set(absentIn(name, exports))
        .values()
        .map((word) => `function _${word}() { return m.${word}; } export { _${word} as ${word} };`),
    ].join("\n");
  };

  // --- files that are CommonJS: the program, and with files.js those that it requires ---------
  let programFiles = {}; // by their paths
  const cache = { __proto__: null };
  machine.refuseModule = refuseModule;
  const requireIn = (folder, module) => {
    const pathOf = (name) => machine.modulePath?.(name, folder);
    const require = (name) => {
      load("internal/validators").validateString(name, "id");
      if (name === "") {
        const { ERR_INVALID_ARG_VALUE } = load("internal/errors").codes;
        throw new ERR_INVALID_ARG_VALUE("id", name, "must be a non-empty string");
      }
      const exported = publicModule(name);
      if (exported !== undefined) return exported;
      const path = pathOf(name);
      return path ? machine.requireFile(path, module) : refuseModule(name);
    };
    require.resolve = (name) => pathOf(name) ?? name;
    require.main = cache[settings.file];
    const absent = () => refuse("loader for kinds of files (require.extensions)");
    require.extensions = { __proto__: null, ".js": absent, ".json": absent, ".node": absent };
    require.cache = cache;
    return require;
  };
  const FILE_NAME = "must be a file URL object, file URL string, or absolute path string";
  machine.own.module = machine.absent("module", {
    createRequire: (file) => {
      const [, isURL, path] = /^(file:\/\/)?(\/.*)$/.exec(file?.href ?? file) ?? [];
      if (!path) {
        const { ERR_INVALID_ARG_VALUE } = load("internal/errors").codes;
        throw new ERR_INVALID_ARG_VALUE("filename", file, FILE_NAME);
      }
      const place = isURL ? decodeURIComponent(path) : path;
      return requireIn(place.slice(0, place.lastIndexOf("/")), null);
    },
    isBuiltin: (name) => OTHERS_OF_NODE.test(name) || name in ELSEWHERE || OPEN.includes(name),
  });
  /** Where Node looks for a package that a file of the folder requires, the nearest first. */
  const foldersOfPackages = (folder) => {
    const outer = folder.slice(0, folder.lastIndexOf("/"));
    const own = folder.endsWith("/node_modules") ? [] : [`${folder}/node_modules`];
    return folder ? [...own, ...foldersOfPackages(outer)] : own;
  };
  machine.requireFile = (file, parent) => {
    if (cache[file]) return cache[file].exports;
    const folder = file.slice(0, file.lastIndexOf("/")) || "/";
    const module = {
      id: file === settings.file ? "." : file,
      path: folder,
      exports: {},
      filename: file,
      loaded: false,
      children: [],
      paths: foldersOfPackages(folder === "/" ? "" : folder),
    };
    const inspect = () => machine.refuse("The model does not know what Node prints of a module");
    defineHidden(module, Symbol.for("nodejs.util.inspect.custom"), inspect);
    cache[file] = module;
    parent?.children.push(module);
    const require = requireIn(folder, module);
    defineHidden(module, "require", require);
    try {
      if (!machine.loadOther?.(programFiles[file], module))
        host("commonjs", file).call(module.exports, module.exports, require, module, file, folder);
      module.loaded = true;
    } finally {
      if (!module.loaded) delete cache[file];
    }
    return module.exports;
  };

  // Rejections go to Node as the engine tells of them. A module that throws at once rejects two promises
  // that only the engine knows; what it threw goes to the function that evaluates it.
  const OF_A_MODULE = 2;
  const OF_AN_IMPORT = 4; // an import() adds the promise of its own, and its handling
  let newest = [];
  machine.track = (isHandled, promise, reason) => {
    if (machine.isStopped) return;
    newest = [...newest.slice(1 - OF_AN_IMPORT), { promise, reason }];
    machine.rejected(isHandled ? 1 : 0, promise, isHandled ? undefined : reason);
  };
  machine.forgive = (error, many = OF_AN_IMPORT) => {
    for (const { promise, reason } of newest.slice(-many))
      if (reason === error) machine.rejected(1, promise);
  };

  const settledState = (promise) => host("promise", promise) !== 0;
  /** What comes before a program: its files, its name, the day. */
  machine.prepare = (file, plan) => {
    process.argv[1] = file;
    settings.file = file;
    machine.isWatched = plan.isWatched;
    machine.hasStores = plan.hasStores;
    machine.hasMoreFrames = plan.hasMoreFrames;
    const { cwd, entries, isOnDisk } = JSON.parse(host("files"));
    programFiles = entries;
    if (isOnDisk) need("files");
    settings.cwd = cwd ?? "/home/you";
    machine.asked = { clock: false, chance: false, depth: false, stack: false };
    if (plan.isAnotherDay) {
      settings.epoch += ANOTHER_DAY_MS;
      seed = ANOTHER_SEED;
    }
    machine.fillDisk(programFiles);
  };
  machine.begin = (kind, file, plan) => {
    machine.prepare(file, plan);
    if (plan.isTraced) machine.startTrace(file);
    if (plan.serving) {
      need("serving");
      machine.serving.begin(plan.serving);
    }
    let evaluation = null;
    // As many functions as Node's own loader awaits one another in, for the same order of promises.
    const evaluateModule = async () => {
      try {
        machine.trace?.main();
        evaluation = host("module");
        machine.trace?.mainEnd();
      } catch (error) {
        machine.forgive(error, OF_A_MODULE);
        await Promise.reject(error);
      }
    };
    const importModule = async () => {
      await evaluateModule();
      await evaluation;
    };
    const loadModule = async () => {
      await importModule();
    };
    const enterModule = async () => {
      await undefined;
      try {
        await loadModule();
      } catch (error) {
        machine.uncaught(error, true);
      }
    };
    const main =
      kind === "cjs"
        ? () => {
            machine.trace?.main();
            machine.requireFile(file, null);
          }
        : () => void enterModule();
    machine.isUnsettled = () => evaluation !== null && !settledState(evaluation);
    const { noted, drawn, code, readings, threads } = machine.run(main, plan);
    return JSON.stringify({
      chunks,
      noted,
      drawn,
      code,
      readings,
      threads,
      missing: [...machine.missing],
      asked: machine.asked,
      rows: machine.trace?.end(code),
      served: machine.serving?.result(),
    });
  };
  return machine;
};
