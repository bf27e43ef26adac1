// The program around the load: it never hangs, stops when told, and refuses nonsense with a helpful line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSpec } from "../../../lab/node/loadgen/spec.mjs";
import { assertAccounted, OK, serve, startGenerator } from "./support.mjs";

const slowly = (socket) => setTimeout(() => socket.write(OK), 5);

async function until(isTrue) {
  const deadline = performance.now() + 60_000;
  while (!isTrue()) {
    assert.ok(performance.now() < deadline, "waited a minute");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function longRun(url) {
  const streams = [{ name: "main", url, connections: 20 }];
  return startGenerator({ streams, warmup_s: 0, measure_s: 60 });
}

test("SIGTERM stops the load and still gives everything measured so far", async (t) => {
  const server = await serve(slowly, t);
  const { child, ended } = longRun(server.url);
  await until(() => server.requests > 200);
  const asked = performance.now();
  child.kill("SIGTERM");
  const { event, code, rows, main } = await ended;
  const took = performance.now() - asked;
  assert.equal(code, 0);
  assert.equal(event.stopped, "signal");
  assertAccounted(assert, main, rows.main);
  assert.equal(main.counts.sent, server.requests);
  assert.equal(main.counts.in_flight_at_end, 20);
  t.diagnostic(`${took.toFixed(0)} ms`);
  assert.ok(took < 20_000);
});

test("SIGTERM in the first moments of an open loop is not forgotten", async (t) => {
  const server = await serve(slowly, t);
  const streams = [{ name: "main", url: server.url, loop: "open", rate_per_s: 10 }];
  const { child, events, ended } = startGenerator({ streams, warmup_s: 0, measure_s: 60 });
  await until(() => events.length > 0);
  await new Promise((resolve) => setTimeout(resolve, 10));
  child.kill("SIGTERM");
  const { event, code } = await ended;
  assert.equal(code, 0);
  // Before the specification is read there is nothing to stop and nothing to say.
  if (event.event === "result") assert.equal(event.stopped, "signal");
});

test("the end of standard input stops the program at once", async (t) => {
  const server = await serve(slowly, t);
  const { child, ended, events } = longRun(server.url);
  await until(() => server.requests > 200);
  const asked = performance.now();
  child.stdin.end();
  await new Promise((resolve) => child.on("close", resolve));
  const took = performance.now() - asked;
  assert.equal(events.at(-1).event, "error");
  assert.equal((await ended).code, 1);
  t.diagnostic(`${took.toFixed(0)} ms`);
  assert.ok(took < 20_000);
});

test("a reader of its output that goes away ends the program", async (t) => {
  const server = await serve(slowly, t);
  const { child } = longRun(server.url);
  await until(() => server.requests > 200);
  child.stdout.destroy();
  await new Promise((resolve) => child.on("exit", resolve));
});

test("it says that it is ready, how far it is, and only then the result", async (t) => {
  const server = await serve(slowly, t);
  const streams = [{ name: "main", url: server.url, connections: 2 }];
  const { ended, events } = startGenerator({ streams, warmup_s: 0.1, measure_s: 0.9 });
  const { event } = await ended;
  const kinds = events.map((line) => line.event);
  assert.equal(kinds[0], "ready");
  assert.equal(kinds.filter((kind) => kind === "result").length, 1);
  const progress = events.filter((line) => line.event === "progress");
  assert.ok(progress.length >= 2);
  assert.ok(progress.every(({ t_s, ok }) => t_s > 0 && Number.isInteger(ok)));
  assert.deepEqual(event.window_us, [100_000, 1_000_000]);
  assert.ok(Math.abs(event.epoch_us / 1000 - Date.now()) < 30_000);
  assert.ok(event.client.cpu_s > 0 && event.client.elu > 0 && event.client.elu < 1);
  assert.equal(event.client.node, process.version);
});

test("raw rows that cannot be stored are an error with a way out", async (t) => {
  const server = await serve(slowly, t);
  const streams = [{ name: "main", url: server.url, connections: 1, requests: 1 }];
  // Exists, but is no place to create files in, for root neither.
  const { ended } = startGenerator({ streams, warmup_s: 0, raw_dir: "/proc/self" });
  const { event, code } = await ended;
  assert.equal(code, 1);
  assert.match(
    event.message,
    /raw rows could not be written to \/proc\/self\/main.rows: .*another raw_dir/,
  );
});

test("standard input that ends without a specification is an error", async () => {
  const { child, ended } = startGenerator("");
  child.stdin.end();
  const { event, code } = await ended;
  assert.equal(code, 2);
  assert.equal(event.event, "error");
});

const STREAM = { name: "main", url: "http://127.0.0.1:9/" };
const REFUSED = {
  "not JSON": ["{", /not one line of JSON/],
  "no streams": [{ streams: [] }, /streams must be a list of 1 to 8/],
  "another machine": [{ url: "http://example.com/" }, /must be on this machine/],
  "an address that only looks local": [
    { url: "http://127.0.0.1.example.com/" },
    /must be on this machine/,
  ],
  https: [{ url: "https://127.0.0.1/" }, /must look like http:/],
  "no url": [{ url: undefined }, /must look like http:.*missing/],
  "0 connections": [{ connections: 0 }, /connections must be a number from 1 to 10000, not 0/],
  "half a connection": [{ connections: 1.5 }, /whole number/],
  "too many connections": [{ connections: 10_001 }, /from 1 to 10000, not 10001/],
  "text for a number": [{ connections: "10" }, /not "10"/],
  "an unknown key": [{ conections: 3 }, /unknown key "conections"; known are name, url/],
  "a rate in a closed loop": [{ rate_per_s: 5 }, /belongs to an open loop/],
  "an open loop without a rate": [{ loop: "open" }, /rate_per_s must be a number from 0.001/],
  "a count in an open loop": [
    { loop: "open", rate_per_s: 1, requests: 5 },
    /belongs to a closed loop/,
  ],
  "a header of ours": [{ headers: { Connection: "close" } }, /must not contain Connection/],
  "a header that smuggles": [{ headers: { A: "b\r\nC: d" } }, /invalid field "A"/],
  "a body that is not base64": [{ body_base64: "ä" }, /must be base64/],
  "a short digest": [{ expect: { sha256: "abc" } }, /64 lower-case/],
  "a name that leaves the directory": [{ name: "../x" }, /letters, digits/],
  "no timeout": [{ timeout_s: 0 }, /timeout_s must be a number from/],
};

for (const [name, [change, message]] of Object.entries(REFUSED)) {
  test(`${name} is refused`, () => {
    const whole = change.streams !== undefined ? change : { streams: [{ ...STREAM, ...change }] };
    const spec = { warmup_s: 0, measure_s: 1, raw_dir: "/tmp", ...whole };
    const line = typeof change === "string" ? change : JSON.stringify(spec);
    assert.throws(() => readSpec(line), message);
  });
}

test("seconds out of range and a missing raw_dir are refused", () => {
  const read = (change) =>
    readSpec(JSON.stringify({ streams: [STREAM], measure_s: 1, raw_dir: "/tmp", ...change }));
  assert.throws(
    () => read({ measure_s: 601 }),
    /measure_s must be a number from 0.001 to 600, not 601/,
  );
  assert.throws(() => read({ measure_s: undefined }), /measure_s must be .* not missing/);
  assert.throws(() => read({ warmup_s: -1 }), /warmup_s/);
  assert.throws(() => read({ raw_dir: "/no/such" }), /existing directory/);
  assert.throws(() => read({ streams: [STREAM, STREAM] }), /same name/);
  const fast = { ...STREAM, loop: "open", rate_per_s: 1e6 };
  assert.throws(() => read({ streams: [fast], measure_s: 10 }), /more than 5000000 requests/);
});

test("the request on the wire is what was asked for", () => {
  const stream = {
    ...STREAM,
    url: "http://localhost:81/a%20b?c=d",
    method: "POST",
    headers: { Accept: "x" },
    body_base64: Buffer.from("hello").toString("base64"),
    keep_alive: false,
  };
  const { streams } = readSpec(
    JSON.stringify({ streams: [stream], measure_s: 1, raw_dir: "/tmp" }),
  );
  assert.equal(streams[0].host, "127.0.0.1");
  assert.equal(
    streams[0].request.toString(),
    "POST /a%20b?c=d HTTP/1.1\r\nHost: localhost:81\r\nAccept: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
  );
});
