import http from "node:http";

const KIB = 1024;
const MIB = KIB * KIB;
const AT_ONCE = 8;
const ROUNDS = 4;
const BREAKS_AT = 200 * KIB;

/** A server of its own, with a text, one that is long, and two that are none. */
async function started(t) {
  const server = await t.server({ env: { FOLDER: "." } });
  const text = Buffer.from(t.token().repeat(t.random.integer(9_000, 12_000)));
  const long = Buffer.alloc(8 * MIB, t.token());
  const broken = Buffer.from(long.subarray(0, MIB));
  broken[BREAKS_AT + t.random.integer(0, KIB)] = 0;
  server.put("text.txt", text);
  server.put("long.txt", long);
  server.put("broken.txt", broken);
  return { server, text };
}

const shared = (t) => t.once("server", () => started(t));
const open = (server) => Object.values(server.descriptors());
const files = (server) => open(server).filter((target) => target.endsWith(".txt")).length;
const serving = (t, server, path) => t.get(server, path, { seconds: 4 });

async function lives(t, { server, text }, when) {
  const { body, error } = await serving(t, server, "/text.txt");
  if (error && (await t.until(() => server.end, 500))) throw server.early();
  t.ok(!error && body.equals(text), `${when}, a text file did not arrive in full`, {
    saw: error ?? `${body.length} bytes`,
  });
}

/** Asks for the long text and leaves when its first bytes have come. */
const leave = (server) =>
  new Promise((resolve) => {
    const asking = http.get({
      host: "127.0.0.1",
      port: server.port,
      path: "/long.txt",
      agent: false,
    });
    asking.on("response", (response) =>
      response.once("data", () => asking.destroy()).on("error", () => {}),
    );
    asking.on("error", () => {}).on("close", resolve);
  });

/** Rounds of requests that fail, and what they leave open. */
async function failing(t, title, ask) {
  const run = await started(t);
  const { server } = run;
  await lives(t, run, "before any failure");
  const before = open(server).length;
  const points = [[0, 0]];
  for (let round = 1; round <= ROUNDS; round++) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => ask(server)));
    if (server.end) throw server.early();
    await t.until(() => open(server).length <= before, 300);
    points.push([round * AT_ONCE, open(server).length - before]);
  }
  const requests = ROUNDS * AT_ONCE;
  await t.until(() => open(server).length <= before, 1500);
  t.plot("Descriptors left open by requests that fail", points, {
    x: "failed requests",
    y: "descriptors",
    of: title,
  });
  const left = open(server).length - before;
  return { run, left, requests, files: files(server) };
}

export default {
  async whole(t) {
    const { server, text } = await shared(t);
    const { status, body, error } = await serving(t, server, "/text.txt");
    t.equal(error ?? status, 200, "a text file was not answered with 200");
    t.ok(body.equals(text), `a text file of ${text.length} bytes arrived with the wrong bytes`, {
      saw: `${body.length} bytes`,
      wanted: `${text.length} bytes`,
    });
    const missing = await serving(t, server, `/${t.token()}.txt`);
    t.equal(
      missing.error ?? missing.status,
      404,
      "a request for a file that does not exist was not answered with 404",
    );
    await lives(t, { server, text }, "after a 404");
  },

  async told(t) {
    const run = await shared(t);
    const { error, status, body } = await serving(t, run.server, "/broken.txt");
    if (run.server.end) throw run.server.early();
    t.ok(
      error !== "timeout",
      "the step failed, but the response never ended, so the client is still waiting for the rest",
      { wanted: "a connection that is cut" },
    );
    t.ok(
      error,
      `the step failed in the middle of a file, but the response ended as if it were whole`,
      {
        saw: `${status}, ${body?.length} bytes`,
        wanted: "a connection that is cut",
      },
    );
    await lives(t, run, "after a failure");
  },

  async breaks(t) {
    const { run, left, requests, files } = await failing(t, "the step fails", (server) =>
      t.get(server, "/broken.txt", { seconds: 1 }),
    );
    t.ok(left <= 0, `the step failed ${requests} times, and ${files} files are still open`, {
      saw: `${left} more descriptors`,
      wanted: "0 more",
    });
    await lives(t, run, `after ${requests} failures`);
  },

  async leaves(t) {
    const { run, left, requests, files } = await failing(t, "the client leaves", leave);
    t.ok(
      left <= 0,
      `${requests} clients left in the middle of their responses, and ${files} files are still open`,
      { saw: `${left} more descriptors`, wanted: "0 more" },
    );
    await lives(t, run, `after ${requests} clients had left`);
  },
};
