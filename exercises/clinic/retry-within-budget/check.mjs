import http from "node:http";
import { text } from "node:stream/consumers";

/** A server, and an upstream that answers each name by a plan: statuses in turn, the last one again and again; 0 breaks. */
async function started(t) {
  const plans = new Map();
  const visits = [];
  const gates = new Map();
  const behind = http.createServer(async (request, response) => {
    const name = request.url.slice(1);
    const body = await text(request);
    visits.push({ name, method: request.method, body });
    const plan = plans.get(name) ?? [404];
    const status = plan.length > 1 ? plan.shift() : plan[0];
    await gates.get(name);
    if (status === 0) return request.socket.destroy();
    response.writeHead(status).end(`${status} ${name} ${body}`);
  });
  behind.keepAliveTimeout = 600_000;
  behind.unref();
  await new Promise((resolve) => behind.listen(0, "127.0.0.1", resolve));
  const server = await t.server({ env: { UPSTREAM: `http://127.0.0.1:${behind.address().port}` } });

  /** What a client gets, as text, and how often the upstream was asked for it. */
  async function asks(plan, { method = "GET", body, gate } = {}) {
    const name = t.token();
    plans.set(name, [...plan]);
    if (gate) gates.set(name, gate);
    const answer = await t.get(server, `/${name}`, { method, body, seconds: 10 });
    if (server.end) throw server.early();
    return {
      got: answer.error ?? `${answer.status} ${answer.body}`,
      wants: (status) => (status ? `${status} ${status} ${name} ${body ?? ""}` : "502 "),
      times: visits.filter((visit) => visit.name === name).length,
      bodies: visits.filter((visit) => visit.name === name).map((visit) => visit.body),
    };
  }
  return { server, asks, visits };
}

/** Requests in turn that only get 503: how often the upstream was asked beyond once for each. */
async function retriesOf({ asks }, requests) {
  let retries = 0;
  for (let at = 0; at < requests; at++) retries += (await asks([503])).times - 1;
  return retries;
}

const good = async ({ asks }, answers) => {
  for (let at = 0; at < answers; at++) await asks([at % 3 ? 200 : 404]);
};

export default {
  async passed(t) {
    const { asks, server } = await started(t);
    for (const status of [200, 404, 429, 500, 504]) {
      const { got, wants, times } = await asks([status, 200]);
      t.equal(
        times,
        1,
        `the upstream answered a GET with ${status}, but did not get the request exactly once`,
      );
      t.equal(
        got,
        wants(status),
        `the upstream answered a GET with ${status}, but the client got the wrong response`,
      );
    }
    for (const status of [201, 503, 0]) {
      const what = status ? `answered a POST with ${status}` : "broke the connection of a POST";
      const { got, wants, times, bodies } = await asks([status, 201], {
        method: "POST",
        body: t.token(),
      });
      t.equal(
        times,
        1,
        `the upstream ${what}, which may have had its effect, but the upstream did not get the request exactly once`,
      );
      t.equal(got, wants(status), `the upstream ${what}, but the client got the wrong response`);
      t.equal(bodies.length, 1, "a POST did not reach the upstream exactly once");
    }
    await server.stop();
  },

  async again(t) {
    const { store } = t.parameters;
    const { asks, server } = await started(t);
    const plans = t.random.shuffle([
      [503, 200],
      [0, 200],
      [503, 503, 200],
      [0, 0, 200],
    ]);
    for (const plan of plans.slice(0, store)) {
      const what = plan.slice(0, -1).map((status) => status || "a broken connection");
      const { got, wants, times } = await asks(plan);
      t.equal(
        times,
        2,
        `the upstream was to answer a GET with ${what.join(", ")}, then with 200, but did not get the request exactly twice`,
      );
      t.equal(
        got,
        wants(plan[1]),
        `the upstream answered a GET first with ${what.join(", ")}, but the client got the wrong response after the retry`,
      );
    }
    await server.stop();
  },

  async storm(t) {
    const { store } = t.parameters;
    const inTurn = await started(t);
    const many = 4 * store;
    t.equal(
      await retriesOf(inTurn, many),
      store,
      `${many} requests arrived in turn, and the upstream answered all with 503, but it got the wrong number of retries`,
    );
    await inTurn.server.stop();

    const { asks, visits, server } = await started(t);
    let open;
    const gate = new Promise((resolve) => {
      open = resolve;
    });
    const all = Array.from({ length: many }, () => asks([503], { gate }));
    const came = await t.until(() => visits.length >= many, 5000);
    t.ok(
      came,
      `${many} clients sent requests at once, but the upstream did not get all of their requests`,
      {
        saw: visits.length,
      },
    );
    open();
    await Promise.all(all);
    t.equal(
      visits.length - many,
      store,
      `${many} requests were under way at once when the upstream began to answer with 503, but it got the wrong number of retries`,
    );
    await server.stop();
  },

  async earned(t) {
    const { store, every } = t.parameters;
    const stage = await started(t);
    await retriesOf(stage, store + 1);
    await good(stage, every - 1);
    t.equal(
      await retriesOf(stage, 1),
      0,
      `the budget was used up, then ${every - 1} good responses arrived, but the number of retries after that was wrong`,
    );
    await good(stage, 1);
    t.equal(
      await retriesOf(stage, 3),
      1,
      `the budget was used up, then ${every} good responses arrived, but the number of retries after that was wrong`,
    );
    await good(stage, 2 * every);
    t.equal(
      await retriesOf(stage, 4),
      2,
      `the budget was used up, then ${2 * every} good responses arrived, but the number of retries after that was wrong`,
    );
    await good(stage, (store + 3) * every);
    t.equal(
      await retriesOf(stage, store + 4),
      store,
      `${(store + 3) * every} good responses arrived, but the number of retries after that was wrong`,
    );
    await stage.server.stop();
  },
};
