import http from "node:http";

const CLIENTS = 24;
const TIMES = 3;
const WAVES = 4;
const KEPT = 12; // connections

// Another one than that which was asked by many at once: what became of that does not matter here.
const started = (t) => t.once("server", () => t.server());

// ---------------------------------------------------------------- who answers

const ask = (server, agent) =>
  new Promise((resolve) => {
    const asking = http.get({ host: "127.0.0.1", port: server.port, agent }, (response) => {
      const { localPort } = response.socket;
      let body = "";
      response.setEncoding("utf8").on("data", (text) => {
        body += text;
      });
      response.on("end", () => resolve({ body, localPort }));
      response.on("error", () => resolve({ body }));
    });
    asking.setTimeout(2000, () => asking.destroy());
    asking.on("error", () => resolve({ body: "" }));
  });

/** Asks once over each of several connections that stay open: what was answered, and by which process, as the kernel sees it. */
async function asked(t, server, count = KEPT) {
  const agents = Array.from({ length: count }, () => new http.Agent({ keepAlive: true }));
  const answers = [];
  for (const agent of agents) answers.push(await ask(server, agent));
  const pids = server.family();
  const found = answers.map(({ body, localPort }) => ({
    body,
    pid: localPort && t.proc.peer(pids, server.port, localPort),
  }));
  for (const agent of agents) agent.destroy();
  return found;
}

/** The processes that answer. Asked again until `enough` says so, because connections go to whoever takes them. */
async function answering(t, server, enough) {
  const seen = new Set();
  for (let round = 0; round < 6 && !enough(seen); round++)
    for (const { pid } of await asked(t, server)) if (pid) seen.add(pid);
  return seen;
}

// ---------------------------------------------------------------- the criteria

const numbered = (answers) => answers.map(({ body }) => Number(/^(\d+)\n$/.exec(body)?.[1]));

export default {
  async count(t) {
    const server = await t.server();
    const answers = [];
    for (let wave = 0; wave < WAVES; wave++) {
      const some = await t.clients(server, CLIENTS, "/", { times: TIMES, seconds: 2 });
      const lost = some.filter(({ error }) => error);
      t.ok(
        lost.length === 0,
        `${CLIENTS} clients sent requests at once, but ${lost.length} of ${some.length} requests were not answered`,
        { saw: lost[0]?.error },
      );
      answers.push(...some);
    }
    await server.stop();
    const total = answers.length;
    const asking = `${CLIENTS} clients sent ${total / CLIENTS} requests each`;
    const numbers = numbered(answers.map(({ body }) => ({ body: body.toString() })));
    const odd = numbers.findIndex((one) => !Number.isInteger(one));
    if (odd >= 0)
      t.miss("a response is not a number and a newline", { saw: answers[odd].body.toString() });
    const times = new Map();
    for (const one of numbers) times.set(one, (times.get(one) ?? 0) + 1);
    const highest = Math.max(...numbers);
    const twice = [...times.values()].filter((n) => n > 1).length;
    const seen = {
      saw: `numbers up to ${highest}, ${twice} of them given more than once`,
      wanted: `1 to ${total}, each once`,
    };
    if (twice > 0 && Math.max(...times.values()) === 2)
      t.miss(
        `${asking}, and ${twice} numbers were given twice, but none more often, as if each process kept its own count`,
        seen,
      );
    t.ok(twice === 0, `${asking}, and ${twice} numbers were given twice or more often`, seen);
    t.ok(
      highest === total,
      `${asking}, but numbers were left out, or the count did not begin at 1`,
      seen,
    );
  },

  async two(t) {
    const server = await started(t);
    const seen = await answering(t, server, (pids) => pids.size >= 2);
    const others = server.family().length - 1;
    if (seen.has(server.pid))
      t.miss(
        others
          ? `requests were answered by the process that was started first, although there were ${others} other processes`
          : "one process answered all requests",
        {
          saw: `${seen.size} process${seen.size === 1 ? "" : "es"}`,
          wanted: "two processes, started by the first one",
        },
      );
    t.ok(
      seen.size === 2,
      `requests were answered by ${seen.size === 1 ? "only one process" : "the wrong number of processes"}`,
      {
        saw: seen.size,
        wanted: 2,
      },
    );
  },

  async replaced(t) {
    const server = await started(t);
    for (let time = 0; time < 2; time++) {
      const before = await answering(t, server, (pids) => pids.size >= 2);
      const highest = Math.max(...numbered(await asked(t, server, 4)));
      const [victim] = t.random.shuffle([...before]);
      process.kill(victim, "SIGKILL");
      await t.until(() => !server.family().includes(victim));
      const replaced = await t.until(
        async () => (await answering(t, server, (pids) => pids.size >= 2)).size >= 2,
        6000,
      );
      const count = time ? "another process" : "one of the two processes";
      t.ok(replaced, `${count} was killed and was not replaced, so only one process answers now`);
      const after = numbered(await asked(t, server, 8));
      const distinct = new Set(after);
      t.ok(
        distinct.size === after.length && after.every((one) => one > highest),
        `${count} was killed, but the count did not continue from ${highest}`,
        { saw: after, wanted: `numbers above ${highest}, each once` },
      );
    }
  },
};
