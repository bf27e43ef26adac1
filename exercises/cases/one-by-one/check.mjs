import { readFileSync } from "node:fs";

const SECONDS = 9;

/** The workers of a server: its children that are Node, itself left out. */
const workers = (server) =>
  server.family().filter((pid) => pid !== server.pid && comm(pid) !== "bwrap");
const comm = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "bwrap"; // gone meanwhile
  }
};

/** Those that are there when it has been started: without any there is nobody to replace. */
function crew(t, server) {
  const there = workers(server);
  t.ok(there.length > 0, "there are no workers besides the process that was started");
  return there;
}

/**
 * Waits until so many workers have answered. One that is killed while it starts is told of its port when nobody is there any more,
 * and Node's own error for that ends a server that is right.
 */
async function serving(t, server, count) {
  const numbers = new Set();
  const end = performance.now() + 6000;
  while (numbers.size < count && performance.now() < end) {
    const { body } = await t.get(server, "/", { seconds: 5 });
    numbers.add(String(body));
  }
}

/** Clients that ask again and again, each on a connection of its own, until they are told to stop. */
function asking(t, server, count) {
  const answers = [];
  let stopped = false;
  const one = async () => {
    while (!stopped) answers.push(await t.get(server, "/", { seconds: 5 }));
  };
  const all = Promise.all(Array.from({ length: count }, one));
  return {
    answers,
    stop: async () => {
      stopped = true;
      await all;
      return answers;
    },
  };
}

/** Replaced while clients ask: who was there before and after, and what became of the requests. */
const replaced = (t) =>
  t.once("replaced", async () => {
    const server = await t.server({ env: { WORK_MS: "20" }, seconds: 10 });
    const before = crew(t, server);
    const clients = asking(t, server, 4);
    await t.until(() => clients.answers.length >= 20, 3000);
    const counts = [];
    const watch = setInterval(() => counts.push(workers(server).length), 10);
    server.signal("SIGHUP");
    const all = await t.until(
      () => !workers(server).some((pid) => before.includes(pid)) || server.end,
      SECONDS * 1000,
    );
    await t.until(() => workers(server).length === before.length, 2000);
    clearInterval(watch);
    const answers = await clients.stop();
    return { server, before, all, after: workers(server), counts, answers };
  });

export default {
  async workers(t) {
    const { workers: wanted } = t.parameters;
    const server = await t.server({ seconds: 10 });
    const there = workers(server);
    t.equal(
      there.length,
      wanted,
      `${there.length} workers were started, but your task says ${wanted}`,
    );
    await serving(t, server, wanted);
    const [victim] = t.random.shuffle(there);
    process.kill(victim, "SIGKILL");
    await t.until(() => !workers(server).includes(victim), 2000);
    t.ok(
      await t.until(() => workers(server).length === wanted, 4000),
      "a worker was killed, but was not replaced",
      { saw: workers(server).length, wanted },
    );
    await server.stop();
  },

  async all(t) {
    const { server, before, all, after } = await replaced(t);
    if (server.end) throw server.early();
    t.ok(
      all,
      `${SECONDS} s after \`SIGHUP\`, ${after.filter((pid) => before.includes(pid)).length} of ${before.length} workers were still the old ones`,
    );
    t.ok(
      after.length === before.length,
      "after `SIGHUP`, there is a different number of workers than before",
      {
        saw: after.length,
        wanted: before.length,
      },
    );
  },

  async lost(t) {
    const { answers, counts, before } = await replaced(t);
    const lost = answers.filter(({ error, status }) => error || status !== 200);
    t.note("requests while workers were replaced", answers.length);
    t.ok(
      lost.length === 0,
      `${lost.length} of ${answers.length} requests were lost while workers were replaced`,
      { saw: lost[0]?.error ?? lost[0]?.status },
    );
    t.plot(
      "Workers while they were replaced",
      counts.map((count, i) => [i, count]),
      {
        x: "check",
        y: "workers",
      },
    );
    const most = Math.max(...counts);
    const seen = { saw: most, wanted: before.length + 1 };
    t.ok(
      most > before.length,
      `while workers were replaced, there was never one more than ${before.length}. An old worker has to stay until the new one is listening`,
      seen,
    );
    t.ok(
      most === before.length + 1,
      `while workers were replaced, there were ${most} at the same time. If you replace them one by one, you need room for only one more`,
      seen,
    );
  },

  async begun(t) {
    // Answers that take long, asked for without an end: whenever a worker goes it has begun some, however long a new one takes to start.
    const server = await t.server({ env: { WORK_MS: "700" }, seconds: 10 });
    const before = crew(t, server);
    const clients = asking(t, server, 3 * before.length);
    // Who is refused has begun nothing: another criterion counts those.
    const lost = () =>
      clients.answers.filter(({ error, body }) =>
        error ? error !== "ECONNREFUSED" : !/^\d+\n$/.test(body),
      );
    await t.until(() => clients.answers.length > 0, 5000);
    server.signal("SIGHUP");
    const gone = () => !workers(server).some((pid) => before.includes(pid));
    await t.until(() => gone() || lost().length > 0 || server.end, SECONDS * 1000);
    const answers = await clients.stop();
    t.ok(
      lost().length === 0,
      `${lost().length} of ${answers.length} responses had begun when their workers were told to go, but never arrived`,
      { saw: lost()[0]?.error ?? lost()[0]?.body.toString() },
    );
    await server.stop();
  },

  async again(t) {
    const server = await t.server({ seconds: 10 });
    const first = crew(t, server);
    const seen = new Set();
    const watch = setInterval(() => {
      for (const pid of workers(server)) if (!first.includes(pid)) seen.add(pid);
    }, 5);
    const gone = (some) =>
      t.until(() => !workers(server).some((pid) => some.includes(pid)), SECONDS * 1000);
    const settled = () => t.until(() => workers(server).length === first.length, 2000);
    server.signal("SIGHUP");
    await t.until(() => seen.size > 0, 3000); // it has begun
    server.signal("SIGHUP");
    await gone(first);
    await settled();
    await t.sleep(300);
    await settled();
    // One that is there may still be starting, and until it listens the replacement is under way.
    await serving(t, server, first.length);
    clearInterval(watch);
    t.ok(
      seen.size <= first.length,
      `\`SIGHUP\` was sent twice, the second time while workers were being replaced, and ${seen.size} new workers were started in place of ${first.length}`,
      { saw: seen.size, wanted: first.length },
    );
    const second = workers(server);
    server.signal("SIGHUP");
    t.ok(await gone(second), "workers had been replaced once, but a later `SIGHUP` had no effect");
    await server.stop();
  },
};
