// One run of autocannon, as it is ("fix": false) or without its stale requests ("fix": true).
// Reads one JSON spec on stdin, writes the rows to spec.raw_file and prints one JSON line; summarises nothing itself.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";

const require = createRequire(import.meta.url);
const autocannon = require("autocannon");
const { version } = require("autocannon/package.json");

const input = createInterface({ input: process.stdin });
const [line] = await new Promise((resolve) => input.once("line", (...got) => resolve(got)));
const spec = JSON.parse(line);
const codes = { ECONNREFUSED: -3, ECONNRESET: -4, EPIPE: -5 };
const rows = []; // [t_end_us, latency_us, status, connect_us]
const counts = { answered: 0, errors: {}, timeouts: 0, reconnects: 0, lost_on_close: 0 };
const started = performance.now();
const cpu = process.cpuUsage();
const elu = performance.eventLoopUtilization();
const now = () => Math.round((performance.now() - started) * 1000);

function ageUs(request) {
  const [s, ns] = process.hrtime(request.startTime);
  return Math.round(s * 1e6 + ns / 1e3);
}

// autocannon <= 9.0.0 forgets the request that it wrote into a connection which the server then
// closed: its start stays at the head of the queue, and every later answer is timed from an older
// request. `_connect` and `pipelinedRequests` are private names, hence the exact pin.
function repair(client) {
  const connect = client._connect;
  if (typeof connect !== "function" || typeof client.pipelinedRequests?.clear !== "function") {
    throw new Error(
      `autocannon ${version} has no _connect or pipelinedRequests, so the fix does not work`,
    );
  }
  let first = true;
  client._connect = function () {
    for (const request of this.pipelinedRequests.toArray()) {
      if (request.bytes > 0) {
        // part of an answer came. Its parser is never told that the connection ended, so an answer
        // without a length, which ends with its connection, is never counted either.
        counts.errors.CLOSED_EARLY = (counts.errors.CLOSED_EARLY ?? 0) + 1;
        rows.push([now(), ageUs(request), -5, 0]);
      } else {
        counts.lost_on_close++;
      }
    }
    this.pipelinedRequests.clear();
    if (!first) counts.reconnects++;
    first = false;
    const from = performance.now();
    const returned = connect.call(this);
    this.conn.once("connect", () => {
      client.connectUs = Math.round((performance.now() - from) * 1000);
    });
    return returned;
  };
  // destroy() says "done" before it empties the queue: what still waits is censored, with its age
  client.on("done", () => {
    for (const waiting of client.pipelinedRequests.toArray()) {
      rows.push([now(), ageUs(waiting), -1, 0]);
    }
  });
}

function setupClient(client) {
  client.connectUs = 0;
  client.on("connError", (error) => {
    const name = error.code ?? "unknown";
    counts.errors[name] = (counts.errors[name] ?? 0) + 1;
    if (spec.fix) rows.push([now(), 0, codes[name] ?? -8, 0]);
  });
  client.on("timeout", () => {
    counts.timeouts++;
    if (spec.fix) rows.push([now(), spec.timeout_s * 1e6, -2, 0]);
  });
  if (spec.fix) repair(client);
}

const run = autocannon({
  url: spec.url,
  connections: spec.connections,
  pipelining: 1,
  workers: 0,
  timeout: spec.timeout_s,
  bailout: 1000, // a dead server would otherwise burn a core with reconnects until the end
  headers: spec.fresh ? { connection: "close" } : {},
  setupClient,
  ...(spec.requests === null ? { duration: spec.seconds } : { amount: spec.requests }),
});

run.on("response", (client, status, _bytes, ms) => {
  counts.answered++;
  rows.push([now(), Math.round(ms * 1000), Number(status), client.connectUs]);
  client.connectUs = 0;
});

input.once("close", () => run.stop()); // whoever asked for this run is gone
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => run.stop());

run.on("done", (summary) => {
  const end = now();
  const starts = rows.map(([t_end_us, latency_us]) => t_end_us - latency_us);
  const first = starts.reduce((least, start) => Math.min(least, start), starts[0] ?? 0);
  const seconds = (end - first) / 1e6; // loading and connecting autocannon itself is no load
  rows.sort((a, b) => a[0] - b[0]);
  const column = (type, index) => new Uint8Array(type.from(rows, (row) => row[index]).buffer);
  writeFileSync(
    spec.raw_file,
    Buffer.concat([
      column(Uint32Array, 0),
      column(Uint32Array, 1),
      column(Int16Array, 2),
      column(Uint32Array, 3),
    ]),
  );
  const { user, system } = process.cpuUsage(cpu);
  const client = {
    cpu_s: (user + system) / 1e6,
    elu: performance.eventLoopUtilization(elu).utilization,
  };
  process.stdin.unref?.();
  input.close();
  console.log(JSON.stringify({ version, seconds, rows: rows.length, counts, client, summary }));
});
