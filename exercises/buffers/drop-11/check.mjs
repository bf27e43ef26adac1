import { mkdirSync, readdirSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";

const SOON = 4000; // ms within which what should come at once has come, on any day
const LEAVING = 12;
const LARGE_MIB = 96;

// ---------------------------------------------------------------- archives

function header(length, size) {
  const head = Buffer.alloc(6);
  head.writeUInt16BE(length, 0);
  head.writeUInt32BE(size, 2);
  return head;
}
const end = (count) => header(0, count);
/** A file in an archive; `size` is what its header says. */
const member = ({ name, content }, size = content.length) => {
  const text = Buffer.from(name);
  return Buffer.concat([header(text.length, size), text, content]);
};
const archive = (files, count = files.length) =>
  Buffer.concat([...files.map((file) => member(file)), end(count)]);
const listOf = (files) =>
  JSON.stringify(files.map(({ name, content }) => ({ name, bytes: content.length })));

/** A file for an archive, of so many bytes. */
async function file(t, size = t.random.integer(1, 90)) {
  const { bytes, word } = await t.shared();
  return { name: word(t), content: bytes(t, size + 4).subarray(0, size) };
}
const files = (t, count, size) => Promise.all(Array.from({ length: count }, () => file(t, size)));

/** An archive that is under way. */
async function sending(t, server, headers) {
  const { Upload } = await t.shared();
  return new Upload(server, "", headers, { method: "POST", path: "/archives" });
}

/** The answer to an archive that was sent whole, in these pieces: `{status}` or `{error}`, with its text. */
async function answered(t, server, upload) {
  const answer = await upload.answered(t, server);
  if (answer?.status) await t.until(() => upload.isRead, SOON);
  return { ...answer, text: upload.text };
}
async function send(t, server, pieces, headers) {
  const upload = await sending(t, server, headers);
  for (const piece of pieces) upload.request.write(piece);
  upload.request.end();
  return answered(t, server, upload);
}

// ---------------------------------------------------------------- what is to be seen

async function started(t, env) {
  const { started: start } = await t.shared();
  const server = await start(t, env);
  return { server, folder: join(server.work, "files") };
}

/** Holds that the archive was stored, and its files are there. */
function isStored(t, { server, folder }, all, answer, what) {
  t.equal(answer.error ?? answer.status ?? "no response", 201, `${what} was not answered with 201`);
  t.equal(answer.text, listOf(all), `${what} was answered with the wrong list`);
  const there = readdirSync(folder);
  for (const { name, content } of all) {
    const saw = there.includes(name) ? server.read(join("files", name)) : undefined;
    t.ok(
      saw?.equals(content),
      `${what} was answered with 201, but one of its files has the wrong bytes, or is missing`,
      { saw: saw ? `${saw.length} bytes` : "no file", wanted: `${content.length} bytes` },
    );
  }
}

/** Holds that an archive was refused with this status, that no file of it was stored, and that nothing of it stayed. */
async function isRefused(t, { folder }, answer, status, before, what) {
  const extra = () => readdirSync(folder).filter((name) => !before.includes(name));
  t.equal(
    answer.error ?? answer.status ?? "no response",
    status,
    `${what}, but the archive was not refused with ${status}`,
  );
  const seen = () => extra().filter((name) => name.endsWith(".bin"));
  t.ok(seen().length === 0, `${what}, but a file from the refused archive was stored`, {
    saw: seen(),
    wanted: "all of an archive or nothing",
  });
  await t.until(() => extra().length === 0, 2000);
  t.ok(extra().length === 0, `${what}, but part of the archive stayed in the folder`, {
    saw: extra(),
    wanted: "nothing",
  });
}

/** What listeners are told who ask for all events. */
async function events(t, server, count) {
  let text = "";
  const request = http.get({
    host: "127.0.0.1",
    port: server.port,
    path: "/events",
    headers: { "last-event-id": "0" },
    agent: false,
  });
  request.on("error", () => {});
  request.on("response", (response) => {
    response.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    response.on("error", () => {});
  });
  await t.until(() => text.split("\n\n").length > count, SOON);
  request.destroy();
  return text;
}

export default {
  async stored(t) {
    const { ask, bytes, has, put, settled, word } = await t.shared();
    const place = await started(t);
    const { server } = place;
    const some = [...(await files(t, 3, 300)), await file(t, 0), await file(t, 7)];
    const first = await send(t, server, [archive(some)]);
    isStored(t, place, some, first, "an archive of five files that arrived in one piece");
    const type = String(first.headers["content-type"] ?? "none");
    t.ok(
      type.startsWith("application/json"),
      "the response to POST /archives has the wrong content-type",
      {
        saw: type,
        wanted: "application/json",
      },
    );
    const size = archive(await files(t, 2, 3)).length;
    const cuts = await Promise.all(
      Array.from({ length: size - 1 }, async (_, at) => {
        const pair = await files(t, 2, 3);
        const all = archive(pair);
        const upload = await sending(t, server);
        upload.request.write(all.subarray(0, at + 1));
        return { at: at + 1, pair, rest: all.subarray(at + 1), upload };
      }),
    );
    await settled(t, server);
    for (const { upload, rest } of cuts) upload.request.end(rest);
    for (const { at, pair, upload } of cuts)
      isStored(
        t,
        place,
        pair,
        await answered(t, server, upload),
        `an archive of two files that was cut into two chunks, the first of ${at} bytes,`,
      );
    const trio = await files(t, 3);
    const each = [...archive(trio)].map((byte) => Buffer.of(byte));
    isStored(t, place, trio, await send(t, server, each), "an archive that arrived byte by byte");
    isStored(t, place, [], await send(t, server, [end(0)]), "an archive without files");
    const { limit, members } = t.parameters;
    const many = [await file(t, limit), ...(await files(t, members - 1))];
    many.push({ ...many.pop(), name: some[0].name });
    isStored(
      t,
      place,
      many,
      await send(t, server, [archive(many)]),
      `an archive of ${members} files, one of ${limit} bytes, and one with the name of an existing file,`,
    );
    const get = await ask(t, server, "/archives");
    has(t, get, 405, ", although archives do not support GET");
    t.equal(get.headers.allow, "POST", "the response to GET /archives has the wrong allow header");

    const { server: other } = await started(t);
    const [name, note] = [word(t), `for ${t.token()}`];
    await put(t, other, name, bytes(t, 100));
    await send(t, other, [archive(trio).subarray(0, -3)]);
    await send(t, other, [archive(trio)], { "x-note": note });
    const wanted = [{ name, bytes: 100, note: "" }]
      .concat(trio.map((each) => ({ name: each.name, bytes: each.content.length, note })))
      .map((data, at) => `id: ${at + 1}\nevent: file\ndata: ${JSON.stringify(data)}\n\n`)
      .join("");
    t.equal(
      await events(t, other, 4),
      wanted,
      "a file was stored, an archive was refused, and an archive of three files was stored, but a listener did not get exactly these four events",
    );
  },

  async limits(t) {
    const { limit, members } = t.parameters;
    const place = await started(t);
    const { server } = place;
    const refused = async (begin, what) => {
      const upload = await sending(t, server);
      upload.request.write(begin);
      await t.until(() => upload.answer, SOON);
      const silence = { error: "no response while the client waits with the rest of the body" };
      const answer = upload.answer ?? (server.end && (await upload.answered(t, server))) ?? silence;
      await upload.leave();
      await isRefused(
        t,
        place,
        answer,
        413,
        [],
        `${what} (which should be refused as soon as the header has arrived)`,
      );
    };
    const good = await file(t);
    for (const size of [limit + 1, 2 ** 32 - 1, 2 ** 31 + t.random.integer(0, 99)])
      await refused(
        Buffer.concat([member(good), header(9, size)]),
        `the header of the second file in an archive said ${size} bytes, with a limit of ${limit}`,
      );
    const many = await files(t, members, 0);
    await refused(
      Buffer.concat([...many.map((each) => member(each)), header(9, 0)]),
      `${members} empty files arrived in an archive, and then one more`,
    );
    const { server: other, folder } = await started(t, { LIMIT: "50" });
    const [fits, exceeds] = [await file(t, 50), await file(t, 51)];
    const answer = await send(t, other, [archive([fits, exceeds])]);
    await isRefused(t, { folder }, answer, 413, [], "LIMIT was 50, and a file had 51 bytes");
    const two = [fits, await file(t, 50)];
    const stored = await send(t, other, [archive(two)]);
    isStored(
      t,
      { server: other, folder },
      two,
      stored,
      "LIMIT was 50, and an archive of two files of that size",
    );
  },

  async names(t) {
    const { longest } = t.parameters;
    const { put, word } = await t.shared();
    const place = await started(t);
    const { server, folder } = place;
    const outside = () => readdirSync(server.work).filter((name) => name !== "files");
    const there = word(t);
    await put(t, server, there, "there");
    const long = t.token().repeat(9).replace(/\W/g, "a");
    const good = await file(t);
    for (const name of [
      "../outside.bin",
      "../../outside.bin",
      "/tmp/outside.bin",
      "inner/outside.bin",
      "..\\outside.bin",
      "..",
      ".hidden",
      "a\0b",
      "a b",
      "a\n",
      "ä.bin",
      long.slice(0, longest + 1),
    ]) {
      const answer = await send(t, server, [archive([good, { ...good, name }])]);
      t.ok(
        outside().length === 0,
        `a file called ${JSON.stringify(name)} was created outside the folder`,
        {
          saw: outside(),
          wanted: 400,
        },
      );
      const what = `${JSON.stringify(name)} is not valid as a name`;
      await isRefused(t, place, answer, 400, [there], what);
    }
    const fits = [{ ...good, name: long.slice(0, longest) }, good];
    const answer = await send(t, server, [archive(fits)]);
    isStored(t, place, fits, answer, `an archive with a name of ${longest} characters`);
    const before = readdirSync(folder);
    const other = await file(t);
    const twice = await send(t, server, [archive([other, await file(t), other])]);
    await isRefused(t, place, twice, 400, before, "a name occurs twice");
    const inner = word(t);
    mkdirSync(join(folder, inner, "inner"), { recursive: true });
    const named = [other, { ...other, name: inner }, await file(t)];
    const what = "the second of three names is the name of a folder, which gets a 409";
    const taken = await send(t, server, [archive(named)]);
    await isRefused(t, place, taken, 409, [...before, inner], what);
  },

  async whole(t) {
    const { MIB, bytes, put, settled } = await t.shared();
    const place = await started(t, { LIMIT: String(8 * MIB) });
    const { server, folder } = place;
    const [old, next] = [await file(t, 200), await file(t, 300)];
    await put(t, server, old.name, old.content);
    const pair = [next, { ...old, content: bytes(t, 400) }];
    const all = archive(pair);
    const [one] = pair.map((each) => member(each).length);
    const body = all.length - 6;
    const refused = async (sent, what) => {
      await isRefused(t, place, await send(t, server, [sent]), 400, [old.name], what);
      isOld();
    };
    const isOld = (when = "an archive was refused") =>
      t.ok(
        server.read(join("files", old.name)).equals(old.content),
        `${when}, but a file that was there before has changed, so part of the archive was stored`,
      );
    for (const [at, where] of [
      [0, "before it began"],
      [one - 100, "in the bytes of its first file"],
      [one, "between two files"],
      [one + 3, "in a header"],
      [one + 10, "in a name"],
      [body - 1, "one byte before the end of its last file"],
      [body, "just before its end"],
      [all.length - 1, "one byte before its end was complete"],
    ])
      await refused(all.subarray(0, at), `an archive was truncated ${where}`);
    for (const count of [1, 3, 0, 2 ** 32 - 1])
      await refused(
        archive(pair, count),
        `an archive of 2 files gave ${count} as their number in its end`,
      );
    await refused(Buffer.concat([all, Buffer.of(0)]), "bytes followed the end of an archive");
    await refused(Buffer.concat([all, all]), "bytes followed the end of an archive");
    for (const lie of [-1, 1])
      await refused(
        Buffer.concat([member(next, 300 + lie), end(1)]),
        `the header of a file said ${300 + lie} bytes, and the file had 300 bytes`,
      );

    const half = bytes(t, MIB);
    const uploads = await Promise.all(
      Array.from({ length: LEAVING }, async (_, at) => {
        const upload = await sending(t, server, at % 2 ? {} : { "content-length": 5 * MIB });
        const large = { ...(await file(t)), content: half };
        await upload.pour(
          Buffer.concat([...pair.map((each) => member(each)), member(large, 4 * MIB)]),
        );
        return upload;
      }),
    );
    await settled(t, server);
    const early = readdirSync(folder).filter((name) => name === next.name);
    t.ok(early.length === 0, "while an archive was arriving, one of its files was already stored", {
      saw: early,
      wanted: "all of an archive or nothing",
    });
    isOld("while an archive was arriving");
    await Promise.all(uploads.map((upload) => upload.leave()));
    await settled(t, server);
    const what = `${LEAVING} clients left in the middle of an archive`;
    const open = () =>
      Object.values(server.descriptors()).filter((target) => target.includes("/files/")).length;
    await t.until(() => open() === 0, SOON);
    if (server.end) throw server.early();
    t.ok(open() === 0, `${what}, but ${open()} files stayed open`, { wanted: "0 open files" });
    await isRefused(t, place, { status: 400 }, 400, [old.name], what);
    isOld(what);
    const stored = await send(t, server, [all]);
    isStored(t, place, pair, stored, "an archive that arrived after many refused archives");
  },

  async flat(t) {
    const { MIB, settled, started: start } = await t.shared();
    const size = LARGE_MIB * MIB;
    const env = { LIMIT: String(2 * size) };
    const { server, folder } = await started(t, env);
    const small = async (each) =>
      send(t, each, [archive([{ ...(await file(t)), content: Buffer.alloc(MIB) }])]);
    await small(server);
    const before = await t.before(server, small, (options) => start(t, env, options));
    const { name } = await file(t);
    const upload = await sending(t, server);
    upload.request.write(header(name.length, size));
    upload.request.write(name);
    const piece = Buffer.alloc(MIB, "x");
    for (let sent = 0; sent < size && !upload.answer; sent += MIB) await upload.pour(piece);
    await settled(t, server);
    upload.request.end(end(1));
    const answer = await answered(t, server, upload);
    if (server.end) throw server.early();
    t.equal(
      answer.error ?? answer.status,
      201,
      `an archive with a file of ${LARGE_MIB} MiB, within the limit, was not answered with 201`,
    );
    server.alone();
    const grown = server.memory().peak - before;
    t.note("growth under a large archive (MiB)", Math.round(grown / MIB));
    t.ok(
      grown < (size * 2) / 3,
      `an archive of ${LARGE_MIB} MiB made the drop's memory grow by ${Math.round(grown / MIB)} MiB`,
      { wanted: "a few chunks" },
    );
    t.ok(
      readdirSync(folder).includes(name),
      "a large archive was answered with 201, but its file is missing",
    );
  },

  async still(t) {
    const { sixSteps } = await t.shared();
    await sixSteps(t);
  },
};
