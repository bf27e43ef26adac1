import http from "node:http";

/** A server of its own, and the upstream behind it, which answers when it is told. */
async function started(t) {
  const visits = [];
  const behind = http.createServer((_request, response) => {
    response.on("error", () => {});
    const visit = {
      name: _request.url,
      over: false,
      answer(status = 200) {
        visit.over = true;
        response.writeHead(status).end(visit.name);
      },
      cut() {
        visit.over = true;
        response.destroy();
      },
    };
    visits.push(visit);
  });
  behind.unref();
  await new Promise((resolve) => behind.listen(0, "127.0.0.1", resolve));
  const server = await t.server({
    env: { UPSTREAM: `http://127.0.0.1:${behind.address().port}` },
  });
  const there = () => visits.filter(({ over }) => !over);
  return { server, visits, there };
}

/** Whatever was sent before has been read by then: each ping comes on a connection that was opened after it. */
async function settled(t, server) {
  for (let time = 0; time < 2; time++) {
    const { body, error } = await t.get(server, "/ping", { seconds: 3 });
    if (server.end) throw server.early();
    t.ok(
      !error && body.toString().startsWith("pong"),
      "`/ping` was not answered while other requests waited",
      {
        saw: error ?? body?.toString(),
      },
    );
  }
}

/** One client after another, each known to have come before the next. */
async function come(t, server, count) {
  const some = [];
  for (let i = 0; i < count; i++) {
    const one = { name: `/${t.token()}`, answer: null };
    some.push(one);
    one.request = http.get({ host: "127.0.0.1", port: server.port, path: one.name, agent: false });
    one.request.on("error", ({ code }) => {
      one.answer ??= { error: code };
    });
    one.request.on("response", (response) => {
      const { statusCode: status, headers } = response;
      let body = "";
      response.on("error", () => {});
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => {
        one.answer = { status, retry: headers["retry-after"], body };
      });
    });
    await new Promise((resolve) =>
      one.request.once("socket", (socket) => socket.once("connect", resolve)),
    );
    await settled(t, server);
  }
  return some;
}
const status = ({ answer }) => answer?.error ?? answer?.status ?? "no response";
const known = (some, names) => names.map((name) => some.findIndex((one) => one.name === name) + 1);

export default {
  async working(t) {
    const { working } = t.parameters;
    const { server, visits, there } = await started(t);
    const some = await come(t, server, working + 2);
    await t.until(() => visits.length >= working, 2000);
    await settled(t, server);
    const most = there().length;
    t.ok(
      most === working,
      most > working
        ? `${some.length} clients arrived, and ${most} of their requests were at the upstream at the same time`
        : `${some.length} clients arrived, but only ${most} of their requests were at the upstream, which has room for ${working}`,
      { saw: most, wanted: working },
    );
    there()[0].answer();
    await t.until(() => visits.length > working, 2000);
    t.ok(
      there().length <= working,
      "after one request was done, more requests were at the upstream than are allowed",
      {
        saw: there().length,
        wanted: working,
      },
    );
    await server.stop();
  },

  async waits(t) {
    const { working, waiting } = t.parameters;
    const { server, visits, there } = await started(t);
    const some = await come(t, server, working + waiting);
    const refused = some.filter((one) => one.answer);
    t.ok(
      refused.length === 0,
      `${working} requests were in progress and ${waiting} more arrived, which is as many as may wait, but ${refused.length} requests were refused`,
      { saw: refused.map(status) },
    );
    for (let i = 0; i < some.length; i++) {
      await t.until(() => there().length > 0, 2000);
      there()[0]?.answer();
      await t.until(() => some.filter((one) => one.answer).length > i, 2000);
      // The next one has begun before another place is given back: connections to the upstream overtake each other.
      await t.until(() => visits.length >= Math.min(i + 1 + working, some.length), 2000);
    }
    t.equal(
      known(
        some,
        visits.map(({ name }) => name),
      ),
      some.map((_, i) => i + 1),
      "waiting requests did not begin in the order in which they arrived",
    );
    const wrong = some.find(({ name, answer }) => answer?.status !== 200 || answer.body !== name);
    t.ok(!wrong, "a waiting client did not get the upstream's response", {
      saw: wrong && status(wrong),
    });
    await server.stop();
  },

  async refused(t) {
    const { working, waiting } = t.parameters;
    const { server } = await started(t);
    const all = await come(t, server, working + waiting + 2);
    const some = all.slice(-2);
    await t.until(() => some.every((one) => one.answer), 1500);
    const what = `${working} requests were in progress, ${waiting} waited, and two more arrived`;
    t.ok(
      some.every((one) => one.answer),
      `${what}. These two were not refused at once, but waited, although the waiting room was full`,
      { saw: some.map(status), wanted: [503, 503] },
    );
    t.equal(some.map(status), [503, 503], `${what}. These two should have been refused`);
    t.ok(
      some.every(({ answer }) => answer.retry),
      `${what}. Their 503 had no retry-after header`,
    );
    await server.stop();
  },

  async leaves(t) {
    const { working, waiting } = t.parameters;
    const { server, visits, there } = await started(t);
    const some = await come(t, server, working + waiting);
    const gone = some[working]; // the first of those who wait
    gone.request.destroy();
    await t.sleep(30); // its end travels by itself
    await settled(t, server);
    const [next] = await come(t, server, 1);
    for (let i = 0; i < working + waiting; i++) {
      await t.until(() => there().length > 0, 800);
      there()[0]?.answer();
    }
    await t.until(() => next.answer, 1500);
    t.ok(
      !visits.some(({ name }) => name === gone.name),
      "a client left while it waited, but its request still went to the upstream",
    );
    t.ok(
      next.answer?.status === 200,
      "a client left while it waited, but the next client to arrive did not get its slot",
      { saw: status(next), wanted: 200 },
    );
    await server.stop();
  },

  async fails(t) {
    const { working } = t.parameters;
    const { server, visits, there } = await started(t);
    const some = await come(t, server, working);
    await t.until(() => there().length === working, 2000);
    const broken = there();
    for (const [i, visit] of broken.entries()) i % 2 ? visit.answer(500) : visit.cut();
    await t.until(() => some.every((one) => one.answer) || server.end, 2000);
    if (server.end) throw server.early();
    t.equal(
      some.map(status),
      some.map(() => 502),
      "the upstream broke the connection or answered with a 500, but the clients did not get a 502",
    );
    const others = await come(t, server, working);
    await t.until(() => there().length === working, 2000);
    t.ok(
      there().length === working,
      `the upstream failed ${working} times, and after that only ${there().length} requests could be in progress, because a slot was not given back`,
      { saw: there().length, wanted: working },
    );
    for (const visit of there()) visit.answer();
    await t.until(() => others.every((one) => one.answer), 2000);
    t.ok(
      others.every(({ answer }) => answer?.status === 200),
      "after the upstream had failed, a later request was not answered",
    );
    t.note("requests that went to the upstream", visits.length);
    await server.stop();
  },
};
