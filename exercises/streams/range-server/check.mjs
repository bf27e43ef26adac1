import { mkdirSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";

const KIB = 1024;
const MIB = KIB * KIB;
const CLIENTS = 8;
const LEAVING = 16;
const LARGE = 24 * MIB;
const LONG = 8 * MIB;

const started = (t, which = "server") =>
  t.once(which, async () => {
    const server = await t.server({ env: { FOLDER: "files" } });
    const folder = join(server.work, "files");
    mkdirSync(join(folder, "in here"), { recursive: true });
    const bytes = (size) =>
      Buffer.from(Array.from({ length: size }, () => t.random.integer(0, 255)));
    const files = {
      "film.bin": bytes(t.random.integer(70_000, 90_000)),
      "in here/a b.txt": bytes(t.random.integer(20, 90)),
      "empty.txt": Buffer.alloc(0),
    };
    for (const [name, content] of Object.entries(files)) server.put(join("files", name), content);
    const secret = t.token();
    mkdirSync(join(server.work, "files-too"));
    for (const name of ["secret.txt", "files-secret.txt", "files-too/secret.txt"])
      server.put(name, secret);
    // Files that are large and take no room: they are all holes.
    for (const [name, size] of [
      ["large.bin", LARGE],
      ["long.bin", LONG],
    ])
      server.put(join("files", name), "", { size });
    return { server, files, secret };
  });

async function asked(t, path, { method, range } = {}) {
  const { server } = await started(t);
  const answer = await t.get(server, path, {
    method,
    headers: range === undefined ? {} : { range },
  });
  if (answer.error && (await t.until(() => server.end, 300))) throw server.early();
  return {
    text: `${method ?? "GET"} ${path}${range === undefined ? "" : ` with range: ${range}`}`,
    ...answer,
  };
}
const url = (name) => `/${name.split("/").map(encodeURIComponent).join("/")}`;
const seen = ({ error, status, body }) => error ?? `${status}, ${body.length} bytes`;

/** A client that reads nothing behind the first bytes; `done` lets it go. */
const slow = (server, path, headers) =>
  new Promise((resolve) => {
    const asking = http.get({ host: "127.0.0.1", port: server.port, path, headers, agent: false });
    const done = () => new Promise((gone) => asking.on("close", gone).destroy());
    asking.on("error", () => resolve({ done }));
    asking.on("response", (response) => {
      response.on("error", () => {});
      response.once("readable", () => resolve({ done }));
    });
  });

export default {
  async whole(t) {
    const { files, secret } = await started(t);
    for (const [name, content] of Object.entries(files))
      for (const method of ["GET", "HEAD"]) {
        const answer = await asked(t, url(name), { method });
        const wanted = `200, ${method === "HEAD" ? 0 : content.length} bytes`;
        t.ok(!answer.error && answer.status === 200, `${answer.text} was not successful`, {
          saw: seen(answer),
          wanted,
        });
        t.ok(
          answer.body.equals(method === "HEAD" ? Buffer.alloc(0) : content),
          `${answer.text}: the response has the wrong body`,
          { saw: seen(answer), wanted },
        );
        t.equal(
          answer.headers["content-length"],
          String(content.length),
          `${answer.text}: the response has the wrong content-length`,
        );
        t.equal(
          answer.headers["accept-ranges"],
          "bytes",
          `${answer.text}: the response has no accept-ranges: bytes`,
        );
      }
    const token = t.token();
    for (const path of [
      `/${token}`,
      "/",
      "/in%20here",
      "/in%20here/",
      "/%zz",
      `/film.bin/${token}`,
    ]) {
      const answer = await asked(t, path);
      t.ok(
        answer.status === 404,
        `${answer.text} was not answered with 404, although the path does not name a file`,
        {
          saw: seen(answer),
        },
      );
    }
    for (const path of [
      "/../secret.txt",
      "/..%2fsecret.txt",
      "/%2e%2e/secret.txt",
      "/in%20here/../../secret.txt",
      "/../files-too/secret.txt",
      "/..%2ffiles-secret.txt",
    ]) {
      const answer = await asked(t, path);
      t.ok(
        !answer.body?.includes(secret),
        `${answer.text} returned a file that is outside the folder`,
        { wanted: 404 },
      );
      t.ok(answer.status === 404, `${answer.text} was not answered with 404`, {
        saw: seen(answer),
      });
    }
  },

  async ranges(t) {
    const { files } = await started(t);
    const name = "film.bin";
    const content = files[name];
    const size = content.length;
    const a = t.random.integer(1, 1000);
    const b = a + t.random.integer(1, 60_000);
    const n = t.random.integer(2, 500);
    for (const [range, first, last] of [
      [`bytes=${a}-${b}`, a, b],
      [`bytes=${a}-${a}`, a, a],
      ["bytes=0-0", 0, 0],
      [`bytes=${size - 1}-${size - 1}`, size - 1, size - 1],
      [`bytes=${b}-`, b, size - 1],
      [`bytes=${b}-${size + a}`, b, size - 1],
      [`bytes=-${n}`, size - n, size - 1],
      [`bytes=-${size + n}`, 0, size - 1],
    ])
      for (const method of ["GET", "HEAD"]) {
        const answer = await asked(t, url(name), { method, range });
        const what = `${answer.text} (a file of ${size} bytes)`;
        const wanted = `206, ${method === "HEAD" ? 0 : last - first + 1} bytes`;
        const right = content.subarray(first, last + 1);
        t.ok(answer.status === 206, `${what} was not answered with 206`, {
          saw: seen(answer),
          wanted,
        });
        if (method === "GET") {
          if (
            answer.body.equals(content.subarray(first, last)) ||
            (answer.error && answer.body?.length === last - first)
          )
            t.miss(`${what}: one byte is missing. The end of a range is included`, {
              saw: seen(answer),
              wanted,
            });
          if (range.startsWith("bytes=-") && !answer.body.equals(right))
            t.miss(`${what}: the response has the wrong bytes. bytes=-n means the last n bytes`, {
              saw: `${seen(answer)}, ${answer.headers["content-range"]}`,
              wanted,
            });
          t.ok(
            !answer.error && answer.body.equals(right),
            `${what}: the response has the wrong bytes`,
            {
              saw: seen(answer),
              wanted,
            },
          );
        } else
          t.ok(
            !answer.error && answer.body.length === 0,
            `${what}: the response to HEAD must not have a body`,
            {
              saw: seen(answer),
            },
          );
        t.equal(
          answer.headers["content-length"],
          String(right.length),
          `${what}: the response has the wrong content-length`,
        );
        t.equal(
          answer.headers["content-range"],
          `bytes ${first}-${last}/${size}`,
          `${what}: the response has the wrong content-range`,
        );
      }
  },

  async none(t) {
    const { files } = await started(t);
    const size = files["film.bin"].length;
    for (const range of [
      `bytes=${size}-`,
      `bytes=${size + t.random.integer(0, 99)}-${size + 200}`,
      "bytes=-0",
    ]) {
      const answer = await asked(t, "/film.bin", { range });
      t.ok(
        answer.status === 416,
        `${answer.text} was not answered with 416, although the range has none of the file's ${size} bytes`,
        { saw: seen(answer) },
      );
      t.equal(
        answer.headers["content-range"],
        `bytes */${size}`,
        `${answer.text}: the content-range of a 416 must state the file's size`,
      );
    }
    for (const range of [
      "bytes=",
      "bytes=-",
      "bytes=x-y",
      "lines=1-2",
      `bytes=${t.random.integer(50, 99)}-3`,
    ]) {
      const answer = await asked(t, "/film.bin", { range });
      t.ok(
        answer.status === 200 && answer.body?.length === size,
        `${answer.text}: that is not a valid range, so the header should be ignored`,
        { saw: seen(answer), wanted: `200, ${size} bytes` },
      );
    }
  },

  async leaves(t) {
    const { server } = await started(t);
    const open = () =>
      Object.values(server.descriptors()).filter((target) => target.endsWith(".bin")).length;
    for (const headers of [{}, { range: "bytes=1000-" }]) {
      const clients = await Promise.all(
        Array.from({ length: LEAVING / 2 }, () => slow(server, "/long.bin", headers)),
      );
      await Promise.all(clients.map(({ done }) => done()));
    }
    const { headers } = await t.get(server, "/long.bin", { method: "HEAD" });
    await t.until(() => open() === 0, 3000);
    if (server.end) throw server.early();
    t.equal(
      headers?.["content-length"],
      String(LONG),
      "the response to HEAD for a large file has the wrong content-length",
    );
    t.ok(
      open() === 0,
      `${LEAVING} clients left in the middle of their responses, and ${open()} files stayed open`,
      { wanted: "0 files" },
    );
  },

  async flat(t) {
    const { server, files } = await started(t, "fresh");
    const asks = (each) => t.clients(each, CLIENTS, "/film.bin", { times: 3 });
    await asks(server);
    const before = await t.before(
      server,
      (each) => {
        mkdirSync(join(each.work, "files"));
        each.put("files/film.bin", files["film.bin"]);
        return asks(each);
      },
      (options) => t.server({ ...options, env: { FOLDER: "files" } }),
    );
    for (const [what, headers] of [
      [`a file of ${LARGE / MIB} MiB`, {}],
      [`nearly all of a file of ${LARGE / MIB} MiB`, { range: "bytes=99-" }],
    ]) {
      const clients = await Promise.all(
        Array.from({ length: CLIENTS }, () => slow(server, "/large.bin", headers)),
      );
      let most = 0;
      // What is kept is kept until they read on: the last look is as good as any.
      await t.until(() => {
        most = Math.max(most, server.memory().now - before);
        return most > (CLIENTS * LARGE) / 3;
      }, 250);
      await Promise.all(clients.map(({ done }) => done()));
      if (server.end) throw server.early();
      server.alone();
      const mib = (bytes) => `${Math.round(bytes / MIB)} MiB`;
      t.note(`growth, ${what} (MiB)`, Math.round(most / MIB));
      t.ok(
        most < (CLIENTS * LARGE) / 3,
        `${CLIENTS} clients requested ${what} and had read nothing yet, but the server's memory grew by ${mib(most)}`,
        { wanted: "a few chunks for each client, however large the file is" },
      );
    }
  },
};
