// When a warm-up ends: the rule on made-up series of answers, and the load that keeps to it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Settling } from "../../../lab/node/loadgen/settling.mjs";
import { readSpec } from "../../../lab/node/loadgen/spec.mjs";
import { assertAccounted, OK, serve, startGenerator } from "./support.mjs";

const RULE = { lookS: 1, within: 0.05 };

// Seconds until a server of this rate (1/s, by time in s) is taken for steady; Infinity if not within 30.
function settles(rate, rule = RULE) {
  const settling = new Settling(rule);
  let answers = 0;
  settling.sample(0, 0);
  for (let step = 1; step * settling.everyS <= 30; step++) {
    const now = step * settling.everyS;
    answers += rate(now) * settling.everyS;
    if (settling.sample(now, Math.round(answers))) return now;
  }
  return Infinity;
}

// A generator of pseudo-random numbers from 0 to 1, the same in each run.
function random(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

test("a steady rate is steady after six looks, and not before", () => {
  // The others end a ninth later each.
  assert.ok(Math.abs(settles(() => 20_000) - 14 / 9) < 0.01);
  assert.ok(Math.abs(settles(() => 20_000, { lookS: 3, within: 0.05 }) - 14 / 3) < 0.01);
});

test("one look that agrees by chance does not end a warm-up", () => {
  const settling = new Settling(RULE);
  // Ten slow samples, then a fast one whose third hides it, then fast ones: agreement at the ninth only.
  const rates = [...Array(9).fill(1000), 3000, 5000, 7000, ...Array(20).fill(9000)];
  const said = [];
  let answers = 0;
  settling.sample(0, 0);
  for (const [index, rate] of rates.entries()) {
    answers += rate * settling.everyS * 100;
    said.push(settling.sample((index + 1) * settling.everyS, answers));
  }
  assert.ok(said.indexOf(true) > 12, `${said.indexOf(true)}`);
  assert.equal(said.at(-1), true);
});

test("a rate that rises to a plateau is steady once a look lies on the plateau", () => {
  const took = settles((t) => 5000 + 25_000 * Math.min(t / 4, 1));
  // On the ramp the thirds of a look differ by more than 5 %: at its end by 25,000 / 4 x 2/3 of 30,000.
  assert.ok(took > 4 && took < 5.4, `${took} s`);
});

test("a rate that falls is no more steady than one that rises", () => {
  const took = settles((t) => 30_000 - 20_000 * Math.min(t / 4, 1));
  assert.ok(took > 4 && took < 5.4, `${took} s`);
});

test("a rate that never stops rising is never steady", () => {
  assert.equal(
    settles((t) => 20_000 * 1.2 ** t),
    Infinity,
  );
});

test("what a small count does by chance is no trend, and hides none that is larger", () => {
  // 30 answers a third: three standard errors of their difference are 77 %.
  const chance = random(7);
  assert.ok(settles(() => 90 * (0.7 + 0.6 * chance())) < 2);
  assert.ok(settles((t) => (t < 2 ? 30 * (1 + 4 * t) : 300)) > 2);
});

test("noise around a level delays the end and does not prevent it", () => {
  const chance = random(3);
  const took = settles(() => 20_000 * (0.85 + 0.3 * chance()));
  assert.ok(took >= 0.99 && took < 10, `${took} s`);
});

test("a rate that goes up and down by much is steady as soon as one that does not, and a ramp as noisy is not", () => {
  // Up and down from sample to sample, of which a third holds two up and one down, or the other way about.
  const swings = (t, by) => 1 + by * (Math.round(t * 9) % 2);
  assert.ok(settles((t) => 20_000 * swings(t, 0.25)) < 1.6);
  const took = settles((t) => 5000 * (1 + Math.min(t, 4)) * swings(t, 0.1));
  assert.ok(took > 3 && took < 6, `${took} s`);
});

test("a server too slow to have a rate is not waited for", () => {
  assert.ok(settles((t) => (t > 0.9 ? 1 : 0)) < 1.7);
});

test("a server that has all but stopped answering is no steadier for the few answers it gives", () => {
  // Three answers in the last third of the first looks, a hundred times as many in the first.
  assert.ok(settles((t) => (t < 0.7 ? 1000 : 9)) > 1.9);
});

test("a server that has only begun to answer is not warm", () => {
  assert.ok(settles((t) => (t > 0.7 ? 5_000 : 0)) > 1.7);
  // Nor one that stands still at the end of each look.
  assert.ok(settles((t) => (t < 0.6 ? 5_000 : 0)) > 1.5);
});

// Answers at once, or after `ms`.
const after = (ms) => (socket) =>
  ms > 0 ? setTimeout(() => socket.write(OK), ms) : socket.write(OK);

function settled(url, settle, times = {}, others = []) {
  const streams = [{ name: "main", url, connections: 4 }, ...others];
  return startGenerator({ streams, settle, measure_s: 0.3, ...times });
}

test("the window begins when the rate is steady, on the connections of the warm-up", async (t) => {
  const server = await serve(after(2), t);
  const settle = { look_s: 0.4, within: 0.5, cap_s: 20 };
  const ping = { name: "ping", url: server.url, loop: "open", rate_per_s: 50 };
  const { events, ended } = settled(server.url, settle, {}, [ping]);
  const { event, rows, main } = await ended;
  const [from, to] = event.window_us;
  const told = events.find((one) => one.event === "window");
  assert.equal(event.warm, "steady");
  assert.ok(from >= (390_000 * 14) / 9 && from < 15_000_000, `${from}`);
  assert.equal(Math.round(told.warmup_s * 1e6), from);
  assert.equal(told.warm, "steady");
  assert.equal(to - from, 300_000);
  assert.equal(server.connections - new Set(rows.ping.connection).size, 4);
  assert.equal(main.counts.reconnects, 0);
  assertAccounted(assert, main, rows.main);
  assertAccounted(assert, event.streams[1], rows.ping);
  assert.equal(event.streams[1].counts.dropped, 0, "the schedule reaches beyond the end");
  // Four are in flight whenever; those of the warm-up are not counted into the window's mean.
  assert.ok(Math.abs(main.in_flight_mean - 4) < 0.5, `${main.in_flight_mean}`);
});

test("the window begins at the cap where the rate is not steady, and the result says so", async (t) => {
  let answered = 0;
  // From 64 ms to 1 ms within the warm-up, and faster by much more than chance on any machine.
  const begun = performance.now();
  const server = await serve((socket) => {
    answered++;
    after(64 / 2 ** ((performance.now() - begun) / 150))(socket);
  }, t);
  const { ended } = settled(server.url, { look_s: 0.9, within: 0, cap_s: 0.95 });
  const { event } = await ended;
  assert.equal(event.warm, "capped");
  assert.ok(event.window_us[0] >= 950_000, `${event.window_us[0]}`);
  assert.ok(answered > 0);
});

test("warmup_s is the least, however steady the rate", async (t) => {
  const server = await serve(after(2), t);
  const times = { warmup_s: 0.8 };
  const { ended } = settled(server.url, { look_s: 0.1, within: 1, cap_s: 20 }, times);
  const { event } = await ended;
  assert.ok(event.window_us[0] >= 800_000, `${event.window_us[0]}`);
});

test("a warm-up until steady is refused where it means nothing", () => {
  const read = (whole) =>
    readSpec(
      JSON.stringify({
        streams: [{ url: "http://127.0.0.1:1/" }],
        measure_s: 1,
        raw_dir: "/tmp",
        ...whole,
      }),
    );
  const settle = { look_s: 1, within: 0.05, cap_s: 10 };
  assert.equal(read({ settle }).longestWarmupS, 10);
  assert.equal(read({}).settle, null);
  const counted = [{ url: "http://127.0.0.1:1/", requests: 3 }];
  assert.throws(() => read({ settle, streams: counted }), /fixed count/);
  assert.throws(() => read({ settle: { ...settle, cap_s: 0.5 } }), /cap_s/);
  assert.throws(() => read({ settle: { ...settle, looks: 3 } }), /looks/);
});
