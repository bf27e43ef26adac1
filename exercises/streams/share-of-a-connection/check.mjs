import http from "node:http";
import http2 from "node:http2";

/** The upstream: each request waits there until it is answered or broken off. */
const behind = (t) =>
  t.once("behind", async () => {
    const visits = [];
    const server = http.createServer((request, response) => {
      const visit = { path: request.url, response, gone: false };
      response.on("error", () => {});
      response.once("close", () => {
        visit.gone = true;
      });
      visits.push(visit);
    });
    server.keepAliveTimeout = 0;
    server.unref();
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const of = (paths) => visits.filter(({ path }) => paths.includes(path));
    const answer = (path, status = 200, body = path) => {
      const visit = visits.find((one) => one.path === path && !one.response.writableEnded);
      visit?.response.writeHead(status).end(body);
    };
    const idle = () => visits.every(({ gone }) => gone);
    /** Sends the head and the first bytes of a response that goes on. */
    const begin = (path) => {
      const visit = visits.find((one) => one.path === path);
      visit?.response.writeHead(200).write("begins");
    };
    return { of, answer, begin, idle, url: `http://127.0.0.1:${server.address().port}` };
  });

const started = (t) =>
  t.once("server", async () => {
    const upstream = await behind(t);
    const server = await t.server({ env: { UPSTREAM: upstream.url } });
    return { server, upstream };
  });

/** One HTTP/2 connection, and what came of its requests. */
class Connection {
  static all = [];
  /** Opens one, after those of the criteria before have been closed. */
  static async open(t, port) {
    const connection = new Connection(port);
    Connection.all.push(connection);
    await t.until(() => connection.ready || connection.error, 2000);
    return connection;
  }
  static closeAll() {
    for (const connection of Connection.all.splice(0)) connection.close();
  }
  constructor(port) {
    this.session = http2.connect(`http://127.0.0.1:${port}`);
    this.session.on("error", ({ code }) => {
      this.error = code;
    });
    this.session.once("remoteSettings", () => {
      this.ready = true;
    });
    this.session.unref();
  }
  ask(path) {
    const call = { path, body: "" };
    let stream;
    try {
      stream = this.session.request({ ":path": path });
    } catch ({ code }) {
      return { ...call, error: code, over: Promise.resolve() };
    }
    call.stream = stream;
    stream.setEncoding("utf8");
    stream.on("response", (headers) => {
      call.status = headers[":status"];
    });
    stream.on("data", (text) => {
      call.body += text;
    });
    stream.on("error", ({ code }) => {
      call.error = code;
    });
    call.over = new Promise((resolve) => {
      stream.once("close", () => {
        call.done = true;
        resolve();
      });
    });
    return call;
  }
  giveUp(call) {
    call.stream?.close(http2.constants.NGHTTP2_CANCEL);
  }
  close() {
    this.session.destroy();
  }
}

const within = (promise, t, ms = 4000) => Promise.race([promise, t.sleep(ms)]);
const outcomeText = ({ status, body, error, done }) =>
  error ?? (done || status ? `${status ?? "no status"} ${body}`.trim() : "no response");
const words = (t, count) => Array.from({ length: count }, () => `/${t.token()}`);

/** Whether the server has seen all that was sent on a connection: it has answered a /health that was sent after it. */
async function seen(t, connection) {
  for (let time = 0; time < 2; time++) {
    const health = connection.ask("/health");
    await within(health.over, t, 2000);
    if (outcomeText(health) !== "200 ok") return health;
  }
  return null;
}

/** A connection on which so many more requests than allowed have come, with what the upstream has of them. */
async function filled(t, more) {
  const run = await started(t);
  const { server, upstream } = run;
  Connection.closeAll();
  await t.until(() => upstream.idle(), 500);
  const most = Number(t.parameters.most);
  const connection = await Connection.open(t, server.port);
  const paths = words(t, most + more);
  const calls = paths.map((path) => connection.ask(path));
  await t.until(() => upstream.of(paths).length >= most || server.end, 4000);
  if (server.end) throw server.early();
  const health = await seen(t, connection);
  await t.sleep(30);
  return { ...run, most, connection, paths, calls, health, came: () => upstream.of(paths) };
}

export default {
  async serves(t) {
    const { server, upstream } = await started(t);
    const connection = await Connection.open(t, server.port);
    const [path] = words(t, 1);
    for (const [own, status, body] of [
      [path, 200, t.token()],
      [`${path}?a=1`, 404, t.token()],
    ]) {
      const call = connection.ask(own);
      await t.until(() => upstream.of([own]).length > 0 || call.done || server.end, 4000);
      if (server.end) throw server.early();
      upstream.answer(own, status, body);
      await within(call.over, t);
      t.equal(
        outcomeText(call),
        `${status} ${body}`,
        "a client got a status or a body that differs from what the upstream had sent",
      );
    }
  },

  async bounds(t) {
    const { most, paths, calls, came, upstream } = await filled(t, 4);
    t.plot(
      "Requests of one connection that are at the upstream at the same time",
      [
        [0, 0],
        [paths.length, came().length],
      ],
      { x: "requests sent", y: "at the upstream" },
    );
    t.ok(
      came().length <= most,
      `${came().length} requests of one connection were at the upstream at the same time`,
      { saw: came().length, wanted: most },
    );
    const early = calls.find((one) => one.done);
    t.ok(
      !early,
      `a request that had to wait for its turn was answered with ${outcomeText(early ?? {})}`,
      {
        wanted: "a request that waits in the server, and goes to the upstream later",
      },
    );
    t.equal(
      came().length,
      most,
      "fewer requests of one connection were at the upstream than allowed, although more were waiting",
    );
    for (let at = 0; at < paths.length; at++) {
      upstream.answer(paths[at]);
      await within(calls[at].over, t);
      t.equal(
        outcomeText(calls[at]),
        `200 ${paths[at]}`,
        "a request that had waited, or one after it, was not answered with its own response",
      );
      const wanted = Math.min(at + 1 + most, paths.length);
      await t.until(() => came().length >= wanted, 2000);
      t.equal(
        came().map(({ path }) => path),
        paths.slice(0, wanted),
        "the requests did not go to the upstream one by one, in the order in which they arrived",
      );
    }
    const slow = await filled(t, 1);
    slow.upstream.begin(slow.paths[0]);
    await t.until(() => slow.calls[0].body === "begins", 2000);
    await t.sleep(50);
    t.equal(
      slow.came().length,
      slow.most,
      "a response of the upstream had begun but was not over, and the next request went to the upstream too early",
    );
  },

  async others(t) {
    const { server, upstream, health } = await filled(t, 3);
    t.ok(
      !health,
      "a connection had used its share of the upstream, but its /health got no response",
      {
        saw: health ? outcomeText(health) : "",
        wanted: "200 ok",
      },
    );
    const other = await Connection.open(t, server.port);
    const [path] = words(t, 1);
    other.ask(path);
    await t.until(() => upstream.of([path]).length > 0, 2000);
    t.ok(
      upstream.of([path]).length > 0,
      "one connection had used its share of the upstream, but a request of another connection had to wait",
      { wanted: "a share for each connection" },
    );
  },

  async leaves(t) {
    const { connection, paths, calls, came, most, upstream, health } = await filled(t, 3);
    t.ok(
      !health,
      "a connection had used its share, but the requests that had to wait did not reach the server, so its /health got no response",
    );
    const [next, given, last] = paths.slice(most);
    connection.giveUp(calls[most + 1]); // one that waits
    await seen(t, connection);
    connection.giveUp(calls[0]); // one that is with the upstream
    const [first] = came();
    await t.until(() => first?.gone, 2000);
    t.ok(
      first?.gone,
      "a client cancelled a request that was at the upstream, but the request there was not ended",
      { wanted: "a request that ends when its client cancels it" },
    );
    await t.until(() => upstream.of([next]).length > 0, 2000);
    t.ok(
      upstream.of([next]).length > 0,
      "a client cancelled a request that was at the upstream, but the next request did not get its turn",
    );
    upstream.answer(paths[1]);
    await within(calls[1].over, t);
    await t.until(() => upstream.of([given, last]).length > 0, 2000);
    t.ok(
      upstream.of([given]).length === 0,
      "a client cancelled a request while it waited, but the request was still sent to the upstream later",
    );
    t.equal(
      came().map(({ path }) => path),
      [...paths.slice(0, most), next, last],
      "after some requests were cancelled, the others did not each get their turn once, in order",
    );
  },

  async fails(t) {
    const { server, paths, calls, came, most, upstream } = await filled(t, 2);
    for (const [at, visit] of came().slice(0, 2).entries()) {
      visit.response.socket.destroy();
      await within(calls[at].over, t);
      if (server.end) throw server.early();
      t.equal(
        outcomeText(calls[at]),
        "502",
        "the upstream broke the connection before its headers, but the response was not a 502",
      );
    }
    const rest = paths.slice(most);
    await t.until(() => upstream.of(rest).length === 2, 2000);
    t.equal(
      upstream.of(rest).length,
      2,
      "the upstream broke two connections, but the two requests that waited did not get their turn",
    );
  },
};
