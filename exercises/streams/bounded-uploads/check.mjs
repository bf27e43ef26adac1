import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";

const KIB = 1024;
const MIB = KIB * KIB;
const PIECE = 64 * KIB;
const LARGE = 128 * MIB;
const SMALL_DISK = 64 * MIB; // what /tmp has in the sandbox
const LEAVING = 12;

const started = (t, limit, name = `limit ${limit}`, env = {}) =>
  t.once(name, async () => {
    const server = await t.server({ env: { FOLDER: "files", LIMIT: String(limit), ...env } });
    const folder = join(server.work, "files");
    mkdirSync(folder);
    return { server, folder };
  });

/** An upload under way: its answer, when it has come, and what has been sent. */
class Upload {
  constructor(server, path, headers = {}) {
    this.sent = 0;
    this.over = new Promise((resolve) => {
      const done = (answer) => {
        this.answer ??= answer;
        resolve(this.answer);
      };
      this.request = http.request({
        host: "127.0.0.1",
        port: server.port,
        path,
        method: "PUT",
        // Without this word the client asks for a close, and a server that does as it is told may lose its answer.
        headers: { connection: "keep-alive", ...headers },
        agent: false,
      });
      this.request.on("response", (response) => {
        response.resume().on("error", () => {});
        done({ status: response.statusCode });
      });
      this.request.on("error", (error) => done({ error: error.code }));
      this.request.on("close", () => done({ error: "closed" }));
      this.gone = new Promise((gone) => this.request.once("close", gone));
    });
  }
  /** Sends so many bytes, as fast as they are taken, until an answer comes. */
  async pour(size, piece = Buffer.alloc(PIECE, "x")) {
    for (let left = size; left > 0 && !this.answer; left -= piece.length) {
      const now = left < piece.length ? piece.subarray(0, left) : piece;
      this.sent += now.length;
      if (!this.request.write(now))
        await Promise.race([
          this.over,
          new Promise((resolve) => this.request.once("drain", resolve)),
        ]);
    }
  }
  async end(body) {
    this.request.end(body);
    return this.over;
  }
  /** The answer within some seconds, or none. */
  async answered(t, server) {
    await t.until(() => this.answer, 8000);
    if (this.answer?.error && (await t.until(() => server.end, 300))) throw server.early();
    return this.answer;
  }
  leave() {
    this.request.destroy();
    return this.gone;
  }
}

const said = (answer) => (answer ? (answer.error ?? answer.status) : "no response");
async function put(t, server, name, body, headers) {
  const upload = new Upload(server, `/${name}`, headers);
  await Promise.race([upload.end(body), t.sleep(5000)]);
  if (upload.answer?.error && (await t.until(() => server.end, 300))) throw server.early();
  return said(upload.answer);
}
const word = (t) => `${t.token().replace(/\W/g, "a")}.bin`;
const bytes = (t, size) => Buffer.alloc(size, t.token());

/** Holds that the folder has these files only, once what has failed is cleared away. */
async function holds(t, folder, names, what) {
  const extra = () => readdirSync(folder).filter((name) => !names.includes(name));
  await t.until(() => extra().length === 0, 2000);
  t.ok(extra().length === 0, `${what}, part of an upload was left in the folder`, {
    saw: extra(),
    wanted: "nothing",
  });
}

export default {
  async stored(t) {
    const limit = t.random.integer(400, 600) * KIB;
    const { server, folder } = await started(t, limit, "plain");
    const name = word(t);
    for (const [size, headers] of [
      [t.random.integer(100_000, 200_000)],
      [0],
      [limit],
      [t.random.integer(1000, 2000), { "transfer-encoding": "chunked" }],
    ]) {
      const body = bytes(t, size);
      const status = await put(t, server, name, body, headers);
      const what = `an upload of ${size} bytes${headers ? " without content-length" : ""}${size === limit ? ", which is the limit," : ""}`;
      t.equal(status, 201, `${what} was not answered with 201`);
      t.ok(
        readdirSync(folder).includes(name) && server.read(join("files", name)).equals(body),
        `${what} was answered with 201, but its file has the wrong bytes or is missing`,
      );
    }
    await holds(t, folder, [name], "after uploads that succeeded");
  },

  async limit(t) {
    const limit = t.random.integer(400, 600) * KIB;
    const { server, folder } = await started(t, limit, "limited");
    const announced = new Upload(server, `/${word(t)}`, {
      "content-length": String(limit + t.random.integer(1, 10)),
    });
    announced.request.write("x");
    const first = await announced.answered(t, server);
    t.ok(
      first?.status === 413,
      `an upload whose content-length is above the limit was not rejected before its body arrived`,
      { saw: said(first), wanted: 413 },
    );
    await announced.leave();
    const silent = new Upload(server, `/${word(t)}`);
    await silent.pour(limit + 1);
    const answer = await silent.answered(t, server);
    t.ok(
      answer?.status === 413,
      `an upload without content-length had sent ${limit + 1} bytes, with a limit of ${limit}, but was not rejected`,
      { saw: said(answer), wanted: 413 },
    );
    await silent.leave();
    await holds(t, folder, [], "after two uploads that were too large");
    t.equal(
      await put(t, server, word(t), bytes(t, 1000)),
      201,
      "after two uploads that were too large, the next upload was not answered with 201",
    );
  },

  async leaves(t) {
    const { server, folder } = await started(t, 8 * MIB, "left");
    const name = word(t);
    const old = bytes(t, t.random.integer(10_000, 20_000));
    t.equal(await put(t, server, name, old), 201, "an upload was not answered with 201");
    const files = () =>
      Object.values(server.descriptors()).filter(
        (target) => target.includes(folder) || target.includes("/files/"),
      ).length;
    const uploads = Array.from(
      { length: LEAVING },
      (_, at) =>
        new Upload(
          server,
          `/${at % 3 ? word(t) : name}`,
          at % 2 ? {} : { "content-length": String(4 * MIB) },
        ),
    );
    await Promise.all(uploads.map((upload) => upload.pour(MIB)));
    // A busy server has them under way when it has answered one that came later, or has opened a file for each.
    const other = word(t);
    const passes = async (when) =>
      t.equal(
        await put(t, server, other, bytes(t, 1000)),
        201,
        `${when}, another upload was not answered with 201`,
      );
    await passes(`during ${LEAVING} uploads`);
    await t.until(() => files() >= LEAVING, 500);
    const seen = server.read(join("files", name));
    t.ok(
      seen.equals(old),
      "while an upload was under way, the file that previously had that name was already gone or changed",
      { saw: `${seen.length} bytes`, wanted: `${old.length} bytes` },
    );
    await Promise.all(uploads.map((upload) => upload.leave()));
    await passes(`after ${LEAVING} clients had left`);
    await holds(
      t,
      folder,
      [name, other],
      `after ${LEAVING} clients had left in the middle of their uploads`,
    );
    t.ok(
      readdirSync(folder).includes(name) && server.read(join("files", name)).equals(old),
      "an upload whose client left destroyed the file that previously had that name",
    );
    await t.until(() => files() === 0, 2000);
    t.ok(
      files() === 0,
      `${LEAVING} clients left in the middle of their uploads, and ${files()} files stayed open`,
      { wanted: "0 files" },
    );
    if (server.end) throw server.early();
  },

  async full(t) {
    // Only in the sandbox is there a disk that one may fill.
    if (!t.job.sandboxed)
      return t.note(
        "a full disk",
        "not tested, because without a sandbox there is no disk that may be filled",
      );
    const { server } = await started(t, 2 * SMALL_DISK, "full", { FOLDER: "/tmp" });
    // A server that closes the connection of a client that still sends loses an answer now and then: it may try again.
    let answer;
    for (let time = 0; time < 4 && !answer?.status; time++) {
      const upload = new Upload(server, `/${word(t)}`);
      await upload.pour(SMALL_DISK + MIB);
      if (!upload.answer) upload.request.end();
      answer = await upload.answered(t, server);
      await upload.leave();
      if (!answer) break;
    }
    t.ok(
      answer?.status === 507,
      "the disk became full in the middle of an upload, but the response was not a 507",
      {
        saw: said(answer),
        wanted: 507,
      },
    );
    let again;
    await t.until(async () => {
      again = await put(t, server, word(t), bytes(t, 2 * MIB));
      return again === 201;
    }, 2000);
    t.ok(
      again === 201,
      "after an upload had filled the disk, an upload of 2 MiB did not fit, so part of the first upload is still on the disk",
      { saw: again, wanted: 201 },
    );
  },

  async flat(t) {
    const { server, folder } = await started(t, 2 * LARGE, "large");
    const stores = (each) => put(t, each, word(t), bytes(t, MIB));
    await stores(server);
    const before = await t.before(
      server,
      async (each) => {
        mkdirSync(join(each.work, "files"));
        await stores(each);
      },
      (options) => t.server({ ...options, env: { FOLDER: "files", LIMIT: String(2 * LARGE) } }),
    );
    const name = word(t);
    const upload = new Upload(server, `/${name}`);
    await upload.pour(LARGE);
    upload.request.end();
    const answer = await Promise.race([upload.over, t.sleep(10_000)]);
    if (server.end) throw server.early();
    t.equal(
      said(answer),
      201,
      `an upload of ${LARGE / MIB} MiB, within the limit, was not answered with 201`,
    );
    server.alone();
    const grown = server.memory().peak - before;
    t.note("growth during a large upload (MiB)", Math.round(grown / MIB));
    t.ok(
      grown < (LARGE * 2) / 3,
      `an upload of ${LARGE / MIB} MiB made the server's memory grow by ${Math.round(grown / MIB)} MiB`,
      { wanted: "a few chunks" },
    );
    const stored = lstatSync(join(folder, name), { throwIfNoEntry: false });
    t.ok(
      stored?.isFile() && stored.size === LARGE,
      "a large upload was answered with 201, but its file is missing or has the wrong size",
      { saw: stored ? `${stored.size} bytes` : "no file", wanted: `${LARGE} bytes` },
    );
  },
};
