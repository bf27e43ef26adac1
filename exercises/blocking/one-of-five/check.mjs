import { once } from "node:events";
import net from "node:net";

const PATHS = ["/one", "/two", "/three", "/four", "/five"];
const BLOCKED = "/four";
const CLIENTS = 8;
const HOW = {
  call: "the call to the handler returned only when its wait was over. `async`, or a promise around it, does not let other requests run in the meantime",
  microtasks:
    "the call returned, but then its microtasks kept the loop busy for the whole wait. The loop continues only when no microtasks are left",
  later:
    "the call returned, but the loop was blocked later, for the whole wait. A handler that keeps the loop busy while it waits holds up all other requests, sooner or later",
};

// A request whose answer is noted when it comes; resolves to it when it is on its way: the connection stands.
async function ask(server, path, came) {
  const socket = net.connect(server.port, "127.0.0.1");
  const one = { path, body: "" };
  const sent = performance.now();
  socket.on("error", () => {});
  socket.setEncoding("utf8").on("data", (text) => {
    one.body += text;
    if (one.ms !== undefined) return;
    one.ms = performance.now() - sent;
    came.push(one);
  });
  one.done = once(socket, "close");
  one.leave = () => socket.destroy();
  await Promise.race([once(socket, "connect"), one.done]);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  return one;
}

/** What came, in order, of requests to `paths` and of a ping that was sent after them all. */
async function beside(t, server, paths, delay) {
  const came = [];
  const asked = [];
  for (const path of paths) asked.push(await ask(server, path, came));
  const ping = await ask(server, "/ping", came);
  // On one path, or while the ping waits, nothing more can be learnt from who stands in a queue.
  const queued = () =>
    came.some(({ ms }) => ms > 3 * delay) && (paths.includes(BLOCKED) || !came.includes(ping));
  await t.until(() => came.length > paths.length || queued(), 12 * delay + 2000);
  for (const one of [...asked, ping]) one.leave();
  return { came, asked, before: came.indexOf(ping), first: came.find((one) => one !== ping) };
}

// A busy machine can only delay an answer, so the best of three counts; and what it does within a long wait matters less, so
// each wait is twice as long as the one before.
async function best(t, delay, asks, enough) {
  let best;
  for (let attempt = 0; attempt < 3 && !best?.enough; attempt++, delay *= 2) {
    const server = await t.server({ env: { DELAY_MS: String(delay) } });
    const seen = { ...(await beside(t, server, asks(), delay)), delay };
    server.alone();
    await server.stop();
    const { first } = seen;
    // Whoever waited beside the first is answered soon after it; whoever waited behind it, a whole wait later.
    seen.at = seen.asked.filter(
      ({ ms }) => ms !== undefined && ms < (first?.ms ?? 0) + delay / 2,
    ).length;
    seen.enough = enough(seen);
    const sooner = seen.at === best?.at && seen.before >= 0 && seen.before < best.before;
    if (!best || seen.enough || seen.at > best.at || sooner) best = seen;
    // No noise does that to timers that end together; only that a ping comes a little late.
    if (seen.at <= 2 && (seen.before <= 0 || seen.before > 2)) break;
  }
  return best;
}
const crowd = (t) =>
  t.once("crowd", () =>
    best(
      t,
      t.random.integer(300, 400),
      () => Array(CLIENTS).fill(BLOCKED),
      ({ at, before }) => at === CLIENTS && before === 0,
    ),
  );
const rest = (t) =>
  t.once("rest", () => {
    const paths = PATHS.filter((path) => path !== BLOCKED).flatMap((path) => [path, path]);
    return best(
      t,
      t.random.integer(200, 300),
      () => t.random.shuffle(paths),
      ({ before }) => before === 0,
    );
  });

async function how(t, delay) {
  const student = await t.module({ env: { DELAY_MS: String(delay) } });
  try {
    return HOW[await student.scene("how", { path: BLOCKED, delay })];
  } finally {
    await student.stop();
  }
}

const body = ({ body }) => body.split("\r\n\r\n")[1] ?? "";
const right = (one) =>
  one.body.startsWith("HTTP/1.1 200") && body(one) === `${one.path.slice(1)}\n`;
/** Who answers nobody, or with nothing, waits for nobody either. */
const answered = (t, { asked }) =>
  t.ok(asked.some(right), `no request to ${BLOCKED} was answered with its text`, {
    saw: asked[0].body.split("\r\n", 1)[0] || "no response",
    wanted: `200 ${BLOCKED.slice(1)}`,
  });

export default {
  async free(t) {
    const { before, delay } = await crowd(t);
    if (before === 0 || (before > 0 && (await crowd(t)).first.ms < delay / 2))
      return answered(t, await crowd(t));
    const why = await how(t, delay);
    t.miss(
      `eight clients requested one of the five paths, then another client requested \`/ping\`, and its response came only after ${before < 0 ? "several" : before} of theirs${why ? `: ${why}` : ""}`,
      { saw: `${before < 0 ? "at least 3" : before} responses before the pong`, wanted: "0" },
    );
  },

  async places(t) {
    const { at, asked, delay } = await crowd(t);
    answered(t, await crowd(t));
    t.plot(
      "When the eight requests were answered",
      asked.map(({ ms }, i) => [i + 1, ms ?? 0]),
      { x: "request", y: "ms" },
    );
    t.note("requests that waited at the same time", at);
    t.ok(
      at >= CLIENTS - 1,
      `with a wait of ${delay} ms, only ${at} of 8 requests to one path waited at the same time, and the others queued behind them`,
      {
        saw: asked.map(({ ms }) => (ms === undefined ? "no response" : `${Math.round(ms)} ms`)),
        wanted: `all soon after ${delay} ms`,
      },
    );
  },

  async waits(t) {
    answered(t, await crowd(t));
    for (const { asked, delay } of [await crowd(t), await rest(t)])
      for (const { path, ms } of asked)
        t.ok(ms === undefined || ms > delay - 3, `${path} answered before DELAY_MS had passed`, {
          saw: `${Math.round(ms)} ms`,
          wanted: `${delay} ms`,
        });
  },

  async others(t) {
    const { asked, before, delay } = await rest(t);
    t.ok(
      before === 0,
      `two clients were waiting on each of the other four paths, and \`/ping\` was answered only after ${before < 0 ? "several" : before} of them, unlike in the starter`,
    );
    for (const one of [...asked, ...(await crowd(t)).asked]) {
      if (one.ms === undefined && one.path === BLOCKED) continue; // that is said above
      t.ok(one.ms !== undefined, `${one.path} sent no response within ${10 * delay} ms`);
      t.ok(right(one), `${one.path} did not send the right response`, {
        saw: `${one.body.split("\r\n", 1)[0]} ${body(one)}`,
        wanted: `200 ${one.path.slice(1)}`,
      });
    }
  },
};
