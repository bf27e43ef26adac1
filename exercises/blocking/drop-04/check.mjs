import { mkdirSync, symlinkSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";

const started = (t, which = "server") => t.once(which, async () => (await t.shared()).loaded(t));

/** The list of the drop behind a name, held to its form. */
async function list(t, server, after) {
  const { ask, has } = await t.shared();
  const query = after === undefined ? "" : `?after=${encodeURIComponent(after)}`;
  const answer = await ask(t, server, `/files${query}`);
  has(t, answer, 200);
  const type = String(answer.headers["content-type"] ?? "none");
  t.ok(
    type.startsWith("application/json"),
    `${answer.text} was answered with the wrong content-type`,
    {
      saw: type,
      wanted: "application/json",
    },
  );
  let files;
  try {
    files = JSON.parse(answer.body);
  } catch {
    // said below
  }
  const isList =
    Array.isArray(files) &&
    files.every((file) => typeof file?.name === "string" && typeof file.bytes === "number");
  t.ok(
    isList,
    `the response to ${answer.text} is not a list of objects with \`name\` and \`bytes\``,
    {
      saw: answer.body.subarray(0, 200).toString(),
      wanted: '[{"name":"a.txt","bytes":6}]',
    },
  );
  return files;
}

/** Puts a file there, whose name comes before all others. */
async function stores(t, server) {
  const { bytes, put } = await t.shared();
  t.equal(
    await put(t, server, "-", bytes(t, 100)),
    201,
    "the upload of a new file was not answered with 201",
  );
}

const token = (t) => t.token().replace(/\W/g, "a");
const inOrder = (names) => [...names].sort(); // as `<` compares

export default {
  async list(t) {
    const { ask, bytes, has, put, Upload } = await t.shared();
    const server = await started(t);
    t.equal(await list(t, server), [], "the folder was empty, but the list was not");
    const stored = new Map();
    const stores = async (name, size) => {
      await put(t, server, name, bytes(t, size));
      stored.set(name, size);
    };
    const own = token(t);
    for (const name of [`b${own}`, `B${own}`, `_${own}.txt`, `a-${own}.txt`, `a${own}`, `9${own}`])
      await stores(name, t.random.integer(0, 3000));
    const by = `c${token(t)}`;
    const foreign = "put there by another program";
    server.put(join("files", by), foreign);
    stored.set(by, foreign.length);
    const others = [`inner-${own}`, `.hidden-${own}`, `no name ${own}`, `nowhere-${own}`];
    mkdirSync(join(server.work, "files", others[0]));
    for (const name of others.slice(1, 3)) server.put(join("files", name), "x");
    const holds = async (when) => {
      const files = await list(t, server);
      const names = files.map(({ name }) => name);
      for (const name of stored.keys())
        t.ok(names.includes(name), `${when}, ${name} was in the folder, but not in the list`, {
          saw: names,
        });
      for (const name of names)
        t.ok(stored.has(name), `${when}, the list had ${name}, which is not a file of the drop`, {
          saw: names,
        });
      t.equal(names, inOrder(names), `${when}, the list was not sorted by name`);
      for (const { name, bytes: size } of files)
        t.equal(size, stored.get(name), `${when}, the list had the wrong size for ${name}`);
    };
    await holds("after some uploads");
    await stores(by, 5);
    await stores(`${own}.new`, 77);
    const upload = new Upload(server, `d${own}`);
    await upload.pour(bytes(t, 200_000));
    await put(t, server, by, bytes(t, 5)); // so that it is under way
    await holds("after more uploads, while one was under way");
    await upload.leave();
    // As a file that is gone when its size is asked for.
    symlinkSync("nowhere", join(server.work, "files", others[3]));
    const answer = await ask(t, server, "/files");
    has(t, answer, 200, " when the folder had a link that leads nowhere");
    await holds("when the folder had a link that leads nowhere");
    const head = await ask(t, server, "/files", { method: "HEAD" });
    has(t, head, 200);
    t.equal(
      head.body.length,
      0,
      "the response to HEAD /files had a body, but a response to HEAD has none",
    );
    has(
      t,
      await ask(t, server, "/files", { method: "POST" }),
      405,
      ", although the list does not support POST",
    );
  },

  async pages(t) {
    const { page } = t.parameters;
    const server = await started(t, "pages");
    await stores(t, server); // and so its folder is there
    const names = inOrder(["-", ...Array.from({ length: 2 * page + 7 }, () => `f${token(t)}`)]);
    for (const name of names.slice(1)) server.put(join("files", name), name);
    // Names among these that are none of files: a page has its full length all the same.
    for (let at = 0; at < 9; at++)
      symlinkSync("nowhere", join(server.work, "files", `${names[at]}-`));
    const listedNames = [];
    let after;
    for (let turn = 0; turn < 4; turn++) {
      const files = (await list(t, server, after)).map(({ name }) => name);
      t.ok(
        files.length <= page,
        `the list had ${files.length} files, which is more than a page may have`,
        {
          saw: files.length,
          wanted: page,
        },
      );
      const what = after === undefined ? "the first page" : `the page after ${after}`;
      t.ok(
        after === undefined || files.every((name) => name > after),
        `${what} does not begin after that name`,
        {
          saw: files[0],
          wanted: names.find((name) => name > after) ?? "nothing",
        },
      );
      t.equal(
        files,
        names.filter((name) => after === undefined || name > after).slice(0, page),
        `${what} does not have the next ${page} names, or all remaining names if there are fewer`,
      );
      listedNames.push(...files);
      after = files.at(-1) ?? after;
    }
    t.equal(
      listedNames,
      names,
      "a client that requests all pages does not see each file exactly once",
    );
    const gone = `${names[3]}!`;
    t.equal(
      (await list(t, server, gone)).map(({ name }) => name)[0],
      names[4],
      "the page after a name that no longer exists does not begin with the next name",
    );
  },

  async free(t) {
    const server = await started(t, "free");
    await stores(t, server);
    const pipes = Array.from({ length: 4 }, (_, at) => t.fifo(server, `files/p${at}${token(t)}`));
    const clients = pipes.map(({ inside }) => {
      const client = http.get({
        host: "127.0.0.1",
        port: server.port,
        path: `/files/${inside.split("/").at(-1)}`,
        agent: false,
      });
      client.on("response", (response) => response.resume().on("error", () => {}));
      const gone = new Promise((resolve) => client.on("error", () => {}).once("close", resolve));
      return { client, gone };
    });
    await t.sleep(100);
    const pong = await t.get(server, "/ping", { seconds: 4 });
    // A program that reads one after the other comes to a pipe when the one before it is open.
    let isOver = false;
    const all = Promise.all(clients.map(({ gone }) => gone)).then(() => {
      isOver = true;
    });
    await t.until(async () => {
      for (const pipe of pipes) await pipe.open();
      return isOver;
    }, 3000);
    for (const { client } of clients) client.destroy();
    await all;
    t.ok(
      String(pong.body) === "pong\n",
      "while four clients were waiting for files on a disk that did not respond, `/ping`, which reads nothing, was not answered, so the loop itself was waiting for the disk",
      { saw: pong.error ?? pong.status, wanted: "pong" },
    );
    server.alone();
  },

  async sync(t) {
    const { ask, bytes, has, loaded, put, word } = await t.shared();
    const server = await loaded(t);
    await server.scene("serving");
    const name = word(t);
    for (const status of [201, 200])
      t.equal(
        await put(t, server, name, bytes(t, 5000)),
        status,
        "an upload was not answered with the same status as in earlier steps",
      );
    for (const [status, path, headers] of [
      [200, `/files/${name}`],
      [206, `/files/${name}`, { range: "bytes=1-20" }],
      [404, `/files/${t.token()}`],
      [200, "/files"],
      [200, "/files?after=a"],
      [200, "/ping"],
    ])
      has(t, await ask(t, server, path, { headers }), status);
    await put(t, server, word(t), bytes(t, t.parameters.limit + 1));
    const called = (await server.scene("called")).split(" ").filter(Boolean);
    t.ok(
      called.length === 0,
      `while requests were served, ${called.map((each) => `\`${each}\``).join(", ")} ${called.length > 1 ? "were" : "was"} called. Every client has to wait until the disk has responded to such a call`,
    );
    server.alone(); // the scene sees no call of another process
  },

  async still(t) {
    const { leaves, started: start, threeSteps } = await t.shared();
    const server = await start(t);
    await threeSteps(t, server);
    await leaves(t, server);
  },
};
