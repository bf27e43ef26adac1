import http from "node:http";

/** A server of its own and an upstream that answers when it is told; `/now-…` is answered at once. */
async function started(t) {
  const visits = [];
  const behind = http.createServer((request, response) => {
    const visit = { name: request.url.slice(1), gone: false };
    visit.answer = () => response.end(visit.name);
    response.on("error", () => {});
    response.once("close", () => {
      visit.gone = !response.writableFinished;
    });
    visits.push(visit);
    if (visit.name.startsWith("now-")) visit.answer();
  });
  behind.unref();
  await new Promise((resolve) => behind.listen(0, "127.0.0.1", resolve));
  const server = await t.server({ env: { UPSTREAM: `http://127.0.0.1:${behind.address().port}` } });
  const comes = async (name) => {
    await t.until(() => visits.some((one) => one.name === name) || server.end, 3000);
    if (server.end) throw server.early();
    const visit = visits.find((one) => one.name === name);
    t.ok(
      visit,
      "the upstream was not asked for a part of a report, although the report's client was still there",
      {
        saw: `${visits.length} requests`,
      },
    );
    return visit;
  };
  return { server, visits, comes };
}

/** A report under way, on a connection that could stay open. */
function asking(server, names, agent = new http.Agent({ keepAlive: true })) {
  const one = { names, answer: null, agent };
  one.over = new Promise((resolve) => {
    const done = (answer) => {
      one.answer ??= answer;
      resolve(one.answer);
    };
    one.request = http.request(
      { host: "127.0.0.1", port: server.port, path: "/report", method: "POST", agent },
      (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (text) => {
          body += text;
        });
        response.on("end", () => done({ status: response.statusCode, body }));
        response.on("error", ({ code }) => done({ error: code }));
      },
    );
    one.request.on("error", ({ code }) => done({ error: code }));
    one.request.end(names.join("\n"));
  });
  one.told = (t, ms = 3000) => Promise.race([one.over, t.sleep(ms, { error: "no response" })]);
  one.leave = () => one.request.destroy();
  return one;
}
const names = (t, count, kind = "held") =>
  Array.from({ length: count }, () => `${kind}-${t.token()}`);

async function whole(t, server, when, agent) {
  const one = asking(server, names(t, 4, "now"), agent);
  const { status, body, error } = await one.told(t);
  if (error && (await t.until(() => server.end, 300)))
    t.miss(
      `${when}, the server died. An abort rejects every promise that depends on it, so handle these rejections`,
      {
        saw: server.stderr,
      },
    );
  t.equal(
    error ?? `${status} ${body}`,
    `200 ${one.names.join("")}`,
    `${when}, a report whose client waited for it did not arrive in full`,
  );
  return one;
}

/** A client leaves while the second of four parts is under way. */
const left = (t) =>
  t.once("left", async () => {
    const { server, visits, comes } = await started(t);
    const one = asking(server, names(t, 4));
    (await comes(one.names[0])).answer();
    const second = await comes(one.names[1]);
    one.leave();
    return { server, visits, comes, one, second };
  });

export default {
  async whole(t) {
    const { server, comes } = await started(t);
    const one = await whole(t, server, "before any client left");
    await whole(t, server, "on a connection that had been used before", one.agent);
    const slow = asking(server, names(t, 3));
    for (const name of slow.names) {
      const visit = await comes(name);
      await t.sleep(20);
      t.ok(
        !visit.gone,
        "a client was waiting for its report, but a request to the upstream was aborted",
      );
      visit.answer();
    }
    const { status, body, error } = await slow.told(t);
    t.equal(
      error ?? `${status} ${body}`,
      `200 ${slow.names.join("")}`,
      "a slow report did not arrive in full",
    );
    await server.stop();
  },

  async aborted(t) {
    const { second } = await left(t);
    t.ok(
      await t.until(() => second.gone, 2500),
      "a client had left, but 2.5 s later the request to the upstream was still under way",
      { wanted: "it is aborted when the client leaves" },
    );
  },

  async "no-more"(t) {
    const { server, visits, one, second } = await left(t);
    await t.until(() => second.gone, 300);
    second.answer(); // whoever still waits for it can go on now
    await whole(t, server, "after a client had left");
    await whole(t, server, "after a client had left");
    const more = visits.filter(({ name }) => one.names.indexOf(name) > 1).length;
    t.ok(more === 0, "a client had left, but further parts of its report were requested", {
      saw: more,
      wanted: 0,
    });
  },

  async others(t) {
    const { server, comes } = await started(t);
    const [stays, leaves] = [asking(server, names(t, 2)), asking(server, names(t, 2))];
    const first = await comes(stays.names[0]);
    await comes(leaves.names[0]);
    leaves.leave();
    await t.sleep(100);
    await whole(t, server, "after another client had left");
    if (server.end) throw server.early();
    t.ok(!first.gone, "one client left, and another client's request to the upstream was aborted");
    first.answer();
    (await comes(stays.names[1])).answer();
    const { status, body, error } = await stays.told(t);
    t.equal(
      error ?? `${status} ${body}`,
      `200 ${stays.names.join("")}`,
      "one client left, and another client's report, which was under way, did not arrive in full",
    );
    // Again and again: a server that dies of it would have died by now.
    for (let time = 0; time < 5; time++) {
      const one = asking(server, names(t, 1));
      await comes(one.names[0]);
      one.leave();
    }
    await t.sleep(50);
    await whole(t, server, "after five clients had left");
    await server.stop();
  },
};
