import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { createInterface } from "node:readline";

/**
 * A server, and a database that answers a query when it is told to. It answers a query that begins with `ok-` or `error-`
 * at once, with that word.
 */
async function started(t) {
  const queries = [];
  const open = new Set();
  const seen = { connections: 0, most: 0 };
  // It counts as broken at once: a new connection may come before the event of its close.
  const breaks = (socket) => {
    open.delete(socket);
    socket.destroy();
  };
  const database = net.createServer((socket) => {
    open.add(socket);
    seen.connections += 1;
    seen.most = Math.max(seen.most, open.size);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    const lines = createInterface({ input: socket }).on("error", () => {});
    lines.on("line", (name) => {
      const query = { name, answer: (word) => socket.write(`${word} ${name}\n`) };
      query.breaks = () => breaks(socket);
      queries.push(query);
      const [, word] = /^(ok|error)-/.exec(name) ?? [];
      if (word) query.answer(word);
    });
  });
  database.unref();
  database.listen(0, "127.0.0.1");
  await once(database, "listening");
  const { port } = database.address();
  const server = await t.server({ env: { DATABASE: String(port) } });

  /** What a client gets: status and text. */
  async function gets(name, situation, wanted) {
    const answer = await t.get(server, `/${name}`, { seconds: 6 });
    if (server.end) throw server.early();
    t.equal(answer.error ?? `${answer.status} ${answer.body}`, wanted, situation);
  }

  /** The query of that name, once the database has it. */
  async function comes(name, situation) {
    const its = () => queries.find((query) => query.name === name);
    await t.until(() => its() || server.end, 6000);
    if (server.end) throw server.early();
    t.ok(its(), `${situation}. The query of a request never reached the database`, {
      saw: `${open.size} connections, ${queries.length} queries`,
    });
    return its();
  }

  return {
    ...{ server, queries, open, seen, comes },
    ok: (situation, name = `ok-${t.token()}`) => gets(name, situation, `200 ${name}`),
    error: (situation, name = `error-${t.token()}`) => gets(name, situation, `500 ${name}`),
    gets,
    refuse: () =>
      new Promise((resolve) => {
        database.close(resolve);
        for (const socket of open) breaks(socket);
      }),
    async accept() {
      database.listen(port, "127.0.0.1");
      await once(database, "listening");
    },
  };
}

const names = (t, count) => Array.from({ length: count }, () => `held-${t.token()}`);

/** A request that waits for its answer; `over` is `STATUS TEXT`. */
function asking(server, name) {
  const request = http.get({
    host: "127.0.0.1",
    port: server.port,
    path: `/${name}`,
    agent: false,
  });
  const over = new Promise((resolve) => {
    request.on("error", ({ code }) => resolve(code));
    request.on("response", async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      resolve(`${response.statusCode} ${text}`);
    });
  });
  return { name, over, leave: () => request.destroy() };
}

/** Until the server has seen what was sent to it before: it answers what is no HTTP by itself. */
async function settled(server) {
  for (let time = 0; time < 2; time++) {
    const client = net.connect(server.port, "127.0.0.1").on("error", () => {});
    client.write("no HTTP\r\n\r\n");
    client.resume();
    await once(client, "close");
  }
}

/** Requests on one connection, so that the order in which they come is sure. */
function inOrder(server, wanted) {
  const client = net.connect(server.port, "127.0.0.1").on("error", () => {});
  client.resume();
  client.write(wanted.map((name) => `GET /${name} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
  return client;
}

export default {
  async right(t) {
    const { most } = t.parameters;
    const stage = await started(t);
    for (let at = 0; at < 2 * most; at++)
      await stage.ok(
        "the database answered a query with ok, but the client got the wrong response",
      );
    t.equal(
      stage.seen.connections,
      1,
      `${2 * most} requests arrived in turn, but more than one connection was opened`,
    );
    const wanted = names(t, most + 3);
    const client = inOrder(stage.server, wanted);
    const many = `${most + 3} requests arrived at once`;
    for (const name of wanted.slice(0, most)) await stage.comes(name, many);
    await settled(stage.server);
    const early = stage.queries.filter(({ name }) => wanted.includes(name)).length;
    t.equal(
      early,
      most,
      `${many}, and none was answered, but the database got the wrong number of queries`,
    );
    for (const [at, name] of wanted.entries()) {
      const query = await stage.comes(name, `${many}, of which ${at} had been answered`);
      if (at >= most) {
        const asked = stage.queries
          .map((each) => each.name)
          .filter((each) => wanted.includes(each));
        t.equal(
          asked.slice(0, at + 1).map((each) => wanted.indexOf(each) + 1),
          Array.from({ length: at + 1 }, (_, index) => index + 1),
          `${many}, but the database got their queries in the wrong order`,
        );
      }
      query.answer("ok");
    }
    client.destroy();
    t.equal(
      stage.seen.most,
      most,
      `${many}, but the number of connections at the same time was wrong`,
    );
    await stage.server.stop();
  },

  async answered(t) {
    const { most } = t.parameters;
    const stage = await started(t);
    for (let at = 0; at < 2 * most; at++)
      await stage.error(
        `the database answered a query with error, having answered ${at} before, but the client got the wrong response`,
      );
    await stage.ok(
      `the database had answered ${2 * most} queries with error, then one with ok, but the client of the last query got the wrong response`,
    );
    t.equal(
      stage.seen.connections,
      1,
      `${2 * most} queries in turn were answered with error, then one with ok, but more than one connection was opened`,
    );
    const all = names(t, 2 * most).map((name) => asking(stage.server, name));
    const held = () => stage.queries.filter(({ name }) => name.startsWith("held-"));
    const many = `${all.length} requests arrived at once`;
    for (let at = 0; at < all.length; at++) {
      const wanted = Math.min(at + most, all.length); // queries that have come by then
      await t.until(() => held().length >= wanted, 6000);
      t.ok(
        held().length >= wanted,
        `${many}, of which ${at} had been answered with error, but the database got too few queries`,
        { saw: held().length, wanted },
      );
      held()[at].answer("error");
    }
    for (const { name, over } of all)
      t.equal(
        await Promise.race([over, t.sleep(6000, "no response")]),
        `500 ${name}`,
        `the database answered ${all.length} queries with error, but a client got the wrong response`,
      );
    t.equal(
      stage.seen.connections,
      most,
      `${all.length} requests at once were answered with error, but the pool opened the wrong number of connections`,
    );
    await stage.server.stop();
  },

  async broken(t) {
    const { most } = t.parameters;
    const stage = await started(t);
    for (let at = 0; at < 2 * most; at++) {
      const [name] = names(t, 1);
      const request = asking(stage.server, name);
      const times = `of the connections so far, ${at} had been broken in the middle of a query`;
      (await stage.comes(name, times)).breaks();
      t.equal(
        await Promise.race([request.over, t.sleep(6000, "no response")]),
        "502 ",
        `${times}, and the request on the next connection that broke got the wrong response`,
      );
    }
    await stage.ok(
      `${2 * most} connections had been broken, each in the middle of a query, and the next request got the wrong response`,
    );

    const held = names(t, most).map((name) => asking(stage.server, name));
    const first = [];
    for (const { name } of held)
      first.push(await stage.comes(name, `${most} requests arrived at once`));
    const late = names(t, 2).map((name) => asking(stage.server, name));
    await settled(stage.server);
    for (const query of first) query.breaks();
    for (const { name, over } of late) {
      (
        await stage.comes(name, "requests were waiting in line when all connections were broken")
      ).answer("ok");
      t.equal(
        await Promise.race([over, t.sleep(6000, "no response")]),
        `200 ${name}`,
        "a request was waiting in line when all connections were broken, and it got the wrong response",
      );
    }

    for (const socket of stage.open) socket.end();
    await t.until(() => stage.open.size === 0);
    await settled(stage.server);
    await stage.ok(
      "the database had broken the connections that no request used, and the next request got the wrong response",
    );

    await stage.refuse();
    await settled(stage.server);
    for (let at = 0; at < 2 * most; at++)
      await stage.gets(
        `ok-${t.token()}`,
        "the database refused new connections, and a request got the wrong response",
        "502 ",
      );
    await stage.accept();
    await stage.ok(
      `the database had refused ${2 * most} connections and then accepted them again, but the next request got the wrong response`,
    );
    t.ok(
      stage.seen.most <= most,
      "there were more connections at the same time than the pool may have",
      {
        saw: stage.seen.most,
        wanted: most,
      },
    );
    await stage.server.stop();
  },

  async left(t) {
    const { most } = t.parameters;
    const stage = await started(t);
    const held = names(t, most).map((name) => asking(stage.server, name));
    const first = [];
    for (const { name } of held)
      first.push(await stage.comes(name, `${most} requests arrived at once`));
    const line = names(t, 3).map((name) => asking(stage.server, name));
    await settled(stage.server);
    const [leaves] = line;
    leaves.leave();
    await settled(stage.server);
    first[0].answer("ok");
    const situation =
      "one of three clients in line had left when a connection was given back, and the line was not served correctly";
    await t.until(() => stage.queries.length > most, 6000);
    const asked = stage.queries.slice(most).map(({ name }) => name);
    t.ok(asked.length > 0, `${situation}. No query reached the database`);
    t.ok(
      !asked.includes(leaves.name),
      `${situation}. The query of the client that had left was sent`,
    );
    for (const query of first.slice(1)) query.answer("ok");
    for (const { name, over } of line.slice(1)) {
      (await stage.comes(name, situation)).answer("ok");
      t.equal(await Promise.race([over, t.sleep(6000, "no response")]), `200 ${name}`, situation);
    }
    t.ok(
      !stage.queries.some(({ name }) => name === leaves.name),
      "the query of a client that had left was sent",
    );

    // Again, with all of a line, and while a query is under way.
    for (let time = 0; time < 2 * most; time++) {
      const [name] = names(t, 1);
      const gone = asking(stage.server, name);
      const query = await stage.comes(name, "clients had left while their queries were under way");
      gone.leave();
      await settled(stage.server);
      query.answer("ok");
    }
    await stage.ok(
      `${2 * most} clients had left while their queries were under way, and the next request got the wrong response`,
    );
    await stage.server.stop();
  },
};
