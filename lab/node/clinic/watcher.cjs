// The thread of ours in the program: it goes on while the program's own thread is blocked. It times a tiny job of the
// pool and a look-up of this machine's own name (the pool is the whole process's, so they wait as the program's do),
// sends a row ten times a second, and switches the profiler on and off.
"use strict";
const dns = require("node:dns");
const fs = require("node:fs");
const inspector = require("node:inspector");
const net = require("node:net");
const { performance } = require("node:perf_hooks");
const { parentPort, workerData } = require("node:worker_threads");
const limit = require("./limit.cjs")();
const { slots, commands } = require("./slots.cjs");

const ROW_MS = 100;
// A short look at a program has time for few questions: then they come more often, at a price of some per cent of its time.
const MOST_FILES = 200;
const GATE_MS = process.env.LAB_CLINIC_LOOK === "short" ? 25 : 50;
const WAKE_MS = 50; // each wake takes time of the processor that the program may need
const NAME_MS = 200;
const STARVED_MS = 1500;

const figures = new Float64Array(workerData.memory);
const order = new Int32Array(workerData.orders);
const at = Object.fromEntries(slots.map((name, index) => [name, index]));
const now = () => performance.timeOrigin + performance.now();

// ---- the line to whoever examines the program

const line = net.connect(workerData.socketPath);
line.on("error", () => process.exit()); // nobody is there any more: this ends the thread only
line.on("close", () => process.exit());
line.setEncoding("utf8");
let heard = "";
line.on("data", (text) => {
  heard += text;
  const lines = heard.split("\n");
  heard = lines.pop();
  for (const one of lines) obey(JSON.parse(one));
});
const tell = (event, data) =>
  line.write(`${JSON.stringify({ event, pid: workerData.pid, ...data })}\n`);

parentPort.on("message", (message) => {
  if (message.listening) tell("listening", message.listening);
  if (message.looking) tell("looking");
  if (message.failed) tell("failed", { what: "look", message: message.failed });
  if (message.seen) tell("seen", { seen: message.seen });
});

// ---- gates

function gate(pauseMs, job) {
  const waits = [];
  let since = null;
  const ask = () => {
    since = now();
    job(() => {
      waits.push(now() - since);
      since = null;
      setTimeout(ask, pauseMs);
    });
  };
  setTimeout(ask, pauseMs);
  return () => {
    const found = waits.splice(0).map((ms) => Math.round(ms * 1000) / 1000);
    return {
      waits: found,
      pause_ms: pauseMs,
      pending_ms: since === null ? 0 : Math.round(now() - since),
    };
  };
}
const pool = gate(GATE_MS, (done) => fs.stat("/", done));
const names = gate(NAME_MS, (done) => dns.lookup("localhost", done));

// ---- rows

let cpuBefore = process.cpuUsage();
let wakeLate = 0; // the sum of two or so
let wakes = 0;
let expected = now() + WAKE_MS;
setInterval(() => {
  wakeLate += Math.max(0, now() - expected);
  wakes += 1;
  expected = now() + WAKE_MS;
  if (Atomics.load(order, 1) === 1) letGo(); // the program ends: it must not wait for us
}, WAKE_MS);

setInterval(() => {
  const cpu = process.cpuUsage();
  const row = { t_ms: now() };
  for (const name of slots) row[name] = figures[at[name]];
  figures[at.late_ms] = 0;
  row.silent_ms = Math.max(0, row.t_ms - row.beat_ms);
  row.cpu_us = cpu.user + cpu.system - cpuBefore.user - cpuBefore.system;
  cpuBefore = cpu;
  row.rss = process.memoryUsage.rss();
  row.pool = pool();
  row.names = names();
  row.wake_late_ms = wakes ? Math.round((wakeLate / wakes) * 1000) / 1000 : 0;
  wakeLate = 0;
  wakes = 0;
  row.descriptors = descriptors();
  row.throttled = throttled();
  tell("row", row);
}, ROW_MS);

let periods = null;
let periodsAt = 0;
function throttled() {
  if (now() - periodsAt > 400) {
    periodsAt = now();
    periods = limit.periods();
  }
  return periods;
}

let counted = null;
let countedAt = 0;
function descriptors() {
  if (now() - countedAt > 500) {
    countedAt = now();
    try {
      counted = fs.readdirSync("/proc/self/fd").length;
    } catch {
      counted = null;
    }
  }
  return counted;
}

// How many descriptors of each kind are open, and how often each file is; null where the system does not tell.
function openDescriptors() {
  const kinds = {};
  const files = {};
  try {
    for (const descriptor of fs.readdirSync("/proc/self/fd")) {
      let target = "";
      try {
        target = fs.readlinkSync(`/proc/self/fd/${descriptor}`);
      } catch {
        continue; // the descriptor of the folder itself is closed by now
      }
      const kind = /^(socket|pipe|anon_inode)/.exec(target)?.[1] ?? "file";
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      if (kind === "file" && (target in files || Object.keys(files).length < MOST_FILES))
        files[target] = (files[target] ?? 0) + 1;
    }
  } catch {
    return { kinds: null, files: null };
  }
  return { kinds, files };
}

// ---- orders

let session = null;

function letGo() {
  if (session === null) return;
  session.disconnect();
  session = null;
}

function post(method, parameters) {
  return new Promise((resolve, reject) => {
    if (session === null) reject(new Error("no session"));
    else
      session.post(method, parameters, (error, found) => (error ? reject(error) : resolve(found)));
  });
}

// Of a whole order: on a busy machine, a large heap takes seconds to collect; a loop that is stuck never answers.
const ORDER_MOST_MS = 12_000;
let deadline = 0; // of the order that is obeyed
const inTime = (promise) =>
  Promise.race([
    promise,
    new Promise((_, reject) =>
      setTimeout(() => reject(new Error("no answer in time")), Math.max(0, deadline - now())),
    ),
  ]);

// The source maps of files that were compiled while they were loaded, by tsx or ts-node: Node holds those.
async function heldMaps(nodes) {
  const files = new Set(
    nodes
      .map(({ callFrame }) => callFrame.url)
      .filter((url) => /\.[cm]?tsx?$/.test(url) && !url.includes("/node_modules/")),
  );
  if (files.size === 0) return {};
  const expression = `(() => {
    const { findSourceMap } = process.getBuiltinModule?.("module") ?? require("node:module");
    const { fileURLToPath } = process.getBuiltinModule?.("url") ?? require("node:url");
    const path = (url) => (url.startsWith("file:") ? fileURLToPath(url) : url);
    const find = (url) => findSourceMap(url) ?? findSourceMap(path(url));
    return JSON.stringify(${JSON.stringify([...files])}.map((url) => [url, find(url)?.payload]));
  })()`;
  try {
    const { result } = await inTime(
      post("Runtime.evaluate", { expression, includeCommandLineAPI: true, returnByValue: true }),
    );
    return Object.fromEntries(JSON.parse(result.value).filter(([, map]) => map));
  } catch {
    return {}; // lines are those of what ran, then
  }
}

const doing = {
  look() {
    Atomics.store(order, 0, commands.look);
  },
  rest() {
    Atomics.store(order, 0, commands.rest);
    const asked = now();
    setTimeout(() => {
      // The program's thread has not come round since: it has nothing to tell.
      if (figures[at.beat_ms] < asked) tell("starved", { silent_ms: now() - figures[at.beat_ms] });
    }, STARVED_MS);
  },
  async profile({ interval_us }) {
    session = new inspector.Session();
    session.connectToMainThread();
    await inTime(post("Profiler.enable"));
    await inTime(post("Profiler.setSamplingInterval", { interval: interval_us }));
    await inTime(post("Profiler.start"));
    tell("profiling");
  },
  async profiled({ file }) {
    const { profile } = await inTime(post("Profiler.stop"));
    profile.source_maps = await heldMaps(profile.nodes);
    letGo();
    fs.writeFileSync(`${file}.${workerData.pid}`, JSON.stringify(profile));
    tell("profiled", { file: `${file}.${workerData.pid}` });
  },
  // Twice: what the first collection releases may hold memory outside the heap, which the second one gives back.
  async collect() {
    session = new inspector.Session();
    session.connectToMainThread();
    await inTime(post("HeapProfiler.collectGarbage"));
    await inTime(post("HeapProfiler.collectGarbage"));
    letGo();
    tell("collected", openDescriptors());
  },
  async heap({ interval_bytes }) {
    session = new inspector.Session();
    session.connectToMainThread();
    await inTime(post("HeapProfiler.startSampling", { samplingInterval: interval_bytes }));
    tell("sampling");
  },
  // The profile has only what is still alive after a collection.
  async heaped({ file }) {
    await inTime(post("HeapProfiler.collectGarbage"));
    const { profile } = await inTime(post("HeapProfiler.stopSampling"));
    letGo();
    fs.writeFileSync(`${file}.${workerData.pid}`, JSON.stringify(profile));
    tell("heaped", { file: `${file}.${workerData.pid}` });
  },
};

async function obey(order) {
  deadline = now() + ORDER_MOST_MS;
  try {
    await doing[order.do](order);
  } catch (error) {
    letGo();
    tell("failed", { what: order.do, message: String(error?.message ?? error) });
  }
}
