import { randomUUID } from "node:crypto";
import { access, mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { framework } from "like-hono";

const drop = "";
const limit = 0;
const longest = 0;
const { FOLDER = "files", LIMIT = String(limit), PORT = "3000" } = process.env;
const NAME = new RegExp(`^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,${longest - 1}}$`);

const text = (body) => () => new Response(body, { headers: { "content-type": "text/plain" } });
const empty = (status) => new Response(null, { status });

function decoded(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return "";
  }
}

async function keep(request, part) {
  const file = await open(part, "wx");
  const reader = request.body.getReader(); // a loop would cancel the stream, and with it the connection
  let bytes = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      bytes += next.value.length;
      if (bytes > Number(LIMIT)) return 413;
      await file.writeFile(next.value);
    }
    return request.signal.aborted ? 500 : 201;
  } finally {
    await file.close();
  }
}

async function store(request, [encoded]) {
  const name = decoded(encoded);
  if (!NAME.test(name)) return empty(400);
  if (Number(request.headers.get("content-length")) > Number(LIMIT)) return empty(413);
  const part = join(FOLDER, `.${randomUUID()}`);
  try {
    const status = await keep(request, part);
    if (status !== 201) return empty(status);
    const isNew = await access(join(FOLDER, name)).then(
      () => false,
      () => true,
    );
    await rename(part, join(FOLDER, name));
    return empty(isNew ? 201 : 200);
  } finally {
    await rm(part, { force: true });
  }
}

await mkdir(FOLDER, { recursive: true });
const server = framework()
  .on("GET", "/", text(`drop ${drop}\n`))
  .on("GET", "/ping", text("pong\n"))
  .on("PUT", "/files/(.*)", store)
  .server();
server.once("error", (error) => {
  console.error(`port ${PORT} cannot be listened on: ${error.message}`);
  process.exitCode = 1;
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
for (const signal of ["SIGTERM", "SIGINT"])
  process.once(signal, () => {
    server.close();
    server.closeIdleConnections();
  });
