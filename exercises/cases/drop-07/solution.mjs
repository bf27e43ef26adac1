import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
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
const { FOLDER = "files", LIMIT = String(limit), PORT = "3000" } = process.env;
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
  ["/sums", { GET: sumUp }],
]);
// What there is at each path that ends with the name of a file.
const ofFiles = new Map([
  ["/files/", { GET: send, PUT: store }],
  ["/previews/", { GET: preview }],
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

// ---------------------------------------------------------------- for how long

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
  try {
    const chunks = request.iterator({ destroyOnReturn: false });
    await pipeline(chunks, limited, createWriteStream(part));
    isNew = await stat(path).then(
      () => false,
      () => true,
    );
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
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
  const { size: bytes, mtimeNs, ino } = await file.stat({ bigint: true });
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
      parentPort.postMessage({ status: error.code === "ENOENT" ? 404 : 422 });
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
    const isMissing = error.code === "ENOENT" || error.code === "EISDIR";
    throw Object.assign(error, { status: isMissing ? 404 : 500 });
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

// ---------------------------------------------------------------- the server

const server = createServer(answer);

function leave() {
  // The process ends when the last connection has, and no worker keeps it.
  server.close(() => {
    for (const worker of workers) worker.terminate();
  });
  server.closeIdleConnections();
}

server.once("error", (error) => {
  console.error(`port ${PORT} cannot be listened on: ${error.message}`);
  process.exitCode = 1;
});
if (isMainThread) {
  await mkdir(FOLDER, { recursive: true });
  server.listen(Number(PORT), "127.0.0.1", () => {
    console.log(`listening on http://127.0.0.1:${server.address().port}`);
  });
  process.once("SIGTERM", leave);
  process.once("SIGINT", leave);
} else work();
