import { mkdirSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";

const CLIENTS = 8;
const LEAVING = 16;
const LARGE_MIB = 24;
const LONG_MIB = 8;

const started = (t, which = "server") =>
  t.once(which, async () => {
    const { bytes, MIB, started: start, put, word } = await t.shared();
    const server = await start(t, { LIMIT: String(MIB) });
    const stored = { film: [word(t), bytes(t, t.random.integer(70_000, 90_000))] };
    stored.short = [word(t), bytes(t, t.random.integer(20, 90))];
    stored.empty = [word(t), Buffer.alloc(0)];
    for (const [name, content] of Object.values(stored))
      t.equal(
        await put(t, server, name, content),
        201,
        "a PUT of a file was not answered with 201",
      );
    // Files that are large and take no room: they are all holes.
    for (const [name, mib] of [
      ["large.bin", LARGE_MIB],
      ["long.bin", LONG_MIB],
    ])
      server.put(join("files", name), "", { size: mib * MIB });
    return { server, stored };
  });

async function askFor(t, name, { method, headers = {}, server } = {}) {
  const { ask } = await t.shared();
  const place = server ?? (await started(t)).server;
  const answer = await ask(t, place, `/files/${name}`, { method, headers });
  const [firstHeader] = Object.entries(headers).map((header) => ` with ${header.join(": ")}`);
  return { ...answer, text: `${answer.text}${firstHeader ?? ""}` };
}

/** A client that reads nothing behind the first bytes; `done` lets it go. */
const slow = (server, name, headers) =>
  new Promise((resolve) => {
    const asking = http.get({
      host: "127.0.0.1",
      port: server.port,
      path: `/files/${name}`,
      headers,
      agent: false,
    });
    const done = () => new Promise((gone) => asking.on("close", gone).destroy());
    asking.on("error", () => resolve({ done }));
    asking.on("response", (response) => {
      response.on("error", () => {});
      response.once("readable", () => resolve({ done }));
    });
  });

export default {
  async sent(t) {
    const { has, outcome } = await t.shared();
    const { stored } = await started(t);
    for (const [name, content] of Object.values(stored))
      for (const method of ["GET", "HEAD"]) {
        const answer = await askFor(t, name, { method });
        const body = method === "HEAD" ? Buffer.alloc(0) : content;
        has(t, answer, 200);
        t.ok(answer.body.equals(body), `${answer.text}: the response has the wrong body`, {
          saw: outcome(answer),
          wanted: `200, ${body.length} bytes`,
        });
        for (const [header, value] of [
          ["content-length", String(content.length)],
          ["accept-ranges", "bytes"],
          ["content-type", "application/octet-stream"],
        ])
          t.equal(
            answer.headers[header],
            value,
            `${answer.text}: the response has the wrong ${header}`,
          );
      }
    for (const method of ["GET", "HEAD"])
      has(t, await askFor(t, t.token(), { method }), 404, ", although the file is missing");
    has(t, await askFor(t, "..%2Fdrop"), 400, ", although that is not a valid file name");
  },

  async tags(t) {
    const { bytes, has, put, word } = await t.shared();
    const { server, stored } = await started(t);
    const tag = async (name, method) => {
      const answer = await askFor(t, name, { method });
      const { etag } = answer.headers ?? {};
      t.ok(
        /^(?:W\/)?"[^"]+"$/.test(etag ?? ""),
        `${answer.text}: the response has no etag in double quotes`,
        {
          saw: etag ?? "none",
          wanted: '"…"',
        },
      );
      return etag;
    };
    const [name] = stored.film;
    const first = await tag(name);
    for (const method of ["GET", "HEAD"])
      t.equal(
        await tag(name, method),
        first,
        `${method} of a file that has not changed returned a different etag`,
      );
    const refused = async (header, what) => {
      for (const method of ["GET", "HEAD"]) {
        const answer = await askFor(t, name, { method, headers: { "if-none-match": header } });
        has(t, answer, 304, what);
        t.ok(answer.body.length === 0, `${answer.text}: a 304 must not have a body`);
        t.equal(answer.headers.etag, first, `${answer.text}: a 304 must have the file's etag`);
      }
    };
    await refused(first, "");
    await refused(`"${t.token()}", ${first}`, ", although the file's tag is in the list of tags");
    await refused("*", ", although * stands for any file");
    const both = { "if-none-match": first, range: "bytes=0-9" };
    has(
      t,
      await askFor(t, name, { headers: both }),
      304,
      ", although the client has the file and needs no part of it",
    );
    const other = { "if-none-match": `"${t.token()}"` };
    has(
      t,
      await askFor(t, name, { headers: other }),
      200,
      ", although the client has a different file",
    );
    // Several times, as a second may end between two uploads.
    const again = word(t);
    const tags = [];
    for (let time = 0; time < 6; time++) {
      await t.sleep(20); // some file systems count time in steps of some milliseconds
      await put(t, server, again, bytes(t, 1000));
      tags.push(await tag(again));
    }
    const kinds = new Set(tags).size;
    t.ok(
      kinds === tags.length,
      `${tags.length} files of the same size replaced each other in quick succession, but their tags have only ${kinds} different values`,
      { saw: tags, wanted: `${tags.length} tags` },
    );
    const stale = await askFor(t, again, { headers: { "if-none-match": tags[0] } });
    has(t, stale, 200, ", although the client's file has been replaced");
  },

  async ranges(t) {
    const { outcome } = await t.shared();
    const [name, content] = (await started(t)).stored.film;
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
        const answer = await askFor(t, name, { method, headers: { range } });
        const what = `${answer.text} (a file of ${size} bytes)`;
        const right = method === "HEAD" ? Buffer.alloc(0) : content.subarray(first, last + 1);
        const wanted = `206, ${right.length} bytes`;
        const shown = { saw: `${outcome(answer)}, ${answer.headers?.["content-range"]}`, wanted };
        t.ok(answer.status === 206, `${what} was not answered with 206`, shown);
        if (method === "GET" && answer.body?.length === right.length - 1)
          t.miss(`${what}: one byte is missing. The end of a range is included`, shown);
        if (range.startsWith("bytes=-") && !answer.body?.equals(right))
          t.miss(
            `${what}: the response has the wrong bytes. bytes=-n means the last n bytes`,
            shown,
          );
        t.ok(
          !answer.error && answer.body.equals(right),
          `${what}: the response has the wrong bytes`,
          shown,
        );
        for (const [header, value] of [
          ["content-length", String(last - first + 1)],
          ["content-range", `bytes ${first}-${last}/${size}`],
        ])
          t.equal(answer.headers[header], value, `${what}: the response has the wrong ${header}`);
      }
    for (const range of [
      `bytes=${size}-`,
      `bytes=${size + t.random.integer(0, 99)}-${size + 200}`,
      "bytes=-0",
    ]) {
      const answer = await askFor(t, name, { headers: { range } });
      t.ok(
        answer.status === 416,
        `${answer.text} was not answered with 416, although the range has none of the file's ${size} bytes`,
        { saw: outcome(answer) },
      );
      t.equal(
        answer.headers["content-range"],
        `bytes */${size}`,
        `${answer.text}: the content-range of a 416 must state the file's size`,
      );
    }
    for (const range of ["bytes=", "bytes=-", "bytes=x-y", "lines=1-2", `bytes=${n + 50}-3`]) {
      const answer = await askFor(t, name, { headers: { range } });
      t.ok(
        answer.status === 200 && answer.body?.length === size,
        `${answer.text}: that is not a valid range, so the header should be ignored`,
        { saw: outcome(answer), wanted: `200, ${size} bytes` },
      );
    }
  },

  async leaves(t) {
    const { closesFiles, MIB } = await t.shared();
    const { server } = await started(t);
    const head = await askFor(t, "long.bin", { method: "HEAD" });
    t.equal(
      head.headers?.["content-length"],
      String(LONG_MIB * MIB),
      "the response to HEAD for a large file has the wrong content-length",
    );
    for (let time = 0; time < LEAVING / 4; time++) {
      await askFor(t, "long.bin", { method: "HEAD" });
      await askFor(t, "long.bin", { headers: { "if-none-match": head.headers.etag ?? "*" } });
      await askFor(t, "long.bin", { headers: { range: `bytes=${LONG_MIB * MIB}-` } });
    }
    await closesFiles(t, server, "requests that needed no body were answered");
    for (const headers of [{}, { range: "bytes=1000-" }]) {
      const clients = await Promise.all(
        Array.from({ length: LEAVING / 2 }, () => slow(server, "long.bin", headers)),
      );
      await Promise.all(clients.map(({ done }) => done()));
    }
    await askFor(t, "long.bin", { method: "HEAD" });
    await closesFiles(t, server, `${LEAVING} clients left in the middle of their responses`);
  },

  async slow(t) {
    const { MIB, started: start } = await t.shared();
    const { server, stored } = await started(t, "fresh");
    const [name, content] = stored.film;
    const asks = (each) => t.clients(each, CLIENTS, `/files/${name}`, { times: 3 });
    await asks(server);
    const before = await t.before(
      server,
      (each) => {
        mkdirSync(join(each.work, "files"), { recursive: true });
        each.put(join("files", name), content);
        return asks(each);
      },
      (options) => start(t, {}, options),
    );
    const most = (CLIENTS * LARGE_MIB * MIB) / 3;
    for (const [what, headers] of [
      [`a file of ${LARGE_MIB} MiB`, {}],
      [`nearly all of a file of ${LARGE_MIB} MiB`, { range: "bytes=99-" }],
    ]) {
      const clients = await Promise.all(
        Array.from({ length: CLIENTS }, () => slow(server, "large.bin", headers)),
      );
      let grown = 0;
      // What is kept is kept until they read on: the last look is as good as any.
      await t.until(() => {
        grown = Math.max(grown, server.memory().now - before);
        return grown > most;
      }, 250);
      await Promise.all(clients.map(({ done }) => done()));
      if (server.end) throw server.early();
      server.alone();
      t.note(`growth, ${what} (MiB)`, Math.round(grown / MIB));
      t.ok(
        grown < most,
        `${CLIENTS} clients requested ${what} and had read nothing yet, but the drop's memory grew by ${Math.round(grown / MIB)} MiB`,
        { wanted: "a few chunks for each client, however large the file is" },
      );
    }
  },

  async still(t) {
    const { bytes, first, holdsNames, leaves, put, started: start, word } = await t.shared();
    const server = await start(t);
    await first(t, server);
    await holdsNames(t, server);
    const { limit } = t.parameters;
    t.equal(
      await put(t, server, word(t), bytes(t, limit + 1)),
      413,
      "an upload one byte over the limit was not rejected",
    );
    await leaves(t, server);
  },
};
