"use strict";
// Recorder of one program's event loop: `node --require preload.cjs program`, with LAB_TRACE naming the limits.
// It appends one JSON array a line to LAB_TRACE.file as things happen, so that a killed program leaves its trace.
// Codes: S start, i init, b before, a after, d destroy, r promise resolved, c handle.close() called,
// k timer or immediate cleared, o output, q HTTP request, B beforeExit, x exit, ! uncaught error, L event limit,
// T time limit.

const { isMainThread } = require("node:worker_threads");

if (isMainThread && process.env.LAB_TRACE) record(JSON.parse(process.env.LAB_TRACE));

function record(options) {
  // Children and workers inherit the flag but not the variable: only this thread is recorded.
  delete process.env.LAB_TRACE;
  const fs = require("node:fs");
  const asyncHooks = require("node:async_hooks");
  const { performance } = require("node:perf_hooks");
  const { userSite, nameMain } = require("./site.cjs");
  const watchOutput = require("./output.cjs");
  const watchClose = require("./close.cjs");
  const watchClear = require("./clear.cjs");
  const tracing = require("node:trace_events").createTracing({ categories: options.categories });

  const { writeSync } = fs; // a program that patches fs must not see our writes
  const { hrtime, reallyExit } = process;
  const { stringify } = JSON;
  const file = fs.openSync(options.file, "a");
  const stopAt = options.stop_at; // [type, line, how-manieth] of a callback known never to return
  let likeIt = 0;
  let ownTimer;
  const lineOf = new Map();
  const typeOf = new Map();
  const idOf = new WeakMap();
  let eventsLeft = options.max_events;
  let recording = false;

  const nowUs = () => Number(hrtime.bigint() / 1000n);
  const iteration = () => performance.nodeTiming.uvMetricsInfo.loopCount;
  const startedUs = nowUs();
  const writeRow = (row) => writeSync(file, `${stringify(row)}\n`);

  function stopRecording(code) {
    recording = false;
    writeRow([code, nowUs()]);
    hook.disable();
    tracing.disable(); // writes out the trace events
  }
  function stopProgram() {
    if (recording) stopRecording("T");
    reallyExit.call(process, 0);
  }
  function push(row) {
    if (!recording) return;
    writeRow(row);
    eventsLeft -= 1;
    if (eventsLeft <= 0) stopRecording("L");
    else if (nowUs() - startedUs > options.limit_us) stopProgram();
  }

  const hook = asyncHooks.createHook({
    init(id, type, trigger, resource) {
      if (!recording) return;
      const site = userSite();
      typeOf.set(id, type);
      if (site) lineOf.set(id, site.at[0][0]);
      if (type === "Timeout" || type === "Immediate") idOf.set(resource, id);
      push([
        "i",
        nowUs(),
        id,
        type,
        trigger,
        asyncHooks.executionAsyncId(),
        site,
        detail(type, resource),
      ]);
      if (resource && typeof resource.close === "function") close.watch(resource);
    },
    before(id) {
      if (!recording || id === ownTimer) return;
      push(["b", nowUs(), id, iteration()]);
      // This callback will be killed, and with it the trace events still in memory: write them now.
      if (
        !stopAt ||
        !recording ||
        typeOf.get(id) !== stopAt[0] ||
        (lineOf.get(id) ?? null) !== stopAt[1]
      )
        return;
      likeIt += 1;
      if (likeIt === stopAt[2]) tracing.disable();
    },
    after: (id) => push(["a", nowUs(), id]),
    destroy: (id) => push(["d", nowUs(), id]),
    promiseResolve: (id) => push(["r", nowUs(), id]),
  });

  const close = watchClose((id) => push(["c", nowUs(), id, userSite()]));
  watchClear((timer) => idOf.has(timer) && push(["k", nowUs(), idOf.get(timer), userSite()]));
  watchOutput(options.max_output, (fd, text) =>
    // Output counts even when the event limit is reached: the order of the lines is the result.
    writeRow(["o", nowUs(), fd, text, userSite(), asyncHooks.executionAsyncId()]),
  );
  require("node:diagnostics_channel").subscribe("http.server.request.start", ({ request }) =>
    push([
      "q",
      nowUs(),
      asyncHooks.executionAsyncId(),
      `${request.method} ${request.url}`.slice(0, 80),
    ]),
  );
  process.on("beforeExit", () => push(["B", nowUs()]));
  process.on("exit", (code) => writeRow(["x", nowUs(), code]));
  process.on("uncaughtExceptionMonitor", (error) =>
    writeRow([
      "!",
      nowUs(),
      String(error?.message ?? error).slice(0, 400),
      asyncHooks.executionAsyncId(),
    ]),
  );
  if (options.driven)
    process.on("SIGTERM", () => {
      if (process.listenerCount("SIGTERM") === 1) process.exit(0); // the program has no handler of its own
    });
  // Unreferenced: it keeps no program alive. It ends one that waits for ever.
  const limit = setTimeout(stopProgram, options.limit_us / 1000).unref();
  ownTimer =
    limit[Object.getOwnPropertySymbols(limit).find((key) => key.description === "asyncId")];

  nameMain(process.argv[1]);
  tracing.enable();
  writeRow(["S", nowUs(), process.version, process.versions.uv, asyncHooks.executionAsyncId()]);
  recording = true;
  hook.enable();
}

function detail(type, resource) {
  if (type === "Timeout")
    return {
      ms: resource._idleTimeout,
      every: resource._repeat ?? undefined,
      fn: resource._onTimeout?.name || undefined,
    };
  if (type === "Immediate") return { fn: resource._onImmediate?.name || undefined };
  if (type === "TickObject") return { fn: resource.callback?.name || undefined };
  return undefined;
}
