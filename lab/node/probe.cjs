// Preloaded into every Node server: writes one line of JSON per 100 ms about its event loop.
// Must be invisible: keeps no process alive, adds no listener, throws nothing, costs next to nothing.
"use strict";
const prefix = process.env.LAB_PROBE_FILE;
if (prefix) watch(`${prefix}.${process.pid}`);

function watch(path) {
  const fs = require("node:fs"); // this and perf_hooks are in every Node's memory already
  const { createHistogram, performance } = require("node:perf_hooks");

  const RESOLUTION_MS = 10;
  const PERIOD_MS = 100;
  // Not monitorEventLoopDelay: after its reset() it forgets the running interval, so a block that
  // begins right then is not seen, and blocks that share our period always begin right then.
  const delay = createHistogram();
  const beyondResolution = (ns) => Math.max(0, Math.round(ns / 1000 - RESOLUTION_MS * 1000));

  let file = -1;
  let wrote = performance.now();
  let before = performance.eventLoopUtilization();
  delay.recordDelta(); // the first call only starts the clock

  const timer = setInterval(() => {
    delay.recordDelta();
    const now = performance.now();
    if (now - wrote < PERIOD_MS) return;
    wrote = now;
    // Threads of a server load this too. Asked late: loading this module takes two milliseconds.
    if (file < 0 && !require("node:worker_threads").isMainThread) return clearInterval(timer);
    const after = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(after, before); // without: since start
    before = after;
    const memory = memoryNow();
    const row = {
      t_us: Math.round((performance.timeOrigin + now) * 1000),
      elu: Math.round(utilization * 1e4) / 1e4,
      delay_max_us: beyondResolution(delay.max),
      delay_p99_us: beyondResolution(delay.percentile(99)),
      delay_mean_us: beyondResolution(delay.mean),
      heap_used: memory.heapUsed,
      rss: memory.rss,
      external: memory.external,
      array_buffers: memory.arrayBuffers,
      loop_count: performance.nodeTiming.uvMetricsInfo?.loopCount ?? null,
    };
    try {
      // Opened late, so that short-lived helpers of a server leave no empty file.
      if (file < 0) file = fs.openSync(path, "a");
      fs.writeSync(file, `${JSON.stringify(row)}\n`);
    } catch (error) {
      // The disk is full or the folder gone: not the server's problem. Where there is no descriptor
      // to be had, this row is lost, and the next may find one.
      if (error.code !== "EMFILE" && error.code !== "ENFILE") clearInterval(timer);
    }
    delay.reset();
    delay.recordDelta();
  }, RESOLUTION_MS);
  timer.unref();
}

// Linux tells the memory in a file: a server that is out of descriptors cannot be asked for it.
function memoryNow() {
  try {
    return process.memoryUsage();
  } catch {
    return {};
  }
}
