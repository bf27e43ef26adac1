import http from "node:http";

const PIECE = Buffer.alloc(16_384, "é");

/** An upstream that answers each path once, in a way of the check's own, and counts connections. */
const behind = (t) =>
  t.once("behind", async () => {
    const ways = new Map();
    const seen = { connections: 0 };
    const server = http.createServer((request, response) => {
      response.on("error", () => {});
      const visit = { response, over: false, finished: false };
      response.once("finish", () => (visit.finished = true));
      response.once("close", () => (visit.over = true));
      ways.get(request.url)?.(visit);
    });
    server.on("connection", () => (seen.connections += 1));
    server.keepAliveTimeout = 600_000;
    server.unref();
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const path = (way) => {
      const name = `/${t.token()}`;
      ways.set(name, way);
      return name;
    };
    return { seen, path, url: `http://127.0.0.1:${server.address().port}` };
  });
const started = (t) =>
  t.once("server", async () => {
    const upstream = await behind(t);
    const server = await t.server({ env: { UPSTREAM: upstream.url } });
    return { server, ...upstream };
  });

/** What the client gets, and the visit to the upstream. */
async function asks(t, stage, way) {
  const stay = {};
  const path = stage.path((visit) => {
    stay.visit = visit;
    way(visit.response);
  });
  const answer = await t.get(stage.server, path, { seconds: 4 });
  if (answer.error && (await t.until(() => stage.server.end, 300))) throw stage.server.early();
  return { ...stay, answer, got: answer.error ?? `${answer.status} ${answer.body}` };
}

const MOST_POURED = 256 << 20; // bytes; then a body without an end pauses

/** Sends piece after piece, as the client takes them; the number of bytes is in `taken`. */
function pour(response, size) {
  const state = { taken: 0 };
  const most = Math.min(size, MOST_POURED);
  const go = () => {
    while (state.taken < most && !response.destroyed) {
      state.taken += PIECE.length;
      if (!response.write(PIECE)) return response.once("drain", go);
    }
    if (!response.destroyed && most === size) response.end();
  };
  go();
  return state;
}

const inPieces = async (t, response, bytes, pieces) => {
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += size) {
    response.write(bytes.subarray(at, at + size));
    await t.sleep(40);
  }
  response.end();
};

export default {
  async same(t) {
    const stage = await started(t);
    const { most } = t.parameters;
    const short = `${t.token()} é`;
    const whole = await asks(t, stage, (response) => response.end(short));
    t.equal(
      whole.got,
      `200 ${short}`,
      "a body was shorter than the preview, but the response is wrong",
    );
    const long = Buffer.from(`${t.token()} ${"é".repeat(2 * most)}`);
    const first = `200 ${long.subarray(0, most)}`;
    const many = await asks(t, stage, (response) =>
      inPieces(t, response, long.subarray(0, most - 10), 3),
    );
    t.equal(
      many.got,
      `200 ${long.subarray(0, most - 10)}`,
      "a body that was shorter than the preview arrived in several chunks, but the response is wrong",
    );
    const cut = await asks(t, stage, (response) => response.end(long));
    const long200 = "a body was longer than the preview";
    t.equal(
      Buffer.byteLength(cut.got),
      Buffer.byteLength(first),
      `${long200}, but the status and the body of the response have the wrong number of bytes`,
    );
    t.equal(t.digest(cut.got), t.digest(first), `${long200}, but the response has the wrong bytes`);
    const none = await asks(t, stage, (response) => response.end());
    t.equal(none.got, "200 ", "a body was empty, but the response is wrong");
    for (const status of t.random.shuffle([201, 404, 503]))
      t.equal(
        (await asks(t, stage, (response) => response.writeHead(status).end("some words"))).got,
        `${status} `,
        "the upstream's status was not 200 and its body had some text, but the response is wrong",
      );
    const elsewhere = stage.path(({ response }) => response.end("of the other path"));
    const redirected = await asks(t, stage, (response) =>
      response.writeHead(302, { location: elsewhere }).end(),
    );
    t.equal(
      redirected.got,
      "302 ",
      "the upstream answered with a redirect, which is a status other than 200, but the response is wrong",
    );
  },

  async freed(t) {
    const stage = await started(t);
    const { most } = t.parameters;
    const open = { wanted: "it ends as soon as the server has what it needs" };
    for (const size of [32 << 20, Number.POSITIVE_INFINITY]) {
      const what = size < Number.POSITIVE_INFINITY ? "was 32 MiB long" : "did not end";
      let state;
      const { got, visit } = await asks(t, stage, (response) => {
        state = pour(response, size);
      });
      t.ok(
        !/time|hang|reset/i.test(got.slice(0, 40)),
        `a body ${what}, and the client got no response`,
        {
          saw: got.slice(0, 40),
          wanted: "the first bytes",
        },
      );
      t.equal(
        got.slice(0, 40),
        `200 ${"é".repeat(36)}`,
        `a body ${what}, but the response does not begin with its first bytes`,
      );
      t.equal(
        Buffer.byteLength(got) - 4,
        most,
        `a body ${what}, but the response has the wrong number of bytes`,
      );
      await t.until(() => visit.over, 2500);
      t.ok(
        visit.over,
        `a body ${what}. The client got its response, but the upstream's response stayed open`,
        open,
      );
      t.ok(state.taken < 24 << 20, `a body ${what}, and the server fetched too much of it`, {
        saw: `${state.taken >> 20} MiB`,
        wanted: "what the buffers hold, and no more",
      });
    }
    for (const status of t.random.shuffle([404, 500, 201])) {
      const { got, visit } = await asks(t, stage, (response) =>
        pour(response.writeHead(status), 16 << 20),
      );
      t.equal(
        got,
        `${status} `,
        `the upstream answered ${status} with a body of 16 MiB, but the response is wrong`,
      );
      await t.until(() => visit.over, 2500);
      t.ok(
        visit.over,
        `the upstream answered ${status}, and its response, whose body is not needed, stayed open`,
        open,
      );
    }
  },

  async again(t) {
    const stage = await started(t);
    const before = stage.seen.connections;
    const times = 12;
    for (let n = 0; n < times; n++) {
      const word = t.token();
      const { got } = await asks(t, stage, (response) => response.end(word));
      t.equal(got, `200 ${word}`, "a body was shorter than the preview, but the response is wrong");
    }
    const connections = stage.seen.connections - before;
    t.ok(
      connections <= 4,
      `${times} short bodies were requested one after another, but that took too many connections`,
      {
        saw: connections,
        wanted: "a few connections, which are reused",
      },
    );
  },

  async broken(t) {
    const stage = await started(t);
    const { most } = t.parameters;
    const never = await asks(t, stage, (response) => response.socket.destroy());
    t.equal(
      never.got,
      "502 ",
      "the upstream broke the connection before its headers, but the response is wrong",
    );
    for (const bytes of [most - 1, 1]) {
      const half = await asks(t, stage, async (response) => {
        response.writeHead(200, { "content-length": 2 * most }).write(Buffer.alloc(bytes, "x"));
        await t.sleep(60);
        response.destroy();
      });
      t.equal(
        half.got,
        "502 ",
        `the upstream broke the connection after ${bytes} bytes, in the middle of a short body, but the response is wrong`,
      );
    }
    const word = t.token();
    const { got } = await asks(t, stage, (response) => response.end(word));
    t.equal(
      got,
      `200 ${word}`,
      "a request that came after a broken connection got the wrong response",
    );

    const closed = http.createServer();
    await new Promise((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address();
    await new Promise((resolve) => closed.close(resolve));
    const alone = await t.server({ env: { UPSTREAM: `http://127.0.0.1:${port}` } });
    const { error, status } = await t.get(alone, "/a", { seconds: 4 });
    if (error && (await t.until(() => alone.end, 300))) throw alone.early();
    t.equal(error ?? status, 502, "nothing listens at UPSTREAM, but the response is wrong");
  },
};
