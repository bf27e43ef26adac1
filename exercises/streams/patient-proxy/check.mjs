import http from "node:http";

const KIB = 1024;
const MIB = KIB * KIB;
const PIECE = 64 * KIB;
const LARGE = 64 * MIB; // two connections' buffers in the kernel hold a fraction of it
const LEAVING = 6;
const LONG = "60000";

/** The server behind the proxy: it does with each path what a criterion says, and remembers who came. */
const behind = (t) =>
  t.once("behind", async () => {
    const ways = new Map();
    const server = http.createServer((request, response) => {
      const visit = { request, response, gone: false };
      request.on("error", () => {});
      response.on("error", () => {});
      response.once("close", () => {
        visit.gone = true;
      });
      const way = ways.get(request.url);
      if (way) way(visit);
      else response.writeHead(404).end();
    });
    server.keepAliveTimeout = 0; // the proxy's connections stay as long as it wants them
    server.unref();
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const path = (t, way) => {
      const own = `/${t.token()}?a=${t.random.integer(1, 99)}&b=%20`;
      ways.set(own, way);
      return own;
    };
    return { path, url: `http://127.0.0.1:${server.address().port}` };
  });

const started = (t, name, TIMEOUT_MS) =>
  t.once(name, async () => {
    const upstream = await behind(t);
    const server = await t.server({ env: { UPSTREAM: upstream.url, TIMEOUT_MS } });
    return { server, upstream };
  });
const patient = (t) => started(t, "patient", LONG);

const within = (promise, t, ms = 5000) => Promise.race([promise, t.sleep(ms)]);

/** A request to the proxy, under way: what has come of its answer, and how that ended. */
class Asking {
  constructor(server, path, { method = "GET", headers = {}, paused = false } = {}) {
    this.bytes = 0;
    this.chunks = [];
    this.over = new Promise((resolve) => {
      const end = (how) => {
        this.ended ??= how;
        resolve(this.ended);
      };
      this.request = http.request({
        host: "127.0.0.1",
        port: server.port,
        path,
        method,
        headers: { connection: "keep-alive", ...headers },
        agent: false,
      });
      this.request.on("response", (response) => {
        this.response = response;
        this.status = response.statusCode;
        response.on("error", ({ code }) => end({ error: code }));
        response.on("end", () => end({ status: this.status }));
        if (!paused) this.read();
      });
      this.request.on("error", ({ code }) => end({ error: code }));
      this.request.on("close", () => end({ error: "closed" }));
    });
  }
  read() {
    this.response.on("data", (chunk) => {
      this.bytes += chunk.length;
      this.chunks.push(chunk);
    });
  }
  get text() {
    return Buffer.concat(this.chunks).toString();
  }
}

/** Something that pours until all is taken: how much that is, is in `taken`. */
function pour(stream, size, piece = Buffer.alloc(PIECE, "x")) {
  const state = { taken: 0 };
  const go = () => {
    while (state.taken < size && !stream.destroyed) {
      state.taken += piece.length;
      if (!stream.write(piece)) return stream.once("drain", go);
    }
    stream.end();
  };
  go();
  return state;
}

const said = ({ ended, status }) =>
  ended?.error ?? ended?.status ?? (status ? "no end" : "no response");

async function lives(t, { server, upstream }, when) {
  const word = t.token();
  const path = upstream.path(t, ({ response }) => response.end(word));
  const { status, body, error } = await t.get(server, path);
  if (error && (await t.until(() => server.end, 500))) throw server.early();
  t.equal(
    error ?? `${status} ${body}`,
    `200 ${word}`,
    `${when}, another request did not get its response`,
  );
}

/** Waits until nothing more is taken, though the proxy has answered others meanwhile, or until half is. */
async function stalls(t, run, state, half) {
  for (let last = -1; last !== state.taken && state.taken < half; ) {
    last = state.taken;
    for (let time = 0; time < 3; time++) await lives(t, run, "while a body was not being read");
    await t.until(() => state.taken >= half, 60);
  }
}

export default {
  async passes(t) {
    const run = await patient(t);
    const { server, upstream } = run;
    const [asked, first, second, half] = [t.token(), t.token(), t.token(), t.token()];
    const method = t.random.pick(["PUT", "POST", "PATCH"]);
    const status = t.random.pick([200, 201, 203, 404, 418, 500]);
    let visit;
    const path = upstream.path(t, (came) => {
      visit = came;
      visit.text = "";
      came.request.setEncoding("utf8").on("data", (text) => {
        visit.text += text;
      });
    });
    const asking = new Asking(server, path, { method, headers: { "content-type": "text/x-one" } });
    asking.request.write(half);
    await t.until(() => visit?.text === half || server.end, 4000);
    if (server.end) throw server.early();
    t.ok(
      visit?.text === half,
      "half of a body had been sent, but it did not reach the upstream before the other half",
      { saw: visit?.text ?? "no request", wanted: half },
    );
    asking.request.end(asked);
    await t.until(() => visit.request.readableEnded, 4000);
    const { request, response } = visit;
    t.equal(
      [request.method, request.headers["content-type"], visit.text],
      [method, "text/x-one", half + asked],
      "the upstream did not get the same method, content-type and body",
    );
    response.writeHead(status, { "content-type": "text/x-two" }).write(first);
    await t.until(() => asking.text === first, 4000);
    t.ok(
      asking.text === first,
      "the upstream had sent half of a response, but it did not reach the client before the other half",
      { saw: asking.text || "nothing", wanted: first },
    );
    response.end(second);
    await within(asking.over, t);
    t.equal(
      [said(asking), asking.response.headers["content-type"], asking.text],
      [status, "text/x-two", first + second],
      "the client did not get the same status, content-type and body as the upstream had sent",
    );
    await lives(t, run, "after a request that succeeded");
  },

  async flat(t) {
    const run = await patient(t);
    const { server, upstream } = run;
    const mib = (bytes) => `${Math.round(bytes / MIB)} MiB`;
    const stopped = (who, whom, { taken }) =>
      t.ok(
        taken < LARGE / 2,
        `${who} did not read, but ${whom} was not stopped after ${mib(taken)}, so the proxy keeps the bytes in memory`,
        { wanted: "only what fits into the buffers" },
      );

    let down = { taken: 0 };
    const answer = new Asking(
      server,
      upstream.path(t, ({ response }) => {
        response.writeHead(200);
        down = pour(response, LARGE);
      }),
      { paused: true },
    );
    answer.request.end();
    await t.until(() => down.taken > 0 || server.end, 4000);
    if (server.end) throw server.early();
    await stalls(t, run, down, LARGE / 2);
    t.note("sent to a client that did not read (MiB)", Math.round(down.taken / MIB));
    stopped("a client", "the upstream", down);
    await t.until(() => answer.response, 4000);
    answer.read();
    await within(answer.over, t, 15_000);
    t.equal(
      [said(answer), answer.bytes],
      [200, LARGE],
      "a client read nothing for a while and then continued to read, but did not get the right status and all bytes",
    );

    let visit;
    const upload = new Asking(
      server,
      upstream.path(t, (came) => {
        visit = came;
      }),
      { method: "POST" },
    );
    const up = pour(upload.request, LARGE);
    await t.until(() => visit || up.taken >= LARGE, 4000);
    await stalls(t, run, up, LARGE / 2);
    t.note("sent to an upstream that did not read (MiB)", Math.round(up.taken / MIB));
    stopped("the upstream", "a client", up);
    let bytes = 0;
    visit.request
      .on("data", (chunk) => {
        bytes += chunk.length;
      })
      .on("end", () => visit.response.end());
    await within(upload.over, t, 15_000);
    t.equal(
      [said(upload), bytes],
      [200, LARGE],
      "the upstream read nothing for a while and then continued to read, but the client did not get the right status, or the upstream did not get all bytes",
    );
  },

  async aborts(t) {
    const run = await patient(t);
    const { server, upstream } = run;
    for (const [when, options, way] of [
      ["before their responses began", {}, () => {}],
      [
        "in the middle of their responses",
        {},
        ({ response }) => response.writeHead(200).write("half"),
      ],
      ["in the middle of their uploads", { method: "POST" }, ({ request }) => request.resume()],
    ]) {
      const visits = [];
      const path = upstream.path(t, (visit) => {
        visits.push(visit);
        way(visit);
      });
      const clients = Array.from({ length: LEAVING }, () => new Asking(server, path, options));
      for (const { request } of clients)
        if (options.method) request.write("half");
        else request.end();
      // A proxy that collects has nothing to show yet; then its clients leave all the same.
      const under = () =>
        visits.length === LEAVING &&
        (!when.endsWith("responses") || clients.every((one) => one.bytes));
      await t.until(() => under() || server.end, visits.length ? 500 : 1500);
      if (server.end) throw server.early();
      for (const { request } of clients) request.destroy();
      await Promise.all(clients.map(({ over }) => over));
      const left = () => visits.filter(({ gone }) => !gone).length;
      await t.until(() => left() === 0, 3000);
      t.ok(
        left() === 0,
        `${LEAVING} clients left ${when}, but the requests of ${left()} of them to the upstream were not ended`,
        { wanted: "a request that ends when its client leaves" },
      );
      await lives(t, run, `after clients had left ${when}`);
    }
  },

  async breaks(t) {
    const run = await patient(t);
    const { server, upstream } = run;
    const early = upstream.path(t, ({ request }) => request.socket.destroy());
    const never = await t.get(server, early, { method: "POST", body: "x" });
    if (never.error && (await t.until(() => server.end, 500))) throw server.early();
    t.equal(
      never.error ?? never.status,
      502,
      "the upstream broke the connection before its headers, but the response was not a 502",
    );

    let visit;
    const asking = new Asking(
      server,
      upstream.path(t, (came) => {
        visit = came;
        came.response.writeHead(200).write("half");
      }),
    );
    asking.request.end();
    await t.until(() => asking.bytes > 0, 1500);
    t.ok(visit, "a request did not reach the upstream");
    visit.response.destroy();
    await within(asking.over, t, 4000);
    if (await t.until(() => server.end, 100)) throw server.early();
    t.ok(
      asking.ended,
      "the upstream broke the connection in the middle of its response, but the client is still waiting for the rest",
      {
        wanted: "a connection that is cut",
      },
    );
    t.ok(
      asking.ended.error || asking.status === 502,
      "the upstream broke the connection in the middle of its response, but the response ended as if it were whole",
      { saw: `${said(asking)}, ${asking.bytes} bytes`, wanted: "a connection that is cut" },
    );
    await lives(t, run, "after the upstream had broken a connection");

    const closed = http.createServer();
    await new Promise((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address();
    await new Promise((resolve) => closed.close(resolve));
    const alone = await t.server({
      env: { UPSTREAM: `http://127.0.0.1:${port}`, TIMEOUT_MS: LONG },
    });
    for (const method of ["GET", "POST"]) {
      const { error, status } = await t.get(alone, "/", { method });
      if (error && (await t.until(() => alone.end, 500))) throw alone.early();
      t.equal(error ?? status, 502, "nothing listens at UPSTREAM, but the response was not a 502");
    }
  },

  async "times-out"(t) {
    const timeout = t.random.integer(700, 900);
    const run = await started(t, "strict", String(timeout));
    const { server, upstream } = run;
    await lives(t, run, "at the start");
    let asking;
    // On a busy machine even headers that are sent at once may be late.
    for (let time = 0; time < 3 && (!asking || asking.status === 504); time++) {
      let visit;
      asking = new Asking(
        server,
        upstream.path(t, (came) => {
          visit = came;
          came.response.writeHead(200).write("one");
        }),
      );
      asking.request.end();
      await t.until(() => visit, 1500);
      await t.until(() => asking.status, 300);
      let silent;
      const late = await t.get(
        server,
        upstream.path(t, (came) => {
          silent = came;
        }),
        { seconds: 6 },
      );
      if (late.error && (await t.until(() => server.end, 500)))
        t.miss(
          "the server ended with an error when the time for headers was up in the middle of a body",
          {
            saw: server.early().message,
          },
        );
      t.equal(
        late.error ?? late.status,
        504,
        `with TIMEOUT_MS=${timeout}, the upstream sent no headers, but the response was not a 504`,
      );
      t.ok(
        late.ms > timeout - 20,
        `a 504 arrived too early, after ${Math.round(late.ms)} ms, with TIMEOUT_MS=${timeout}`,
      );
      await t.until(() => !silent || silent.gone, 3000);
      t.ok(
        !silent || silent.gone,
        "a client got a 504, but the request to the upstream was not ended",
        {
          wanted: "a request that ends at the time-out",
        },
      );
      // The time of the first one, which had its headers, is over as well: it was asked before.
      visit?.response.end("two");
      await within(asking.over, t);
    }
    t.ok(
      asking.ended?.status === 200 && asking.text === "onetwo",
      "the headers had arrived in time, but the time-out fired in the middle of a body",
      { saw: `${said(asking)}, ${asking.text || "no bytes"}`, wanted: "200, onetwo" },
    );
    await lives(t, run, "after a time-out");
  },
};
