// In the main thread of the program: figures that only this thread knows, put into shared memory 25 times a second,
// where a thread of ours (watcher.cjs) reads them even while this one is blocked.
"use strict";
const { performance } = require("node:perf_hooks");
const { Worker } = require("node:worker_threads");
const { slots, commands } = require("./slots.cjs");

const TICK_MS = 40;
const MEMORY_EVERY = 5; // ticks
const LATE_MS = 10; // a tick as late as this is told as a block

module.exports = function watch(socketPath, sockets, questions) {
  const memory = new SharedArrayBuffer(8 * slots.length);
  const orders = new SharedArrayBuffer(8);
  const figures = new Float64Array(memory);
  const order = new Int32Array(orders);
  const at = Object.fromEntries(slots.map((name, index) => [name, index]));
  const servers = new Set();
  const subjects = new Set(); // those that asked for a port of their own
  const agents = require("./agents.cjs")();
  const outgoing = require("./outgoing.cjs")(sockets);
  const workers = require("./workers.cjs")(() => worker);
  let looking = null;

  const worker = new Worker(require.resolve("./watcher.cjs"), {
    execArgv: [],
    stdout: true, // what it might print is not the program's output
    stderr: true,
    workerData: { socketPath, memory, orders, pid: process.pid },
    name: "lab",
  });
  worker.unref();
  worker.on("error", () => clearInterval(timer)); // else it would be the program's uncaught error
  worker.on("exit", () => clearInterval(timer));
  // A session of the inspector would keep the process waiting at its end: the thread lets go of it.
  process.on("exit", () => Atomics.store(order, 1, 1));

  let last = performance.now();
  let ticks = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    const late = now - last - TICK_MS;
    last = now;
    const { idle, active } = performance.eventLoopUtilization();
    figures[at.idle_ms] = idle;
    figures[at.active_ms] = active;
    figures[at.loop_count] = performance.nodeTiming.uvMetricsInfo?.loopCount ?? 0;
    let connections = 0;
    for (const server of servers) connections += server._connections ?? 0;
    figures[at.connections] = connections;
    figures[at.agent_ms] = agents.totals.ms;
    figures[at.agent_waited] = agents.totals.waited;
    figures[at.stale] = agents.totals.stale;
    figures[at.fetched] = outgoing.totals.responses;
    figures[at.fetched_read] = outgoing.totals.read;
    figures[at.calls_failed] = outgoing.totals.failed;
    if (ticks % MEMORY_EVERY === 0) {
      readMemory(figures, at);
      figures[at.posted] = workers.waiting();
      const { port, number } = outgoing.most();
      figures[at.outgoing] = number;
      figures[at.outgoing_port] = port;
    }
    ticks += 1;
    figures[at.beat_ms] = performance.timeOrigin + now;
    if (late > LATE_MS) {
      figures[at.late_ms] = Math.max(figures[at.late_ms], late);
      figures[at.blocks] += 1;
    }
    try {
      obey();
    } catch (error) {
      Atomics.store(order, 0, commands.rest); // a mistake of ours is not the program's end
      worker.postMessage({ failed: String(error?.message ?? error) });
    }
  }, TICK_MS);
  timer.unref();

  function obey() {
    const command = Atomics.load(order, 0);
    if (command === commands.look && looking === null) {
      looking = require("./look.cjs")(
        sockets,
        servers,
        (server) => subjects.has(server) || subjects.size === 0,
      );
      worker.postMessage({ looking: true });
    } else if (command === commands.rest && looking !== null) {
      const observations = looking();
      observations.sites = {
        ...observations.sites,
        ...agents.sites(),
        ...outgoing.sites(),
        ...workers.sites(),
        ...questions(),
      };
      observations.agent_most = agents.totals.most;
      looking = null;
      worker.postMessage({ seen: observations });
    }
  }

  return {
    listens(server, port) {
      servers.add(server);
      if (Number(port) !== 0) subjects.add(server);
      server.once("close", () => {
        servers.delete(server);
        subjects.delete(server);
      });
      // Whoever takes any port is asked by the program itself: a helper, a double of another service.
      worker.postMessage({ listening: { ...described(server), any: Number(port) === 0 } });
    },
  };
};

const isHttp2 = (server) => typeof server.updateSettings === "function";

function described(server) {
  const http = require("node:http");
  const address = server.address();
  const policy = {};
  for (const name of [
    "keepAliveTimeout",
    "headersTimeout",
    "requestTimeout",
    "timeout",
    "maxRequestsPerSocket",
    "maxConnections",
  ]) {
    if (typeof server[name] === "number") policy[name] = server[name];
  }
  return {
    where: typeof address === "object" ? address : { path: String(address) },
    http: server instanceof http.Server,
    tls: typeof server.setSecureContext === "function",
    http2: isHttp2(server),
    // A secure server of HTTP/2 may offer HTTP/1.1 beside it; one without TLS never does.
    http2_only: isHttp2(server) && !server.ALPNProtocols?.includes?.("http/1.1"),
    policy,
    node: process.version,
    argv: process.argv.slice(1, 3),
    worker: require("node:cluster").isWorker,
    pool: process.env.UV_THREADPOOL_SIZE ?? null,
    heap_limit: heapLimit(),
  };
}

// What V8 tells has the young generation in it, which is most of a small heap; what was asked for has not.
function heapLimit() {
  const words = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? "").split(" ")].join(" ");
  const wanted = /--max[-_]old[-_]space[-_]size[= ](\d+)/.exec(words);
  if (wanted !== null) return Number(wanted[1]) * 1_048_576;
  return require("node:v8").getHeapStatistics().heap_size_limit;
}

function readMemory(figures, at) {
  try {
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    figures[at.heap_used] = heapUsed;
    figures[at.external] = external;
    figures[at.array_buffers] = arrayBuffers;
  } catch {
    // No descriptor left to ask the system with: the next look may have one.
  }
}
