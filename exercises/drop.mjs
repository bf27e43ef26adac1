// What the checks of the file drop's steps share: how a drop is asked, and that a later step still does what the first ones did.
import http from "node:http";

export const KIB = 1024;
export const MIB = KIB * KIB;

/** What a drop of any step may let wait: checks of steps that have no limit of that kind yet ask for many things at once. */
export const ROOMY = { ROOM: "1000" };

/** Starts the drop with a folder of its own, `files`, which is not there yet. */
export const started = (t, env = {}, options = {}) =>
  t.server({ ...options, env: { FOLDER: "files", ...env } });

/** The drop where its calls can be noted by a scene: as `started`, with the same methods and `port`. */
export async function loaded(t, env = {}) {
  // Frameworks change built-in objects, or copies of them, in ways that are not possible when these are locked.
  const student = await t.module({ locked: false, env: { FOLDER: "files", PORT: "0", ...env } });
  if (!(await t.until(() => student.listens(), 4000)))
    t.miss(
      'your server did not listen: it should call listen(process.env.PORT, "127.0.0.1")',
      student.told(),
    );
  student.port = student.listens();
  return student;
}

/** One request; an error that comes of a server which has ended is said as that. */
export async function ask(t, server, path, options = {}) {
  const answer = await t.get(server, path, options);
  if (answer.error && (await t.until(() => server.end, 300))) throw server.early();
  if (answer.error === "ECONNREFUSED")
    t.miss(
      'your server listens, but cannot be reached at 127.0.0.1: it should call listen(process.env.PORT, "127.0.0.1")',
      { saw: answer.error },
    );
  return { ...answer, text: `${options.method ?? "GET"} ${path}` };
}

export const outcome = ({ error, status, body }) => error ?? `${status}, ${body.length} bytes`;
export const statusOf = (answer) => (answer ? (answer.error ?? answer.status) : "no response");

/** Holds that an answer has this status. */
export function has(t, answer, status, because = "") {
  t.ok(
    !answer.error && answer.status === status,
    `${answer.text} was not answered with ${status}${because}`,
    { saw: outcome(answer), wanted: status },
  );
}

/** The greeting and the ping, for GET and HEAD, whatever the query. */
export async function greets(t, server) {
  const query = `?${t.token()}=1`;
  for (const [path, body, type] of [
    ["/", `drop ${t.parameters.drop}\n`, "text/plain"],
    ["/ping", "pong\n", "text/plain"],
    [`/ping${query}`, "pong\n", "text/plain"],
  ])
    for (const method of ["GET", "HEAD"]) {
      const answer = await ask(t, server, path, { method });
      const isQuery = path.endsWith(query);
      has(t, answer, 200, isQuery ? ", although what follows a ? is not part of the path" : "");
      const wanted = method === "HEAD" ? "" : body;
      t.equal(
        answer.body.toString(),
        wanted,
        method === "HEAD"
          ? `the response to ${answer.text} should have no body`
          : `${answer.text} was answered with the wrong text`,
      );
      t.ok(
        String(answer.headers["content-type"]).startsWith(type),
        `the response to ${answer.text} has the wrong content-type`,
        { saw: answer.headers["content-type"] ?? "none", wanted: type },
      );
    }
}

/** No such path is a 404, and another method a 405 that names those there are. */
export async function refuses(t, server, { unknown = [] } = {}) {
  const word = t.token();
  for (const path of [`/${word}`, "/pin", `/ping/${word}`, "/pingpong", ...unknown]) {
    has(t, await ask(t, server, path), 404, ", though nothing exists at that path");
    has(
      t,
      await ask(t, server, path, { method: "POST" }),
      404,
      ", though nothing exists at that path",
    );
  }
  for (const path of ["/", "/ping"])
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const answer = await ask(t, server, path, { method });
      has(t, answer, 405, `. The path ${path} exists, but does not support ${method}`);
      const allow = String(answer.headers.allow ?? "none");
      t.equal(
        allow
          .split(/\s*,\s*/)
          .sort()
          .join(", "),
        "GET, HEAD",
        `the allow header of the 405 for ${answer.text} does not list exactly the methods that exist`,
      );
    }
}

/** SIGTERM, while a client keeps its connection: exit code 0. */
export async function leaves(t, server, signal = "SIGTERM") {
  const agent = new http.Agent({ keepAlive: true });
  try {
    await ask(t, server, "/ping", { agent });
    server.signal(signal);
    const ended = await t.until(() => server.end, 6000);
    t.ok(
      ended,
      `6 s after ${signal}, while a client kept an idle connection open, the server was still running and had to be killed`,
      {
        wanted: "exit code 0",
      },
    );
    if (server.reason) throw server.reason; // the grader has ended it
    const { code, signal: by } = server.end;
    const look = () =>
      t.ok(
        code === 0,
        `after ${signal}, the server ended ${by ? `by ${by}` : `with exit code ${code}`}, which looks like a failure`,
        { wanted: "exit code 0" },
      );
    if (by === signal) certainly(look);
    else look();
  } finally {
    agent.destroy();
  }
}

/** What the first step taught, in a few requests. */
export async function first(t, server) {
  await greets(t, server);
  has(t, await ask(t, server, `/${t.token()}`), 404, ", though nothing exists at that path");
  has(
    t,
    await ask(t, server, "/ping", { method: "DELETE" }),
    405,
    ". The path /ping exists, but does not support DELETE",
  );
}

/** An upload under way: what has been sent, and its answer when it has come. */
export class Upload {
  sent = 0;
  text = "";
  constructor(server, name, headers = {}, { method = "PUT", path = `/files/${name}` } = {}) {
    this.over = new Promise((resolve) => {
      const done = (answer) => {
        this.answer ??= answer;
        resolve(this.answer);
      };
      this.request = http.request({
        host: "127.0.0.1",
        port: server.port,
        path,
        method,
        // Without this word the client asks for a close, and a server that does as it is told may lose its answer.
        headers: { connection: "keep-alive", ...headers },
        agent: false,
      });
      this.request.on("response", (response) => {
        response.setEncoding("utf8").on("data", (text) => {
          this.text += text;
        });
        response
          .on("error", () => {})
          .on("close", () => {
            this.isRead = true;
          });
        done({ status: response.statusCode, headers: response.headers });
      });
      this.request.on("error", (error) => done({ error: error.code }));
      this.request.on("close", () => done({ error: "closed" }));
      this.gone = new Promise((gone) => this.request.once("close", gone));
    });
  }
  /** Sends these bytes in pieces, as fast as they are taken, until an answer comes. */
  async pour(content, piece = 64 * KIB) {
    for (let at = 0; at < content.length && !this.answer; at += piece) {
      const now = content.subarray(at, at + piece);
      this.sent += now.length;
      if (!this.request.write(now))
        await Promise.race([
          this.over,
          new Promise((resolve) => this.request.once("drain", resolve)),
        ]);
    }
  }
  /** Its answer within some seconds, or none. */
  async answered(t, server) {
    await t.until(() => this.answer, 8000);
    if (this.answer?.error && (await t.until(() => server.end, 300))) throw server.early();
    return this.answer;
  }
  async end(t, server) {
    this.request.end();
    return this.answered(t, server);
  }
  leave() {
    this.request.destroy();
    return this.gone;
  }
}

/** Puts a file there whole: the status, an error's code, or "no response". */
export async function put(t, server, name, content, headers) {
  const upload = new Upload(server, name, headers);
  upload.request.end(content);
  return statusOf(await upload.answered(t, server));
}

/** Looks at what no other program changes, however busy the machine is: a miss is one on any day. */
export function certainly(look) {
  try {
    look();
  } catch (error) {
    throw Object.assign(error, { sure: true });
  }
}

/** A name that cannot be guessed. */
export const word = (t) => `${t.token().replace(/\W/g, "a")}.bin`;

/** A name that is not valid is a 400, in a few requests. */
export async function holdsNames(t, server) {
  for (const name of ["..%2Fx", ".x", "%zz", "a".repeat(t.parameters.longest + 1)])
    for (const method of ["PUT", "GET"]) {
      const options = { method, ...(method === "PUT" && { body: "x" }) };
      const answer = await ask(t, server, `/files/${name}`, options);
      has(t, answer, 400, ", although that is not a valid file name");
    }
}

/** Bytes of which no part is like another. */
export const bytes = (t, size) => {
  const content = Buffer.alloc(size);
  for (let at = 0; at + 4 <= size; at += 4) content.writeUInt32LE((t.random() * 2 ** 32) >>> 0, at);
  return content;
};

const openFiles = (server) =>
  Object.values(server.descriptors()).filter((target) => target.endsWith(".bin")).length;

/** Holds that after what `when` says no file of the drop stays open. */
export async function closesFiles(t, server, when) {
  await t.until(() => openFiles(server) === 0, 3000);
  if (server.end) throw server.early();
  const open = openFiles(server);
  t.ok(open === 0, `${when}, but ${open} files stayed open`, { wanted: "0 open files" });
}

/** A picture of one colour as a binary PPM, and its preview. */
export function plain(shrink) {
  const ppm = (width, height) =>
    Buffer.concat([
      Buffer.from(`P6\n${width} ${height}\n255\n`),
      Buffer.alloc(3 * width * height, 97),
    ]);
  return { picture: ppm(2 * shrink, shrink), preview: ppm(2, 1) };
}

/** What the first three steps taught, in a few requests, to a drop that has no files yet. Returns the file that it has then. */
export async function threeSteps(t, server) {
  await first(t, server);
  await holdsNames(t, server);
  const name = word(t);
  const content = bytes(t, 5000);
  t.equal(
    await put(t, server, name, content),
    201,
    "the upload of a new file was not answered with 201",
  );
  const answer = await ask(t, server, `/files/${name}`, { headers: { range: "bytes=10-19" } });
  has(t, answer, 206);
  t.ok(
    answer.body.equals(content.subarray(10, 20)),
    `the response to ${answer.text} has the wrong bytes`,
  );
  const tags = { "if-none-match": answer.headers.etag };
  has(t, await ask(t, server, `/files/${name}`, { headers: tags }), 304);
  return { name, content };
}

/** What the first five steps taught, in a few requests, to a drop that has no files yet; then it is told to end. */
export async function fiveSteps(t, server) {
  const { name } = await threeSteps(t, server);
  const tooLarge = await put(t, server, word(t), bytes(t, t.parameters.limit + 1));
  t.equal(tooLarge, 413, "an upload one byte over the limit was not refused");
  const list = await ask(t, server, "/files");
  t.equal(
    list.body?.toString(),
    JSON.stringify([{ name, bytes: 5000 }]),
    "the response to GET /files is the wrong list",
  );
  const { picture, preview } = plain(t.parameters.shrink);
  const pictureName = word(t);
  await put(t, server, pictureName, picture);
  const small = await ask(t, server, `/previews/${pictureName}`);
  has(t, small, 200);
  t.ok(small.body.equals(preview), `the response to ${small.text} is the wrong picture`);
  has(t, await ask(t, server, `/previews/${name}`), 422, ", although that is not a picture");
  await leaves(t, server);
}

/** What the first six steps taught: sums, on a drop of their own, and what `fiveSteps` asks another one. */
export async function sixSteps(t) {
  const server = await started(t);
  const [name, content] = [word(t), bytes(t, 300)];
  await put(t, server, name, content);
  const line = `${t.digest(content)}  ${name}\n`;
  await answers(
    t,
    sumsOf(server, [{ name }, { name }]),
    200,
    line + line,
    "sums were requested, as in earlier steps",
  );
  await fiveSteps(t, await started(t));
}

/**
 * Files of the drop that are as slow as the check likes: named pipes, which hold a thread of the drop's pool while it reads them.
 * `began` has those that are being read, or were, in the order in which they were first seen so.
 */
export class Slow {
  began = [];
  constructor(t, server, count) {
    this.files = Array.from({ length: count }, () => {
      const name = word(t);
      return { name, pipe: t.fifo(server, `files/${name}`), text: t.token() };
    });
  }
  /** How many the drop has begun to read. */
  async look() {
    for (const file of this.files)
      if (!this.began.includes(file) && (await file.pipe.isRead())) this.began.push(file);
    return this.began.length;
  }
  /** Whether so many begin within some seconds. */
  begin(t, count, ms = 3000) {
    return t.until(async () => (await this.look()) >= count, ms);
  }
  async end(file) {
    file.isOver = true;
    await file.pipe.end(file.text);
  }
  get active() {
    return this.began.filter(({ isOver }) => !isOver);
  }
  /** Ends all, also those that begin meanwhile. */
  endAll(t) {
    return t.until(async () => {
      await this.look();
      for (const file of this.active) await this.end(file);
      return this.files.every(({ isOver }) => isOver);
    }, 3000);
  }
}

/** A request that is under way: `over` is its answer, with the milliseconds until then; `leave` closes its connection. */
export function asking(server, path, headers = {}) {
  const began = performance.now();
  let request;
  const over = new Promise((resolve) => {
    const done = (answer) => resolve({ ms: performance.now() - began, ...answer });
    request = http.get({ host: "127.0.0.1", port: server.port, path, headers, agent: false });
    request.on("response", (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk)).on("error", () => {});
      response.on("end", () =>
        done({
          status: response.statusCode,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on("error", ({ code }) => done({ error: code }));
  });
  const gone = new Promise((resolve) => request.once("close", resolve));
  const leave = () => {
    request.destroy();
    return gone;
  };
  return { over, leave };
}

// However busy the machine is, that is time enough; a check of deadlines says another time, or none.
export const PATIENT = { "x-time-left": "60000" };
export const sumsOf = (server, files, headers = PATIENT) =>
  asking(server, `/sums?of=${files.map(({ name }) => name).join(",")}`, headers);
export const previewOf = (server, { name }, headers = PATIENT) =>
  asking(server, `/previews/${name}`, headers);

/** Returns when the drop has all requests that were sent before, and knows who has left: later ones have been answered. */
export async function settled(t, server) {
  for (let time = 0; time < 2; time++) {
    await t.sleep(20);
    const answer = await t.get(server, "/ping", { seconds: 4 });
    if (answer.error && (await t.until(() => server.end, 300))) throw server.early();
    if (String(answer.body) !== "pong\n")
      t.miss("a ping was not answered while sums and previews were under way", {
        saw: outcome(answer),
      });
  }
}

/** Holds that a file is being read now, for a client that waits. */
export async function begins(t, slow, count, what) {
  if (!(await slow.begin(t, count, 6000)))
    t.miss(`a client was waiting for ${what}, but its file, a named pipe, was not read`, {
      saw: `${slow.began.length} of ${count}`,
    });
}

/** Holds that an answer is this one; a client that waited for it is not let down. */
export async function answers(t, request, status, body, when) {
  const answer = await Promise.race([request.over, t.sleep(8000, { error: "no response" })]);
  t.ok(
    answer.status === status && (body === undefined || answer.body === body),
    `${when}, but a client that waited for its response did not get the right one`,
    { saw: answer.error ?? `${answer.status} ${answer.body}`, wanted: `${status} ${body ?? ""}` },
  );
}

/** Holds that none of these files is begun. */
export async function untouched(t, slow, message) {
  await t.sleep(300);
  const count = await slow.look();
  t.ok(count === 0, message, { saw: `${count} of ${slow.files.length} begun`, wanted: "none" });
}

export const lineOf = (t, { name, text }) => `${t.digest(text)}  ${name}\n`;
