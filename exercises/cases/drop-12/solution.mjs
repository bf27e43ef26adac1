import cluster from "node:cluster";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { Server } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

const drop = "heron"; // {{drop}}
const limit = 524288; // {{limit}}
const longest = 40; // {{longest}}
const page = 50; // {{page}}
const shrink = 4; // {{shrink}}
const sums = 2; // {{sums}}
const patience = 3000; // {{patience}}
const room = 3; // {{room}}
const grace = 4000; // {{grace}}
const kept = 50; // {{kept}}
const members = 20; // {{members}}
const idle = 600; // {{idle}}
const {
  FOLDER = "files",
  GRACE = String(grace),
  IDLE = String(idle),
  LIMIT = String(limit),
  PORT = "3000",
  ROOM = String(room),
  WORKERS = "1",
} = process.env;
const THREADS = 3;
const NAME = new RegExp(`^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,${longest - 1}}$`);

// ---------------------------------------------------------------- what there is

function text(body) {
  return (_request, response) => {
    response.setHeader("content-type", "text/plain");
    response.end(body); // which Node leaves out for HEAD
  };
}

// What there is at each path, by method.
const routes = new Map([
  ["/", { GET: text(`drop ${drop}\n`) }],
  ["/ping", { GET: text("pong\n") }],
  ["/files", { GET: list }],
  ["/events", { GET: listen }],
  ["/sums", { GET: atMost(sums + Number(ROOM), sumUp) }],
  ["/archives", { POST: unpack }],
]);
// What there is at each path that ends with the name of a file.
const ofFiles = new Map([
  ["/files/", { GET: send, PUT: store }],
  ["/previews/", { GET: atMost(THREADS + Number(ROOM), preview) }],
]);

function respond(response, status, headers = {}) {
  response.writeHead(status, headers).end();
}

/** The methods at a path, and the name of the file if it is one of a file. */
function lookUp(path) {
  const above = [...ofFiles.keys()].find((each) => path.startsWith(each));
  if (!above) return { methods: routes.get(path) };
  const methods = ofFiles.get(above);
  try {
    return { methods, name: decodeURIComponent(path.slice(above.length)) };
  } catch {
    return { methods, name: "" }; // %zz cannot be decoded
  }
}

async function answer(request, response) {
  isBusy(request, response);
  const { methods, name } = lookUp(request.url.split("?")[0]);
  if (!methods) return respond(response, 404);
  const handler = methods[request.method === "HEAD" ? "GET" : request.method];
  if (!handler) {
    const names = Object.keys(methods).flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : each));
    return respond(response, 405, { allow: names.join(", ") });
  }
  if (name !== undefined && !NAME.test(name)) return respond(response, 400);
  try {
    await handler(request, response, name);
  } catch (error) {
    if (response.writableEnded || response.destroyed) return; // its client has an answer, or has left
    if (response.headersSent) response.destroy();
    else respond(response, error.status ?? 500);
    request.resume(); // a connection closed under a client that still sends may lose the answer
  }
}

// ---------------------------------------------------------------- how many, and for how long

/** A handler that lets in so many requests at once, and refuses the others before anything is done for them. */
function atMost(most, handler) {
  let inside = 0;
  return (request, response, name) => {
    if (inside === most) return respond(response, 503, { "retry-after": "1" });
    inside++;
    response.once("close", () => inside--); // answered, late, or without a client
    return handler(request, response, name);
  };
}

/** A signal that is aborted when an answer is of no use any more: its client has left, or its time is over, which is a 504. */
function whileOfUse(request, response) {
  const controller = new AbortController();
  const given = request.headers["x-time-left"] ?? "";
  const late = () => {
    if (!response.headersSent) respond(response, 504);
    controller.abort();
  };
  const left = /^\d{1,9}$/.test(given) ? Number(given) : patience;
  if (left === 0) late();
  const timer = setTimeout(late, left);
  // An answer that has been sent closes, too; a request closes as soon as its body was read.
  response.once("close", () => {
    clearTimeout(timer);
    controller.abort();
  });
  return controller.signal;
}

// ---------------------------------------------------------------- files

/** What is sent of a file in a list; null if the file is gone. */
async function listed(name) {
  const stats = await stat(join(FOLDER, name)).catch(() => null);
  return stats?.isFile() ? { name, bytes: stats.size } : null;
}

async function list(request, response) {
  const after = new URLSearchParams(request.url.split("?")[1]).get("after") ?? "";
  const names = (await readdir(FOLDER)).filter((name) => NAME.test(name) && name > after).sort();
  const files = [];
  // Some names of a page may be gone, or may not be files: then the next names are tried.
  for (let at = 0; files.length < page && at < names.length; ) {
    const some = names.slice(at, at + page - files.length);
    files.push(...(await Promise.all(some.map(listed))).filter(Boolean));
    at += some.length;
  }
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(files));
}

const isMissing = ({ code }) => code === "ENOENT" || code === "EISDIR";
const tooLarge = () => Object.assign(new Error(`more than ${LIMIT} bytes`), { status: 413 });

async function* limited(chunks) {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > Number(LIMIT)) throw tooLarge();
    yield chunk;
  }
}

async function store(request, response, name) {
  if (Number(request.headers["content-length"]) > Number(LIMIT)) throw tooLarge();
  const path = join(FOLDER, name);
  const part = join(FOLDER, `.${randomUUID()}`); // no name that a client may use
  let isNew;
  let bytes;
  try {
    const chunks = request.iterator({ destroyOnReturn: false });
    const file = createWriteStream(part);
    await pipeline(chunks, limited, file);
    bytes = file.bytesWritten;
    isNew = await stat(path).then(
      () => false,
      () => true,
    );
    await rename(part, path).catch((error) => {
      throw Object.assign(error, { status: error.code === "EISDIR" ? 409 : 500 });
    });
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  await tell({ name, bytes, note: request.headers["x-note"] ?? "" });
  respond(response, isNew ? 201 : 200);
}

/** First and last byte; undefined if we do not know such a header, null if the file has none of these bytes. */
function range(header, size) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (!first && !last) return undefined;
  if (!first)
    return Number(last) > 0 && size > 0 ? [Math.max(0, size - Number(last)), size - 1] : null;
  if (last && Number(last) < Number(first)) return undefined;
  return Number(first) < size
    ? [Number(first), Math.min(last ? Number(last) : size, size - 1)]
    : null;
}

/** Whether a client says that it has a file with this tag. */
function isKnown(header, etag) {
  if (header === undefined) return false;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}

/** What an answer says of a file that is open: status, headers, and which bytes belong to its body. */
async function described(request, file) {
  const stats = await file.stat({ bigint: true });
  if (stats.isDirectory()) return { status: 404, headers: {} };
  const { size: bytes, mtimeNs, ino } = stats;
  const size = Number(bytes);
  const etag = `"${[bytes, mtimeNs, ino].map((part) => part.toString(36)).join("-")}"`;
  if (isKnown(request.headers["if-none-match"], etag)) return { status: 304, headers: { etag } };
  const span = range(request.headers.range, size);
  if (span === null) return { status: 416, headers: { "content-range": `bytes */${size}` } };
  const [start, end] = span ?? [0, size - 1];
  const headers = {
    "accept-ranges": "bytes",
    "content-length": end - start + 1,
    "content-type": "application/octet-stream",
    etag,
  };
  if (span) headers["content-range"] = `bytes ${start}-${end}/${size}`;
  return { status: span ? 206 : 200, headers, start, end };
}

async function send(request, response, name) {
  const file = await open(join(FOLDER, name)).catch((error) => {
    throw Object.assign(error, { status: error.code === "ENOENT" ? 404 : 500 });
  });
  try {
    const { status, headers, start, end } = await described(request, file);
    response.writeHead(status, headers);
    if (request.method === "HEAD" || start === undefined || end < start) return response.end();
    const chunks = file.createReadStream({ start, end, autoClose: false });
    return await pipeline(chunks, response).catch(() => {}); // a client that has left needs no answer
  } finally {
    await file.close();
  }
}

// ---------------------------------------------------------------- archives

const notWellFormed = (what) => Object.assign(new Error(what), { status: 400 });

/** The bytes of a request, which come in chunks that are cut anywhere, in the parts that a reader asks for. */
class Input {
  #rest = Buffer.alloc(0); // what has come and was not asked for yet
  #chunks;
  constructor(request) {
    this.#chunks = request.iterator({ destroyOnReturn: false });
  }
  /** Whether there are more bytes. */
  async hasMore() {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return false;
      this.#rest = value;
    }
    return true;
  }
  /** The next bytes as they come, so many in all. */
  async *pass(count) {
    for (let missing = count; missing > 0; ) {
      if (!(await this.hasMore())) throw notWellFormed("the archive is truncated");
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  }
  /** The next bytes in one piece: for few bytes, as they are kept until all have come. */
  async take(count) {
    const parts = [];
    for await (const part of this.pass(count)) parts.push(part);
    return Buffer.concat(parts);
  }
}

/** Writes the files of an archive into a folder; returns what there are. Each number is compared with its limit before it is used. */
async function extract(input, folder) {
  const files = [];
  for (;;) {
    const head = await input.take(6);
    const [length, size] = [head.readUInt16BE(0), head.readUInt32BE(2)];
    if (length === 0) {
      if (size !== files.length) throw notWellFormed("the archive has another number of files");
      if (await input.hasMore()) throw notWellFormed("bytes follow the end");
      return files;
    }
    if (files.length === members || size > Number(LIMIT)) throw tooLarge();
    if (length > longest) throw notWellFormed("a name is too long");
    const name = (await input.take(length)).toString("latin1");
    if (!NAME.test(name)) throw notWellFormed("a name is not valid");
    if (files.some((file) => file.name === name)) throw notWellFormed("a name occurs twice");
    await pipeline(input.pass(size), createWriteStream(join(folder, name)));
    files.push({ name, bytes: size });
  }
}

async function unpack(request, response) {
  const folder = join(FOLDER, `.${randomUUID()}`); // no name that a client may use
  await mkdir(folder);
  let files;
  try {
    files = await extract(new Input(request), folder);
    for (const { name } of files) {
      const there = await stat(join(FOLDER, name)).catch(() => null);
      if (there?.isDirectory()) throw Object.assign(new Error("a folder"), { status: 409 });
    }
    for (const { name } of files) await rename(join(folder, name), join(FOLDER, name));
  } finally {
    await rm(folder, { force: true, recursive: true });
  }
  const note = request.headers["x-note"] ?? "";
  await Promise.all(files.map(({ name, bytes }) => tell({ name, bytes, note })));
  response.writeHead(201, { "content-type": "application/json" });
  response.end(JSON.stringify(files));
}

// ---------------------------------------------------------------- previews

const noPicture = () => Object.assign(new Error("no picture"), { status: 422 });

/** A smaller picture of a picture. Throws if the bytes are not a picture. */
function smaller(bytes) {
  const [header, ...sizes] =
    /^P6\n(\d{1,9}) (\d{1,9})\n255\n/.exec(bytes.toString("latin1", 0, 40)) ?? [];
  const [width, height] = sizes.map(Number);
  const [columns, rows] = [Math.floor(width / shrink), Math.floor(height / shrink)];
  if (!(columns > 0 && rows > 0) || bytes.length < header.length + 3 * width * height)
    throw noPicture();
  const head = Buffer.from(`P6\n${columns} ${rows}\n255\n`);
  const picture = new Uint8Array(head.length + 3 * columns * rows); // memory of its own
  picture.set(head);
  let to = head.length;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      for (let colour = 0; colour < 3; colour++) {
        const from = header.length + 3 * (row * shrink * width + column * shrink) + colour;
        let sum = 0;
        for (let y = 0; y < shrink; y++)
          for (let x = 0; x < shrink; x++) sum += bytes[from + 3 * (y * width + x)];
        picture[to++] = Math.floor(sum / shrink ** 2);
      }
  return picture;
}

/** What a worker does: it reads the file itself, so that the loop has nothing to copy. */
function work() {
  parentPort.on("message", (path) => {
    try {
      const picture = smaller(readFileSync(path));
      parentPort.postMessage({ picture }, [picture.buffer]);
    } catch (error) {
      parentPort.postMessage({ status: error.status ?? (isMissing(error) ? 404 : 500) });
    }
  });
}

const workers = new Set();
const free = [];
const jobs = []; // which wait for a worker that is free

/** Gives jobs to workers that are free, or to new ones as long as there are few. */
function assign() {
  while (jobs.length > 0 && (free.length > 0 || workers.size < THREADS)) {
    if (jobs[0].signal.aborted) {
      jobs.shift().done({});
      continue;
    }
    const worker = free.pop() ?? started();
    worker.job = jobs.shift();
    worker.postMessage(worker.job.path);
  }
}

function started() {
  const worker = new Worker(new URL(import.meta.url));
  workers.add(worker);
  worker.on("message", (answer) => {
    const { job } = worker;
    worker.job = undefined;
    free.push(worker);
    job.done(answer);
    assign();
  });
  worker.on("error", () => {}); // "exit" follows
  worker.on("exit", () => {
    workers.delete(worker);
    if (free.includes(worker)) free.splice(free.indexOf(worker), 1);
    worker.job?.done({ status: 422 });
    assign();
  });
  return worker;
}

async function preview(request, response, name) {
  const signal = whileOfUse(request, response);
  const { picture, status } = await new Promise((done) => {
    jobs.push({ path: join(FOLDER, name), signal, done });
    assign();
  });
  if (signal.aborted) return undefined;
  if (status) return respond(response, status);
  response.writeHead(200, {
    "content-length": picture.length,
    "content-type": "image/x-portable-pixmap",
  });
  return response.end(picture);
}

// ---------------------------------------------------------------- sums

let reading = 0; // files that are read for sums
const waiting = []; // for one of these to be done

/**
 * Does a job when its turn comes: the pool has four threads, and sums leave some of them to everything else. A job that is of no use
 * by then is not begun. One that is under way keeps its place until it has ended, as it may hold a thread until then.
 */
async function inTurn(job, signal) {
  if (reading < sums) reading++;
  else await new Promise((begin) => waiting.push(begin));
  try {
    signal.throwIfAborted();
    return await job();
  } finally {
    const begin = waiting.shift();
    if (begin)
      begin(); // in the place of the job that is done
    else reading--;
  }
}

async function sum(name, signal) {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(join(FOLDER, name), { signal })) hash.update(chunk);
  } catch (error) {
    throw Object.assign(error, { status: isMissing(error) ? 404 : 500 });
  }
  return `${hash.digest("hex")}  ${name}\n`;
}

async function sumUp(request, response) {
  const names = (new URLSearchParams(request.url.split("?")[1]).get("of") ?? "").split(",");
  if (names.length > page || !names.every((name) => NAME.test(name))) return respond(response, 400);
  const signal = whileOfUse(request, response);
  let lines = "";
  // One after another: a long list is in the queue with one name at a time, and other clients come between.
  for (const name of names) lines += await inTurn(() => sum(name, signal), signal);
  response.setHeader("content-type", "text/plain");
  return response.end(lines);
}

// ---------------------------------------------------------------- events

const listeners = new Set();
const recentEvents = []; // the last events, as texts; all listeners are fed from here, each at its pace
let last = 0; // the number of the last event

const lines = (event, data, id = "") => `${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Keeps the next event, and returns its text. */
function keep(file) {
  last++;
  recentEvents.push(lines("file", file, `id: ${last}\n`));
  if (recentEvents.length > kept) recentEvents.shift();
  for (const listener of listeners) feed(listener);
}

const unanswered = []; // what to call when the first process has answered, in the order of the questions

/** Asks the first process. All events that were counted before it answers have come before the answer does. */
function ask(question) {
  process.send(question);
  return new Promise((resolve) => unanswered.push(resolve));
}

/** Tells all listeners of a file: one process counts for all, and what it says comes to each in the same order. */
function tell(file) {
  if (cluster.isPrimary) return keep(file);
  return ask({ file });
}

/** Sends a listener what follows, as long as it takes more; "drain" goes on. What is not kept any more is a gap. */
function feed(listener) {
  const first = last - recentEvents.length + 1;
  while (listener.next <= last && !listener.response.writableNeedDrain) {
    if (listener.next < first) {
      listener.response.write(lines("gap", { missed: first - listener.next }));
      listener.next = first;
    } else listener.response.write(recentEvents[listener.next++ - first]);
  }
}

async function listen(request, response) {
  // What a listener has heard from another process may still be on its way to this one.
  if (cluster.isWorker) await ask({});
  if (response.destroyed) return undefined; // its client has left meanwhile
  response.writeHead(200, { "cache-control": "no-store", "content-type": "text/event-stream" });
  if (request.method === "HEAD" || isLeaving) return response.end();
  response.flushHeaders();
  const heard = request.headers["last-event-id"] ?? "";
  const isKnown = /^\d{1,15}$/.test(heard) && Number(heard) <= last;
  const listener = { response, next: (isKnown ? Number(heard) : last) + 1 };
  listeners.add(listener);
  response.on("drain", () => feed(listener));
  response.once("close", () => listeners.delete(listener));
  return feed(listener);
}

// ---------------------------------------------------------------- the server

const server = createServer(answer);
const sockets = new Set();
const busy = new Map(); // of these, those with an answer that has not been sent
let isLeaving = false;

server.on("connection", (socket) => {
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
});

/** Notes that a connection is busy until its answer has been sent. */
function isBusy({ socket }, response) {
  busy.set(socket, response);
  if (isLeaving) isLast(response);
  response.once("close", () => {
    busy.delete(socket);
    if (isLeaving) closeIdle(socket);
  });
}

/** Says with an answer that it is the last one on its connection, which Node then closes. */
function isLast(response) {
  if (!response.headersSent) response.setHeader("connection", "close");
}

let wait = Number(IDLE);

/** Closes a connection unless its client asks for something in time; that answer says that it is the last one. */
function closeIdle(socket) {
  const close = () => busy.has(socket) || socket.destroySoon();
  if (wait > 0) setTimeout(close, wait).unref();
  else close();
}

/** Takes no new connection, and ends when all answers have been sent, or after GRACE ms. */
function leave() {
  if (isLeaving) return;
  isLeaving = true;
  // That of http also closes connections which are idle, and a client may just be asking for something.
  Server.prototype.close.call(server, () => {
    for (const worker of workers) worker.terminate();
    if (cluster.isWorker) cluster.worker.disconnect();
  });
  setTimeout(() => process.exit(), Number(GRACE)).unref();
  for (const response of busy.values()) isLast(response);
  // Answers to listeners have no end of their own, and one who does not read does not take that either.
  for (const { response } of listeners) {
    response.end();
    setTimeout(() => response.destroy(), 1000).unref();
  }
  listeners.clear();
  for (const socket of sockets) if (!busy.has(socket)) closeIdle(socket);
}

/** An error that no request can be blamed for: what is still right is not known, so the process ends as well as it can. */
function fail(error) {
  console.error(error);
  if (process.exitCode) return; // it is leaving already
  process.exitCode = 1;
  wait = 0;
  leave();
}

server.once("error", (error) => {
  console.error(`port ${PORT} cannot be listened on: ${error.message}`);
  process.exitCode = 1;
  if (cluster.isWorker) process.exit();
});

async function serve() {
  await mkdir(FOLDER, { recursive: true });
  server.listen(Number(PORT), "127.0.0.1", () => {
    const { port } = server.address();
    if (cluster.isPrimary) console.log(`listening on http://127.0.0.1:${port}`);
  });
  process.once("SIGTERM", leave);
  process.once("SIGINT", leave);
  process.on("uncaughtException", fail); // and promises that are rejected and not handled
}

// ---------------------------------------------------------------- several processes

/** What a process that serves is told by the first one. */
function hear({ begin, file, isAnswer, isOver }) {
  if (begin) {
    recentEvents.splice(0, recentEvents.length, ...begin.recentEvents);
    last = begin.last;
    serve();
  }
  if (file) keep(file);
  if (isAnswer) unanswered.shift()();
  if (isOver) leave();
}

const post = (worker, message) => worker.isConnected() && worker.send(message, () => {});
const all = () => Object.values(cluster.workers);

function startProcess() {
  const worker = cluster.fork();
  worker.on("error", () => {}); // a message to one that has just ended; "exit" follows
  return worker;
}

/** Whether a process listens, or has ended before it did. */
const listens = (worker) =>
  Promise.race([
    once(worker, "listening").then(() => true),
    once(worker, "exit").then(() => false),
  ]);

/** A new process for each, one after another: the one before leaves when the new one listens. */
async function restart() {
  for (const worker of all().filter(({ isReplaced }) => !isReplaced)) {
    if (isLeaving || worker.isDead()) continue;
    const next = startProcess();
    next.isReplaced = true; // until it listens: then nothing is missing if it ends before
    if (!(await listens(next))) return;
    next.isReplaced = false;
    worker.isReplaced = true;
    post(worker, { isOver: true });
  }
}

/** The first process: it starts the others, counts events for all, and answers nothing. */
async function lead() {
  cluster.on("message", (sender, { isReady, file }) => {
    // What is sent to a process before it hears may be lost.
    if (isReady)
      return post(sender, isLeaving ? { isOver: true } : { begin: { recentEvents, last } });
    if (!file) return post(sender, { isAnswer: true });
    keep(file);
    for (const worker of all()) post(worker, { file, isAnswer: worker === sender });
  });
  cluster.on("exit", ({ isReplaced, process: { exitCode } }) => {
    if (isLeaving || isReplaced) return;
    // One that cannot start is not tried again and again without a pause.
    setTimeout(() => isLeaving || startProcess(), exitCode ? 200 : 0);
  });
  const end = () => {
    isLeaving = true;
    for (const worker of all()) post(worker, { isOver: true });
    const kill = () => {
      for (const worker of all()) worker.process.kill("SIGKILL");
    };
    setTimeout(kill, Number(GRACE) + 1000).unref();
  };
  process.once("SIGTERM", end);
  process.once("SIGINT", end);
  let restarted = Promise.resolve();
  process.on("SIGHUP", () => {
    restarted = restarted.then(restart);
  });
  let port;
  cluster.once("listening", (_worker, address) => {
    port = address.port;
  });
  const started = Array.from({ length: Number(WORKERS) }, startProcess);
  if ((await Promise.all(started.map(listens))).every(Boolean))
    return console.log(`listening on http://127.0.0.1:${port}`);
  if (isLeaving) return undefined;
  process.exitCode = 1; // the process that could not listen has said why
  return end();
}

if (!isMainThread) work();
else if (cluster.isWorker) {
  process.on("message", hear);
  process.send({ isReady: true });
} else if (Number(WORKERS) > 1) await lead();
else await serve();
