// Rule 1 of honest measuring: the instrument against a known truth, in all connection modes.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertAccounted,
  exactly,
  inWindow,
  load,
  OK,
  OK_CLOSE,
  oneOf,
  quantile,
  serve,
} from "./support.mjs";

const DELAY_MS = 20;

const MODES = {
  "with keep-alive": (socket) => socket.write(OK),
  "with Connection: close": (socket) => socket.end(OK_CLOSE),
  "closing every 10": (socket) =>
    socket.requests % 10 === 0 ? socket.end(OK_CLOSE) : socket.write(OK),
};

for (const [mode, answer] of Object.entries(MODES)) {
  for (const connections of [1, 4]) {
    test(`${DELAY_MS} ms ${mode} are ${DELAY_MS} ms on ${connections} connections`, (t) =>
      oneOf(8, t, () => calibrate(t, answer, connections)));
  }
}

async function calibrate(t, answer, connections) {
  const server = await serve((socket) => exactly(DELAY_MS, () => answer(socket)), t);
  const { event, rows, main } = await load(server.url, { connections }, { measure_s: 0.8 });
  assertAccounted(assert, main, rows.main);
  assert.equal(main.counts.sent, server.requests);
  assert.equal(main.counts.reconnects, server.connections - connections);
  const latencies = inWindow(rows.main, event.window_us);
  const p50 = quantile(latencies, 0.5) / 1000;
  t.diagnostic(`p50 ${p50} ms, p90 ${quantile(latencies, 0.9) / 1000} ms`);
  assert.ok(p50 >= DELAY_MS, `p50 is ${p50} ms`);
  assert.ok(p50 <= DELAY_MS + 3, `p50 is ${p50} ms`);

  const window = event.window_us[1] - event.window_us[0];
  const mean = latencies.reduce((a, b) => a + b, 0) / latencies.length;
  const little = ((latencies.length / window) * mean) / connections;
  assert.ok(Math.abs(little - 1) <= 0.05, `X R / N is ${little}`);
  const inFlight = main.in_flight_mean / connections;
  assert.ok(Math.abs(inFlight - 1) <= 0.05, `${inFlight} of the connections in use`);
}
