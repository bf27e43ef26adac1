// Open loop: latency from the intended time, on a schedule that nothing the server does can change.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Generator } from "../../../lab/node/loadgen/generator.mjs";
import { sendTimes } from "../../../lab/node/loadgen/schedule.mjs";
import { readSpec } from "../../../lab/node/loadgen/spec.mjs";
import {
  assertAccounted,
  inWindow,
  load,
  OK,
  oneOf,
  quantile,
  serve,
  startGenerator,
} from "./support.mjs";

const FREEZE_MS = 300;

// Answers at once, except that the whole process stands still once.
function freezesOnce() {
  let frozen = false;
  const started = performance.now();
  return (socket) => {
    if (!frozen && performance.now() - started > 400) {
      frozen = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FREEZE_MS);
    }
    socket.write(OK);
  };
}

function countSlow(rows, event) {
  return inWindow(rows, event.window_us).filter((us) => us > 20_000).length;
}

test("an open loop shows a freeze to all who would have come, a closed loop to one per connection", (t) =>
  oneOf(8, t, async () => {
    const times = { warmup_s: 0.1, measure_s: 1.2 };
    const rate = 500;
    const openServer = await serve(freezesOnce(), t);
    const open = await load(
      openServer.url,
      { loop: "open", schedule: "constant", rate_per_s: rate, connections: 1000 },
      times,
    );
    assertAccounted(assert, open.main, open.rows.main);
    const closedServer = await serve(freezesOnce(), t);
    const closed = await load(closedServer.url, { connections: 5 }, times);
    assertAccounted(assert, closed.main, closed.rows.main);

    const due = (rate * FREEZE_MS) / 1000;
    const slowOpen = countSlow(open.rows.main, open.event);
    const slowClosed = countSlow(closed.rows.main, closed.event);
    t.diagnostic(
      `slower than 20 ms: ${slowOpen} of about ${due} in the open loop, ${slowClosed} in the closed`,
    );
    assert.ok(slowOpen > 0.7 * due && slowOpen < 1.5 * due, `${slowOpen} of ${due}`);
    assert.ok(slowClosed >= 5 && slowClosed <= 4 * 5, `${slowClosed} of 5`);
    // Those who came during the freeze waited for its end, evenly from all of it to nothing.
    const slow = inWindow(open.rows.main, open.event.window_us).filter((us) => us > 20_000);
    const median = quantile(slow, 0.5) / 1000;
    assert.ok(median > 0.3 * FREEZE_MS && median < 0.8 * FREEZE_MS, `median ${median} ms`);
  }));

test("when all connections are busy requests wait, are late, and still count from their intended time", (t) =>
  oneOf(8, t, async () => {
    // One connection, 10 ms each: capacity 100/s, asked for 200/s.
    const server = await serve((socket) => setTimeout(() => socket.write(OK), 10), t);
    const { event, rows, main } = await load(
      server.url,
      { loop: "open", schedule: "constant", rate_per_s: 200, connections: 1 },
      { warmup_s: 0, measure_s: 1 },
    );
    assertAccounted(assert, main, rows.main);
    assert.equal(rows.main.length, 200, "every scheduled request is a row");
    assert.equal(main.counts.sent, server.requests);
    assert.ok(main.counts.dropped > 80, `${main.counts.dropped} never sent`);
    assert.ok(main.counts.late > 50);
    const intended = rows.main.t_end_us.map((end, row) => end - rows.main.latency_us[row]);
    intended.sort((a, b) => a - b);
    for (const [request, us] of intended.entries())
      assert.ok(Math.abs(us - request * 5000) <= 2, `${us}`);
    const answered = inWindow(rows.main, event.window_us);
    assert.ok(answered.at(-1) > 300_000, "the queue shows in the latency");
    const dropped = rows.main.late_us.filter((_, row) => rows.main.status[row] === -9);
    assert.ok(dropped.every((late) => late >= 0 && late <= 1_100_000));
  }));

test("with connections to spare nothing is lost at the end, however late the generator looks", async (t) => {
  const server = await serve((socket) => socket.write(OK), t);
  const generator = startGenerator({
    streams: [{ name: "main", url: server.url, loop: "open", rate_per_s: 200, connections: 200 }],
    warmup_s: 0,
    measure_s: 1,
  });
  // From the middle of the run to after its end nobody looks at the clock.
  while (server.requests < 50) await pause(5);
  generator.child.kill("SIGSTOP");
  await pause(1200);
  generator.child.kill("SIGCONT");
  const { rows, main } = await generator.ended;
  assertAccounted(assert, main, rows.main);
  assert.equal(main.counts.dropped, 0);
  assert.ok(main.counts.late > 50, `${main.counts.late} late`);
});

for (const [kind, main, ends] of [
  // Where the warm-up has no fixed length, the schedule reaches beyond the end.
  ["by time", {}, { settle: { look_s: 0.1, within: 0.9, cap_s: 5 }, measure_s: 0.3 }],
  ["by count", { connections: 1, requests: 100 }, { warmup_s: 0, measure_s: 5 }],
])
  test(`what falls due after the last look at the clock was never to be sent: an end ${kind}`, (t) =>
    oneOf(8, t, async () => {
      t.mock.restoreAll();
      // Near the end each look at the clock takes 3 ms, in which three requests fall due.
      const clock = performance.now.bind(performance);
      let end = Number.POSITIVE_INFINITY;
      let slow = 0;
      t.mock.method(performance, "now", () => {
        if (clock() > end) slow += 3;
        return clock() + slow;
      });
      const begun = () => {
        end = clock() + 300;
      };
      const counted = await serve((socket) => {
        if (counted.requests === main.requests) end = clock();
        setTimeout(() => socket.write(OK), 4);
      }, t);
      const { url } = await serve((socket) => socket.write(OK), t);
      const ping = { loop: "open", schedule: "constant", rate_per_s: 1000, connections: 200 };
      const streams = [
        { name: "main", url: counted.url, ...main },
        { name: "ping", url, ...ping },
      ];
      const spec = readSpec(JSON.stringify({ streams, raw_dir: tmpdir(), ...ends }));
      const { counts } = (await new Generator(spec, () => {}, begun).run()).streams[1];
      assert.ok(counts.sent > 200, `${counts.sent} sent`);
      assert.equal(counts.dropped, 0);
    }));

test("Little's law holds for the requests in the system, waiting ones included", (t) =>
  oneOf(8, t, async () => {
    const server = await serve((socket) => setTimeout(() => socket.write(OK), 10), t);
    const { event, rows, main } = await load(
      server.url,
      { loop: "open", rate_per_s: 300, connections: 50 },
      { warmup_s: 0.3, measure_s: 1.5 },
    );
    assertAccounted(assert, main, rows.main);
    const latencies = inWindow(rows.main, event.window_us);
    const [from, to] = event.window_us;
    const product = latencies.reduce((a, b) => a + b, 0) / (to - from);
    assert.ok(
      Math.abs(product / main.in_flight_mean - 1) < 0.1,
      `${product} vs ${main.in_flight_mean}`,
    );
  }));

test("a fast server gets its requests about when they were intended", (t) =>
  oneOf(8, t, async () => {
    const server = await serve((socket) => socket.write(OK), t);
    const { rows, main } = await load(server.url, {
      loop: "open",
      rate_per_s: 500,
      connections: 20,
    });
    assertAccounted(assert, main, rows.main);
    assert.equal(main.counts.dropped, 0);
    const late = quantile(rows.main.late_us, 0.5);
    t.diagnostic(`median ${late} us late`);
    assert.ok(late < 2000);
  }));

test("an open loop without keep-alive opens one connection per request", (t) =>
  // A busy machine may end the run between a connection and its request.
  oneOf(8, t, async () => {
    const server = await serve((socket) => socket.write(OK), t);
    const { rows, main } = await load(server.url, {
      loop: "open",
      rate_per_s: 200,
      connections: 20,
      keep_alive: false,
    });
    assertAccounted(assert, main, rows.main);
    assert.equal(server.connections, server.requests);
    assert.equal(server.requests, main.counts.sent);
  }));

test("a schedule is a function of its seed, with the promised rate", () => {
  assert.deepEqual(sendTimes("constant", 100, 0.05, 1), Float64Array.of(0, 10, 20, 30, 40));
  assert.deepEqual(sendTimes("constant", 3, 1, 1).length, 3);
  const poisson = sendTimes("poisson", 1000, 100, 7);
  assert.deepEqual(poisson, sendTimes("poisson", 1000, 100, 7));
  assert.notDeepEqual(poisson.slice(0, 9), sendTimes("poisson", 1000, 100, 8).slice(0, 9));
  assert.ok(poisson.every((time, index) => index === 0 || time > poisson[index - 1]));
  assert.ok(poisson.at(-1) < 100_000);
  // 100,000 expected, standard deviation 316; gaps of an exponential have mean = standard deviation = 1 ms.
  assert.ok(Math.abs(poisson.length - 100_000) < 1300, `${poisson.length}`);
  const gaps = Array.from(poisson, (time, index) => time - (poisson[index - 1] ?? 0));
  const mean = gaps.reduce((a, b) => a + b) / gaps.length;
  const deviation = Math.sqrt(gaps.reduce((a, b) => a + (b - mean) ** 2, 0) / gaps.length);
  assert.ok(Math.abs(deviation / mean - 1) < 0.02, `${deviation / mean}`);
});
