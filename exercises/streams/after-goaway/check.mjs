import http2 from "node:http2";

const { NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM, NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR } =
  http2.constants;

const student = (t) =>
  t.once("module", async () => {
    const module = await t.module();
    module.needs("post");
    return module;
  });

/** A server of the check: it notes connections and requests, and does with each what `way` says. */
async function served(way) {
  const sessions = [];
  const visits = [];
  const sockets = [];
  const server = http2.createServer();
  server.on("connection", (socket) => sockets.push(socket));
  server.on("session", (session) => {
    sessions.push(session);
    session.on("error", () => {});
  });
  server.on("stream", (stream, headers) => {
    const visit = {
      path: headers[":path"],
      method: headers[":method"],
      connection: sessions.indexOf(stream.session) + 1,
      stream,
      body: "",
    };
    visits.push(visit);
    stream.on("error", () => {});
    stream.setEncoding("utf8").on("data", (text) => {
      visit.body += text;
    });
    stream.on("end", () => way(visit, visits));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const close = () => {
    for (const session of sessions) session.destroy();
    server.close();
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, sessions, sockets, visits, close };
}

const answer = ({ stream, body }) => {
  if (stream.destroyed) return;
  stream.respond({ ":status": 200 });
  stream.end(`got ${body}`);
};

/** A call of `post` under way, and what came of it. */
function posted(module, origin, path, body) {
  const call = { path, body };
  call.over = module.call("post", origin, path, body).then(
    (text) => {
      call.outcome = { text };
    },
    (error) => {
      call.outcome = { error: error?.message || String(error) };
    },
  );
  return call;
}
const within = (promise, t, ms = 4000) => Promise.race([promise, t.sleep(ms)]);
const outcomeText = ({ outcome }) =>
  outcome ? (outcome.error ? `rejected: ${outcome.error}` : outcome.text) : "nothing yet";
const some = (t, count) => Array.from({ length: count }, () => [`/${t.token()}`, t.token()]);

export default {
  async shares(t) {
    const module = await student(t);
    const server = await served(answer);
    const calls = some(t, 8).map(([path, body]) => posted(module, server.origin, path, body));
    await within(Promise.all(calls.map(({ over }) => over)), t);
    for (const call of calls)
      t.equal(
        outcomeText(call),
        `got ${call.body}`,
        "a request did not get the response to its own body",
      );
    t.equal(
      server.visits.map(({ method }) => method),
      calls.map(() => "POST"),
      "not every request reached the server exactly once, as a POST",
    );
    t.equal(
      server.sessions.length,
      1,
      (saw) =>
        `${calls.length} simultaneous requests opened ${saw} connections, but they should share one`,
    );
    const other = await served(answer);
    const [[path, body]] = some(t, 1);
    const elsewhere = posted(module, other.origin, path, body);
    await within(elsewhere.over, t);
    t.equal(
      [outcomeText(elsewhere), other.visits.map((visit) => visit.path)],
      [`got ${body}`, [path]],
      "a connection to one server was open, and a request to another server did not get there, or got the wrong response",
    );
    other.close();
    server.close();
  },

  async drains(t) {
    const module = await student(t);
    const held = [];
    const server = await served((visit, visits) =>
      visits.length <= 3 ? held.push(visit) : answer(visit),
    );
    const old = some(t, 3).map(([path, body]) => posted(module, server.origin, path, body));
    await t.until(() => held.length === 3, 4000);
    t.ok(
      held.length === 3,
      "three requests were made, but the server did not have all three under way at the same time",
      {
        saw: held.length,
      },
    );
    for (const session of server.sessions) session.goaway(NGHTTP2_NO_ERROR, 2 ** 31 - 1);
    const before = server.sessions.length;
    // A client that has not read GOAWAY yet may still use the old connection; it reads in order, so an answer to a ping comes after it.
    const pings = server.sessions.map((session) => new Promise((done) => session.ping(done)));
    await Promise.race([Promise.all(pings), t.sleep(4000)]);
    await t.sleep(20);
    const [[path, body]] = some(t, 1);
    const fresh = posted(module, server.origin, path, body);
    await within(fresh.over, t);
    const late = server.visits.find((visit) => visit.path === path);
    t.equal(
      [outcomeText(fresh), late && late.connection > before],
      [`got ${body}`, true],
      "a request that was made after GOAWAY did not get its response over a new connection",
    );
    for (const visit of held) answer(visit);
    await within(Promise.all(old.map(({ over }) => over)), t);
    t.equal(
      old.map(outcomeText),
      old.map(({ body }) => `got ${body}`),
      "requests that were under way when GOAWAY arrived did not get their responses",
    );
    server.close();
  },

  async repeats(t) {
    const module = await student(t);
    const count = t.random.integer(8, 12);
    const processed = t.random.integer(2, 5);
    const server = await served((visit, visits) => {
      if (visit.connection > 1) return answer(visit);
      if (visits.filter(({ connection }) => connection === 1).length < count || server.left) return;
      if (!visits.every(({ stream }) => stream.readableEnded || stream.destroyed)) return;
      server.left = true;
      const [{ stream }] = visits;
      const kept = visits.slice(0, processed);
      stream.session.goaway(NGHTTP2_NO_ERROR, kept.at(-1).stream.id);
      setTimeout(() => kept.forEach(answer), 50);
    });
    const calls = some(t, count).map(([path, body]) => posted(module, server.origin, path, body));
    await within(Promise.all(calls.map(({ over }) => over)), t);
    const first = server.visits.slice(0, processed).map(({ path }) => path);
    const refused = calls.filter(({ path }) => !first.includes(path));
    const rejected = refused.filter(({ outcome }) => outcome?.error);
    t.ok(
      rejected.length === 0,
      `after GOAWAY, the server refused ${refused.length} of ${count} requests, but ${rejected.length} of them were rejected instead of being sent again successfully`,
      { saw: rejected.length > 0 ? outcomeText(rejected[0]) : "", wanted: "sent again" },
    );
    t.equal(
      refused.map(outcomeText),
      refused.map(({ body }) => `got ${body}`),
      "a refused request should be sent again with its body, but it did not get the response to that body",
    );
    const kept = calls.filter(({ path }) => first.includes(path));
    t.equal(
      kept.map(outcomeText),
      kept.map(({ body }) => `got ${body}`),
      "requests that were under way, and were not refused after GOAWAY, did not get their responses",
    );
    const times = (wanted) => server.visits.filter(({ path }) => path === wanted).length;
    t.equal(
      [
        Math.max(...kept.map(({ path }) => times(path))),
        Math.max(...refused.map(({ path }) => times(path))),
      ],
      [1, 2],
      "a request that was not refused was sent again, or a refused request was sent more than twice. The numbers show the most times that a request of each kind was sent: not refused, then refused",
    );
    t.equal(
      server.sessions.length,
      2,
      (saw) =>
        `the server saw ${saw} connections, but one before GOAWAY and one after it are enough`,
    );
    server.close();
  },

  async careful(t) {
    const module = await student(t);
    let cut = false;
    const server = await served((visit) => {
      if (cut) return answer(visit);
      visit.stream.respond({ ":status": 200 });
      visit.stream.write("half");
    });
    const calls = some(t, 3).map(([path, body]) => posted(module, server.origin, path, body));
    await t.until(() => server.visits.length === 3, 4000);
    await t.sleep(100); // so that the half has arrived; if it has not, the request is cut nevertheless
    cut = true;
    for (const socket of server.sockets) socket.destroy();
    await within(Promise.all(calls.map(({ over }) => over)), t);
    const again = calls.filter(
      (one) => server.visits.filter(({ path }) => path === one.path).length > 1,
    );
    t.ok(
      again.length === 0,
      `the connection was cut with ${calls.length} requests under way, and ${again.length} of them were sent twice, although the server may have processed them`,
    );
    const whole = calls.filter(({ outcome }) => outcome && !outcome.error);
    t.ok(
      whole.length === 0,
      "the connection was cut in the middle of a response, but the promise was resolved",
      { saw: whole.length > 0 ? outcomeText(whole[0]) : "", wanted: "rejected" },
    );
    t.ok(
      calls.every(({ outcome }) => outcome),
      "the connection was cut, but a promise was neither resolved nor rejected",
    );
    const [[path, body]] = some(t, 1);
    const next = posted(module, server.origin, path, body);
    await within(next.over, t);
    t.equal(
      outcomeText(next),
      `got ${body}`,
      "the connection was cut, and the next request did not get its response",
    );
    server.close();
    for (const code of [NGHTTP2_INTERNAL_ERROR, NGHTTP2_CANCEL]) {
      const broken = await served(({ stream }) => stream.close(code));
      const [[where, text]] = some(t, 1);
      const closed = posted(module, broken.origin, where, text);
      await within(closed.over, t);
      t.equal(
        broken.visits.length,
        1,
        "the server closed a stream with a code other than `NGHTTP2_REFUSED_STREAM`, but the request was not sent exactly once",
      );
      t.ok(
        closed.outcome?.error,
        "the server closed a stream without a response, but the promise was not rejected",
        { saw: outcomeText(closed) },
      );
      broken.close();
    }
  },

  async bounded(t) {
    const module = await student(t);
    const server = await served(({ stream }) => stream.close(NGHTTP2_REFUSED_STREAM));
    const [[path, body]] = some(t, 1);
    const call = posted(module, server.origin, path, body);
    await within(call.over, t, 3000);
    t.ok(
      server.visits.length <= 3,
      `the server refused a request each time, and it was sent ${server.visits.length} times, but it should be sent three times at most`,
      { wanted: "three times" },
    );
    t.equal(
      server.visits.length,
      3,
      "the server refused a request each time, but it was not sent exactly three times",
    );
    t.ok(
      call.outcome?.error,
      "a request was refused three times, but its promise was not rejected",
      {
        saw: outcomeText(call),
      },
    );
    server.close();
  },
};
