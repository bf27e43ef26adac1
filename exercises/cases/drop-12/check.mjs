import http from "node:http";

const WORKERS = 3;
const CLIENTS = 12; // with a connection that they keep
const FRESH = 4; // with a new connection for each request
const UPLOADS = 6; // under way
const KEPT = 12; // connections that tell which processes answer
const SOON = 5000; // ms within which what should happen at once has happened, on any day
const TOLD = 1200; // ms in which all clients are told that an answer is the last one, unless the machine is busy
const LONG = "60000"; // ms that are over long after the check
const START_S = 2.5; // until a process listens: each has a Node of its own to start
const IDLE = 2500; // more than a client of the check needs to go on, on any day

/** Lets `look` see a drop of several processes, which is stopped afterwards: those of all criteria would be too many together. */
async function see(t, look, env = {}) {
  const { started } = await t.shared();
  const all = { WORKERS: String(WORKERS), GRACE: LONG, IDLE: String(IDLE), ...env };
  const processes = Number(all.WORKERS);
  const server = await started(t, all, { processes, seconds: START_S * (1 + processes) });
  try {
    await look(server);
  } finally {
    await server.stop();
  }
}

// ---------------------------------------------------------------- clients

/** A client that asks again and again: on a connection of its own, or on a new one each time. */
class Client {
  answers = 0;
  lost = [];
  cut = 0; // connections that were closed without a word in the answer before
  last = 0; // answers that were the last one on their connection
  constructor(server, isKept) {
    this.server = server;
    this.agent = isKept ? new http.Agent({ keepAlive: true, maxSockets: 1 }) : false;
  }
  ask() {
    return new Promise((resolve) => {
      const request = http.get(
        {
          host: "127.0.0.1",
          port: this.server.port,
          path: "/ping",
          agent: this.agent,
          timeout: 2 * SOON,
        },
        (response) => {
          const { localPort } = response.socket;
          let body = "";
          response.setEncoding("utf8").on("data", (text) => {
            body += text;
          });
          response.on("error", (error) => resolve({ error: error.code }));
          response.on("end", () =>
            resolve({ body, localPort, isLast: response.headers.connection === "close" }),
          );
        },
      );
      request.on("timeout", () =>
        request.destroy(Object.assign(new Error("no response"), { code: "no response" })),
      );
      request.on("error", ({ code }) => resolve({ error: code, isNew: !request.reusedSocket }));
    });
  }
  /** Asks until the client is told to stop, or `ends` says so of an answer. */
  async goOn(ends = () => false) {
    for (;;) {
      const answer = await this.ask();
      if (answer.error || answer.body !== "pong\n")
        this.lost.push(answer.error ?? `the text ${JSON.stringify(answer.body)}`);
      else this.answers++;
      if (this.agent && this.port && answer.localPort !== this.port && !this.isToldLast) this.cut++;
      this.port = answer.localPort;
      this.isToldLast = answer.isLast;
      if (answer.isLast) this.last++;
      if (this.isOver || ends(answer)) return answer;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  leave() {
    this.isOver = true;
    if (this.agent) this.agent.destroy();
  }
}
const clients = (server, count, isKept = true) =>
  Array.from({ length: count }, () => new Client(server, isKept));

/** Half an upload each, on connections of their own, which the drop has begun to store. */
async function halves(t, server, count) {
  const { bytes, settled, Upload, word } = await t.shared();
  const content = bytes(t, 200_000);
  const uploads = Array.from(
    { length: count },
    () => new Upload(server, word(t), { "content-length": content.length }),
  );
  await Promise.all(uploads.map((upload) => upload.pour(content.subarray(0, 100_000))));
  await settled(t, server);
  return {
    uploads,
    async finish(what) {
      for (const upload of uploads) upload.request.end(content.subarray(100_000));
      await t.until(() => uploads.every(({ answer }) => answer), SOON);
      const lost = uploads.filter(({ answer }) => answer?.status !== 201);
      t.ok(
        lost.length === 0,
        `${count} uploads had begun ${what}, but ${lost.length} of them were lost`,
        { saw: lost[0]?.answer ?? "no response", wanted: 201 },
      );
    },
  };
}

// ---------------------------------------------------------------- processes

/** The processes that answer, as the kernel sees them; asked again until there are so many. */
async function answering(t, server, count) {
  const seen = new Set();
  for (let round = 0; round < 6 && seen.size < count; round++) {
    const some = clients(server, KEPT);
    const pids = server.family();
    for (const client of some) {
      const { localPort } = await client.ask();
      const pid = localPort && t.proc.peer(pids, server.port, localPort);
      if (pid) seen.add(pid);
    }
    for (const client of some) client.leave();
  }
  return seen;
}

/** Holds that the process ends by itself, as one that has done its work. */
async function ended(t, server, what, ms = SOON) {
  await t.until(() => server.end, ms);
  t.ok(server.end, `${what}, but ${ms / 1000} s later the first process was still running`, {
    wanted: "exit code 0",
  });
  if (server.reason) throw server.reason; // the grader has ended it
  const { code, signal } = server.end;
  t.ok(
    code === 0,
    `${what}, but the first process ended ${signal ? `by ${signal}` : `with exit code ${code}`}`,
    { saw: server.stderr.slice(-500) || undefined, wanted: "exit code 0" },
  );
}

// ---------------------------------------------------------------- listeners

/** A listener that comes back when its answer has ended, and says which event it had last. */
class Follower {
  events = [];
  ends = 0;
  constructor(server) {
    this.server = server;
    this.begun = new Promise((begin) => this.#listen(begin));
  }
  #listen(begin = () => {}) {
    if (this.isOver) return;
    const [id] = /^id: .*/.exec(this.events.at(-1) ?? "") ?? [];
    let text = "";
    this.request = http.get({
      host: "127.0.0.1",
      port: this.server.port,
      path: "/events",
      headers: id ? { "last-event-id": id.slice(4) } : {},
      agent: false,
    });
    this.request.on("response", (response) => {
      begin(true);
      response.setEncoding("utf8").on("data", (chunk) => {
        const texts = (text + chunk).split("\n\n");
        text = texts.pop();
        this.events.push(...texts);
      });
      response.on("error", () => {});
      response.on("close", () => {
        if (!response.complete) this.isCut = true;
        this.ends++;
        this.#listen();
      });
    });
    this.request.on("error", ({ code }) => {
      begin(false);
      this.error = code;
    });
  }
  leave() {
    this.isOver = true;
    this.request.destroy();
  }
}

async function followers(t, server, count) {
  const all = Array.from({ length: count }, () => new Follower(server));
  const begun = await Promise.race([Promise.all(all.map((each) => each.begun)), t.sleep(SOON, [])]);
  t.ok(
    begun.length === count && begun.every(Boolean),
    "the response to GET /events did not begin",
    {
      wanted: "200 and its headers, at once",
    },
  );
  return all;
}

/** Stores small files, each on a connection of its own, and so on any of the processes. */
async function stores(t, server, count) {
  const { bytes, put, word } = await t.shared();
  const files = [];
  for (let at = 0; at < count; at++) {
    const name = word(t);
    t.equal(
      await put(t, server, name, bytes(t, 4)),
      201,
      "the upload of a new file was not answered with 201",
    );
    files.push({ name, bytes: 4, note: "" });
  }
  return files;
}

/** In words, what is wrong with an event that came in the place of another one. */
function wrong(saw, wanted, number) {
  if (saw === undefined) return `a listener did not get event ${number}`;
  if (wanted === undefined) return "a listener got one event too many";
  const [[id, data], [ownId, ownData]] = [saw, wanted].map((text) => {
    const [first, ...others] = text.split("\n");
    return [first, others.join("\n")];
  });
  if (data === ownData) return `a listener got event ${number} with the wrong number`;
  return id === ownId
    ? `a listener got another file as event ${number}`
    : `a listener got something else in the place of event ${number}`;
}

/** Holds that each listener got these files, as events from number 1 on. */
async function hear(t, all, files, what) {
  const { certainly } = await t.shared();
  const wanted = files.map(
    (file, at) => `id: ${at + 1}\nevent: file\ndata: ${JSON.stringify(file)}`,
  );
  await t.until(() => all.every(({ events }) => events.length >= wanted.length), SOON);
  for (const { events, error } of all) {
    if (error) t.miss(`${what}, but a listener that reconnected was not accepted`, { saw: error });
    const at = wanted.findIndex((text, index) => text !== events[index]);
    const extra = events.length > wanted.length ? wanted.length : -1;
    const index = at < 0 ? extra : at;
    if (index < 0) continue;
    const miss = () =>
      t.miss(`${what}, but ${wrong(events[index], wanted[index], index + 1)}`, {
        saw: events[index] ?? "no event",
        wanted: wanted[index] ?? "no event",
      });
    if (events[index] === undefined) miss(); // it may only be late
    certainly(miss);
  }
}

async function drained(t, server) {
  const some = clients(server, CLIENTS);
  const silent = new Client(server, true);
  await Promise.all([...some, silent].map((client) => client.ask()));
  const half = await halves(t, server, UPLOADS);
  const ends = []; // the last answer to each client, as far as it has come
  const going = some.map((client) =>
    client.goOn(({ isLast, error }) => isLast || error).then((last) => ends.push(last)),
  );
  try {
    server.signal("SIGTERM");
    const isClosed = await t.until(
      () => t.get(server, "/ping", { seconds: 1 }).then(({ error }) => Boolean(error)),
      SOON,
    );
    await Promise.race([Promise.all(going), t.sleep(SOON)]);
    const cut = ends.filter(({ error, isNew }) => error && isNew).length;
    const lost = ends.filter(({ error, isNew }) => error && !isNew).length;
    t.ok(
      cut + lost === 0,
      `${CLIENTS} clients were sending one request after another on persistent connections when SIGTERM was sent, but ${lost} lost a request, and ${cut} lost their connection without notice`,
      { wanted: "connection: close in the last response on each connection" },
    );
    t.ok(
      ends.length === CLIENTS,
      `some of ${CLIENTS} clients that kept sending requests after SIGTERM were never told that a response is the last one on their connection`,
      { wanted: "connection: close in a response" },
    );
    t.ok(isClosed, `${SOON / 1000} s after SIGTERM, a new connection was accepted and answered`, {
      wanted: "connection refused",
    });
    await half.finish("when SIGTERM was sent");
    await ended(
      t,
      server,
      "after SIGTERM, all responses had been sent, and one client was silent",
      IDLE + SOON,
    );
  } finally {
    for (const client of [...some, silent]) client.leave();
  }
}

async function grace(t, server) {
  const { uploads } = await halves(t, server, 1);
  server.signal("SIGTERM");
  await ended(
    t,
    server,
    "a client had sent half an upload when SIGTERM was sent, and GRACE was 1200 ms",
  );
  for (const upload of uploads) await upload.leave();
}

async function replaced(t, server) {
  for (let time = 0; time < 2; time++) {
    const before = await answering(t, server, WORKERS);
    const [victim] = t.random.shuffle([...before].filter((pid) => pid !== server.pid));
    t.ok(victim, "WORKERS was 3, but only the first process answered requests");
    process.kill(victim, "SIGKILL");
    await t.until(() => !server.family().includes(victim));
    const isReplaced = await t.until(
      async () => (await answering(t, server, WORKERS)).size >= WORKERS,
      SOON,
    );
    if (server.end) throw server.early();
    t.ok(
      isReplaced,
      `${time ? "another one" : "one"} of ${WORKERS} processes was killed, but was not replaced`,
      { saw: `${server.family().length - 1} processes`, wanted: WORKERS },
    );
  }
  server.signal("SIGTERM");
  await ended(t, server, "processes had been killed and replaced, and then SIGTERM was sent");
}

async function rolling(t, server) {
  const kept = clients(server, CLIENTS);
  const all = [...kept, ...clients(server, FRESH, false)];
  const going = all.map((client) => client.goOn());
  try {
    for (const what of ["SIGHUP was sent", "SIGHUP was sent for the second time"]) {
      const before = server.family().filter((pid) => pid !== server.pid);
      const half = await halves(t, server, UPLOADS);
      const lasts = kept.map(({ last }) => last);
      server.signal("SIGHUP");
      const isNew = () => server.family().some((pid) => ![server.pid, ...before].includes(pid));
      await t.until(() => server.end || isNew(), SOON);
      if (server.end) throw server.early();
      t.ok(isNew(), `${what}, but no new process was started`);
      // Each process from before has been told to leave when each client was told so, which a wrong drop may never do.
      await t.until(() => server.end || kept.every(({ last }, at) => last > lasts[at]), TOLD);
      if (server.end) throw server.early();
      await half.finish(`when ${what}`);
      const old = () => server.family().filter((pid) => before.includes(pid));
      await t.until(() => old().length === 0, 2 * SOON);
      t.ok(
        old().length === 0,
        `${what}, but ${(2 * SOON) / 1000} s later ${old().length} of the old processes were still running while clients kept sending requests on open connections`,
      );
      lostNone(t, all, what);
      const { size } = await answering(t, server, WORKERS);
      t.equal(
        size,
        WORKERS,
        `${what}, but afterwards the wrong number of processes answered requests`,
      );
    }
  } finally {
    for (const client of all) client.isOver = true;
  }
  await Promise.race([Promise.all(going), t.sleep(SOON)]);
  for (const client of all) client.leave();
  lostNone(t, all, "SIGHUP was sent twice");
}

function lostNone(t, all, what) {
  const lost = all.flatMap((client) => client.lost);
  const count = all.reduce((sum, { answers }) => sum + answers, 0);
  t.note("requests answered while processes were replaced", count);
  t.ok(
    lost.length === 0,
    `${all.length} clients were sending one request after another when ${what}, and ${lost.length} of ${lost.length + count} requests were lost`,
    { saw: [...new Set(lost)].join(", "), wanted: "a response to each" },
  );
  const cut = all.reduce((sum, client) => sum + client.cut, 0);
  t.ok(
    cut === 0,
    `${what}, and ${cut} persistent connections were closed without notice in the last response`,
    { wanted: "connection: close in the last response on each connection" },
  );
}

async function told(t, server) {
  const all = await followers(t, server, KEPT);
  try {
    const files = await stores(t, server, 20);
    const what = `20 files were stored by ${WORKERS} processes, each with its listeners`;
    await hear(t, all, files, what);
    server.signal("SIGHUP");
    await t.until(() => server.end || all.every(({ ends }) => ends > 0), 2 * SOON);
    if (server.end) throw server.early();
    const kept = all.filter(({ ends }) => ends === 0).length;
    t.ok(kept === 0, `SIGHUP was sent, but the responses to ${kept} listeners did not end`);
    t.ok(
      !all.some(({ isCut }) => isCut),
      "SIGHUP was sent, and a listener's response was cut off",
      {
        wanted: "the end of the response",
      },
    );
    files.push(...(await stores(t, server, 6)));
    await hear(
      t,
      all,
      files,
      "SIGHUP was sent, listeners reconnected, and six more files were stored",
    );
  } finally {
    for (const each of all) each.leave();
  }
}

async function answer(t, server, count) {
  const seen = await answering(t, server, count);
  const what = `WORKERS was ${count}`;
  if (seen.has(server.pid))
    t.miss(`${what}, but the process that was started first answered requests itself`, {
      saw: `${server.family().length} processes`,
      wanted: `${count} other processes that answer`,
    });
  t.equal(
    seen.size,
    count,
    `${what}, but requests were answered by a different number of processes`,
  );
}

export default {
  drained: (t) => see(t, (server) => drained(t, server)),
  grace: (t) => see(t, (server) => grace(t, server), { GRACE: "1200", IDLE: "500" }),

  async several(t) {
    const { ask, started } = await t.shared();
    for (const count of [WORKERS, 2])
      await see(t, (server) => answer(t, server, count), { WORKERS: String(count) });
    const alone = await started(t);
    await ask(t, alone, "/ping");
    t.ok(
      alone.family().length === 1,
      "WORKERS was not set, but there are several processes. There should be one, as before",
      { saw: alone.family().length, wanted: 1 },
    );
    await alone.stop();
  },

  replaced: (t) => see(t, (server) => replaced(t, server)),
  rolling: (t) => see(t, (server) => rolling(t, server)),
  told: (t) => see(t, (server) => told(t, server)),

  async still(t) {
    const { sixSteps, threeSteps } = await t.shared();
    await see(t, (server) => threeSteps(t, server));
    await sixSteps(t);
  },
};
