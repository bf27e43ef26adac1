import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const drop = "heron"; // {{drop}}
const limit = 524288; // {{limit}}
const longest = 40; // {{longest}}
const { FOLDER = "files", LIMIT = String(limit), PORT = "3000" } = process.env;
const FILES = "/files/";
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
]);
const ofFiles = { PUT: store };

function respond(response, status, headers = {}) {
  response.writeHead(status, headers).end();
}

/** The methods at a path, and the name of the file if it is one of a file. */
function lookUp(path) {
  if (!path.startsWith(FILES)) return { methods: routes.get(path) };
  try {
    return { methods: ofFiles, name: decodeURIComponent(path.slice(FILES.length)) };
  } catch {
    return { methods: ofFiles, name: "" }; // %zz cannot be decoded
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
    respond(response, error.status ?? 500);
    request.resume(); // a connection closed under a client that still sends may lose the answer
  }
}

// ---------------------------------------------------------------- files

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

// ---------------------------------------------------------------- the server

const server = createServer(answer);

function leave() {
  server.close(); // the process ends when the last connection has
  server.closeIdleConnections();
}

server.once("error", (error) => {
  console.error(`port ${PORT} cannot be listened on: ${error.message}`);
  process.exitCode = 1;
});
await mkdir(FOLDER, { recursive: true });
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", leave);
process.once("SIGINT", leave);
