// What the generator's tests share: run the program on a specification, read its rows, serve bytes by hand.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../../lab/node/loadgen/main.mjs", import.meta.url));
const ARRAYS = { u32: Uint32Array, i16: Int16Array, u16: Uint16Array };

// Starts the generator. Answers { child, events, ended }: ended resolves to { event, code, rows } with its last line.
export function startGenerator(spec) {
  const rawDir = mkdtempSync(join(tmpdir(), "loadgen-"));
  const child = spawn(process.execPath, [MAIN], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => {});
  const events = [];
  const closed = new Promise((resolve) => child.on("close", resolve));
  createInterface({ input: child.stdout }).on("line", (line) => events.push(JSON.parse(line)));
  const line = typeof spec === "string" ? spec : JSON.stringify({ raw_dir: rawDir, ...spec });
  child.stdin.write(`${line}\n`);
  const ended = closed.then((code) => {
    const event = events.at(-1);
    const rows = Object.fromEntries(
      (event?.streams ?? []).map(({ name, raw }) => [name, readRows(raw)]),
    );
    rmSync(rawDir, { recursive: true });
    return { event, code, rows, main: event?.streams?.[0] };
  });
  return { child, events, ended };
}

export function generate(spec) {
  return startGenerator(spec).ended;
}

// One stream "main" with everything else by default; a fixed count has time to be finished on a busy machine.
export function load(url, stream, times = {}) {
  return generate({
    streams: [{ name: "main", url, ...stream }],
    warmup_s: 0.1,
    measure_s: stream.requests === undefined ? 0.4 : 60,
    ...times,
  });
}

// For assertions about durations: a fault of the instrument shows every time, a busy machine does not.
export async function oneOf(attempts, t, check) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await check();
    } catch (error) {
      if (attempt === attempts || error.code !== "ERR_ASSERTION") throw error;
      t.diagnostic(`attempt ${attempt}: ${error.message.split("\n")[0]}`);
    }
  }
}

function readRows({ file, rows, columns }) {
  const bytes = Uint8Array.from(readFileSync(file)); // a copy, because a small file shares its ArrayBuffer
  let at = 0;
  const table = { length: rows };
  for (const { name, type } of columns) {
    const size = rows * ARRAYS[type].BYTES_PER_ELEMENT;
    table[name] = Array.from(new ARRAYS[type](bytes.buffer.slice(at, at + size)));
    at += size;
  }
  if (at !== bytes.length) throw new Error(`raw file has ${bytes.length} bytes, not ${at}`);
  return table;
}

// A TCP server: onRequest(socket, n) for the nth request (from 1) of all, read as "something that contains an empty line".
export async function serve(onRequest, t) {
  const state = { requests: 0, connections: 0 };
  const sockets = new Set();
  const server = createServer({ noDelay: true }, (socket) => {
    state.connections++;
    sockets.add(socket);
    socket.requests = 0;
    let text = "";
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      text += chunk.latin1Slice();
      for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
        text = text.slice(end + 4);
        socket.requests++;
        onRequest(socket, ++state.requests);
      }
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  state.url = `http://127.0.0.1:${server.address().port}/`;
  state.close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  t?.after(() => state.close());
  return state;
}

export const OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
export const OK_CLOSE = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello";

// Calls back after exactly this long (to some 10 us): a timer for the most of it, then looking at the clock.
export function exactly(milliseconds, callback) {
  const due = performance.now() + milliseconds;
  const look = () => (performance.now() >= due ? callback() : setImmediate(look));
  setTimeout(look, Math.max(1, milliseconds - 3));
}

export function sum(object) {
  return Object.values(object).reduce((total, value) => total + value, 0);
}

export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

// Rows that ended inside the window with one of these statuses.
export function inWindow(rows, [from, to], isWanted = (status) => status > 0) {
  const latencies = [];
  for (let row = 0; row < rows.length; row++) {
    const end = rows.t_end_us[row];
    if (end >= from && end <= to && isWanted(rows.status[row]))
      latencies.push(rows.latency_us[row]);
  }
  return latencies;
}

// The two sums that must always be right, and the counts by status code.
export function assertAccounted(assert, { counts }, rows) {
  const failures = sum(counts.errors) + counts.timeouts;
  const answered = counts.ok + sum(counts.non2xx);
  assert.equal(counts.sent, answered + failures + counts.in_flight_at_end, "sent adds up");
  assert.equal(rows.length, counts.sent + counts.dropped, "one row per request");
  const having = (test) => rows.status.filter(test).length;
  assert.equal(
    having((status) => status >= 200 && status < 300),
    counts.ok,
  );
  assert.equal(
    having((status) => status > 0),
    answered,
  );
  assert.equal(
    having((status) => status === -1),
    counts.in_flight_at_end,
  );
  assert.equal(
    having((status) => status === -2),
    counts.timeouts,
  );
  assert.equal(
    having((status) => status <= -3 && status >= -8),
    sum(counts.errors),
  );
  assert.equal(
    having((status) => status === -9),
    counts.dropped,
  );
  assert.ok(
    rows.t_end_us.every((end, row) => row === 0 || end >= rows.t_end_us[row - 1]),
    "sorted",
  );
}
