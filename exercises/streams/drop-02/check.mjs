import { existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

const LEAVING = 12;
const LARGE_MIB = 96;

const started = (t, limit, name = `limit ${limit}`) =>
  t.once(name, async () => {
    const { started: start } = await t.shared();
    const server = await start(t, limit ? { LIMIT: String(limit) } : {});
    const folder = join(server.work, "files");
    t.ok(
      existsSync(folder) && lstatSync(folder).isDirectory(),
      "FOLDER named a folder that did not exist, but the drop was listening and had not created it",
    );
    return { server, folder };
  });

/** Holds that the folder has these files only, once what has failed is cleared away. */
async function holds(t, folder, names, what) {
  const extra = () => readdirSync(folder).filter((name) => !names.includes(name));
  await t.until(() => extra().length === 0, 2000);
  t.ok(extra().length === 0, `${what}, part of an upload stayed in the folder`, {
    saw: extra(),
    wanted: "nothing",
  });
}

function isStored(t, { server, folder }, name, content, what) {
  t.ok(
    readdirSync(folder).includes(name) && server.read(join("files", name)).equals(content),
    `${what}: the file has the wrong bytes or is missing`,
  );
}

/** `new URL` takes this name for the folder above, as many routers do, so that its path is another one. */
const ABOVE = "%2E%2E";

export default {
  async stored(t) {
    const { bytes, put, word } = await t.shared();
    const { limit } = t.parameters;
    const place = await started(t, undefined, "plain");
    const { server, folder } = place;
    const names = [];
    for (const [size, headers] of [
      [t.random.integer(100_000, 200_000)],
      [0],
      [limit],
      [t.random.integer(1000, 2000), { "transfer-encoding": "chunked" }],
    ]) {
      const name = word(t);
      names.push(name);
      const what = `an upload of ${size} bytes${headers ? " without content-length" : ""}${size === limit ? ", which is the limit," : ""}`;
      const content = bytes(t, size);
      t.equal(
        await put(t, server, name, content, headers),
        201,
        `${what} was not answered with 201`,
      );
      isStored(t, place, name, content, what);
      const other = bytes(t, t.random.integer(10, 5000));
      t.equal(
        await put(t, server, name, other),
        200,
        "an upload that replaced another file was not answered with 200",
      );
      isStored(t, place, name, other, "an upload that replaced another file");
    }
    const name = word(t);
    const content = bytes(t, 500);
    const written = name
      .replace(/[.]/, "%2E")
      .replace(/^./, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
    const status = await put(t, server, written, content);
    t.equal(status, 201, `PUT /files/${written}, which is ${name}, was not answered with 201`);
    isStored(t, place, name, content, `PUT /files/${written}, which is ${name}`);
    await holds(t, folder, [...names, name], "after uploads that succeeded");
  },

  async names(t) {
    const { ask, bytes, has, put, outcome } = await t.shared();
    const { longest } = t.parameters;
    const place = await started(t, undefined, "names");
    const { server, folder } = place;
    const outside = () => readdirSync(server.work).filter((name) => name !== "files");
    const long = t.token().repeat(8).replace(/\W/g, "a");
    const fits = [long.slice(0, longest), "a", "A-b_c.9", "-", `_${long.slice(0, 5)}..x`];
    for (const name of fits) {
      const content = bytes(t, 100);
      const status = await put(t, server, name, content);
      t.equal(
        status,
        201,
        `${JSON.stringify(name)}, of ${name.length} characters, is a valid name, but the file was not stored`,
      );
      isStored(t, place, name, content, JSON.stringify(name));
    }
    for (const name of [
      "..%2Foutside.txt",
      "%2E%2E%2Foutside.txt",
      "..%2f..%2foutside.txt",
      "%2Ftmp%2Foutside.txt",
      "inner%2Foutside.txt",
      "..%5Coutside.txt",
      ABOVE,
      ".hidden",
      "%2Ehidden",
      "%zz",
      "a%00b",
      "a%20b",
      "%C3%A4.txt",
      "a+b",
      "a:b",
      `x${long.slice(0, longest)}`,
    ]) {
      const answer = await ask(t, server, `/files/${name}`, { method: "PUT", body: "outside\n" });
      t.ok(outside().length === 0, `PUT /files/${name} stored something outside the folder`, {
        saw: outside(),
        wanted: 400,
      });
      t.ok(
        answer.status === 400 || (name === ABOVE && [404, 405].includes(answer.status)),
        `PUT /files/${name} was not answered with 400, although that is not a valid file name`,
        { saw: outcome(answer), wanted: 400 },
      );
    }
    await holds(t, folder, fits, "after uploads with names that are not valid");
    const answer = await ask(t, server, `/files/${fits[0]}`, { method: "POST", body: "x" });
    has(t, answer, 405, ", although a file does not support POST");
    t.ok(
      String(answer.headers.allow)
        .split(/\s*,\s*/)
        .includes("PUT"),
      `${answer.text}: the allow header of the 405 should list PUT`,
      { saw: answer.headers.allow ?? "none" },
    );
  },

  async limit(t) {
    const { bytes, put, statusOf, Upload, word } = await t.shared();
    const { limit } = t.parameters;
    const { server, folder } = await started(t, undefined, "limited");
    const announced = new Upload(server, word(t), {
      "content-length": String(limit + t.random.integer(1, 10)),
    });
    announced.request.write("x");
    const first = await announced.answered(t, server);
    t.ok(
      first?.status === 413,
      "an upload whose content-length is above the limit was not rejected before its body arrived",
      { saw: statusOf(first), wanted: 413 },
    );
    await announced.leave();
    const silent = new Upload(server, word(t));
    await silent.pour(Buffer.alloc(limit + 1));
    const answer = await silent.answered(t, server);
    t.ok(
      answer?.status === 413,
      `an upload without content-length had sent ${limit + 1} bytes, with a limit of ${limit}, but was not rejected`,
      { saw: statusOf(answer), wanted: 413 },
    );
    await silent.leave();
    await holds(t, folder, [], "after two uploads that were too large");
    const small = t.random.integer(2000, 3000);
    const { server: other } = await started(t, small);
    t.equal(
      await put(t, other, word(t), bytes(t, small + 1)),
      413,
      `LIMIT was ${small}, but an upload of one byte more was not rejected`,
    );
    t.equal(
      await put(t, other, word(t), bytes(t, small)),
      201,
      `LIMIT was ${small}, but after an upload that was too large, an upload of exactly that size was not stored`,
    );
  },

  async whole(t) {
    const { bytes, MIB, put, Upload, word } = await t.shared();
    const place = await started(t, 8 * MIB, "whole");
    const { server, folder } = place;
    const name = word(t);
    const old = bytes(t, t.random.integer(10_000, 20_000));
    t.equal(await put(t, server, name, old), 201, "an upload was not answered with 201");
    const files = () =>
      Object.values(server.descriptors()).filter(
        (target) => target.includes(folder) || target.includes("/files/"),
      ).length;
    const half = bytes(t, MIB);
    const uploads = Array.from(
      { length: LEAVING },
      (_, at) =>
        new Upload(
          server,
          at % 3 ? word(t) : name,
          at % 2 ? {} : { "content-length": String(4 * MIB) },
        ),
    );
    await Promise.all(uploads.map((upload) => upload.pour(half)));
    // A busy server has them under way when it has answered one that came later, or has opened a file for each.
    const other = word(t);
    t.equal(
      await put(t, server, other, bytes(t, 1000)),
      201,
      `during ${LEAVING} uploads, another upload was not answered with 201`,
    );
    await t.until(() => files() >= LEAVING, 500);
    const current = server.read(join("files", name));
    t.ok(
      current.equals(old),
      "while an upload was under way, the file that previously had that name was already gone or changed",
      { saw: `${current.length} bytes`, wanted: `${old.length} bytes` },
    );
    await Promise.all(uploads.map((upload) => upload.leave()));
    await put(t, server, other, bytes(t, 1000));
    await holds(
      t,
      folder,
      [name, other],
      `after ${LEAVING} clients had left in the middle of their uploads`,
    );
    isStored(
      t,
      place,
      name,
      old,
      "after clients left in the middle of uploads that were to replace a file",
    );
    await t.until(() => files() === 0, 2000);
    t.ok(
      files() === 0,
      `${LEAVING} clients left in the middle of their uploads, but ${files()} files stayed open`,
      { wanted: "0 files" },
    );
    const both = word(t);
    const contents = [bytes(t, MIB), bytes(t, MIB + 1000)];
    const pair = contents.map(() => new Upload(server, both));
    for (const [order, from, to] of [
      [[0, 1], 0, MIB / 2],
      [[1, 0], MIB / 2, 2 * MIB],
    ])
      for (const at of order) {
        await pair[at].pour(contents[at].subarray(from, to));
        await put(t, server, other, bytes(t, 100)); // so that it has come
      }
    await Promise.all(pair.map((upload) => upload.end(t, server)));
    const stored = readdirSync(folder).includes(both)
      ? server.read(join("files", both))
      : undefined;
    t.ok(
      contents.some((content) => stored?.equals(content)),
      "two clients sent files of the same name at the same time, but the file in the folder is neither of the two",
      { saw: stored ? `${stored.length} bytes of both` : "no file" },
    );
    await holds(t, folder, [name, other, both], "after two uploads of the same name");
    if (server.end) throw server.early();
  },

  async flat(t) {
    const { MIB, put, statusOf, started: start, Upload, word } = await t.shared();
    const size = LARGE_MIB * MIB;
    const { server, folder } = await started(t, 2 * size, "large");
    const stores = (each) => put(t, each, word(t), Buffer.alloc(MIB));
    await stores(server);
    const before = await t.before(
      server,
      async (each) => {
        mkdirSync(join(each.work, "files"), { recursive: true });
        await stores(each);
      },
      (options) => start(t, { LIMIT: String(2 * size) }, options),
    );
    const name = word(t);
    const upload = new Upload(server, name);
    const piece = Buffer.alloc(MIB, "x");
    for (let sent = 0; sent < size; sent += MIB) await upload.pour(piece);
    const answer = await upload.end(t, server);
    if (server.end) throw server.early();
    t.equal(
      statusOf(answer),
      201,
      `an upload of ${LARGE_MIB} MiB, within the limit, was not answered with 201`,
    );
    server.alone();
    const grown = server.memory().peak - before;
    t.note("growth during a large upload (MiB)", Math.round(grown / MIB));
    t.ok(
      grown < (size * 2) / 3,
      `an upload of ${LARGE_MIB} MiB made the server's memory grow by ${Math.round(grown / MIB)} MiB`,
      { wanted: "a few chunks" },
    );
    const stored = lstatSync(join(folder, name), { throwIfNoEntry: false });
    t.ok(
      stored?.isFile() && stored.size === size,
      "a large upload was answered with 201, but its file is missing or has the wrong size",
      { saw: stored ? `${stored.size} bytes` : "no file", wanted: `${size} bytes` },
    );
  },

  async still(t) {
    const { first, leaves } = await t.shared();
    const { server } = await started(t, undefined, "still");
    await first(t, server);
    await leaves(t, server);
  },
};
