import { createServer } from "node:http";

const { UPSTREAM, PORT = "0" } = process.env;
const most = 1000; // {{most}}

async function preview(path) {
  const upstream = await fetch(`${UPSTREAM}${path}`, { redirect: "manual" });
  if (upstream.status !== 200) {
    await upstream.body?.cancel();
    return { status: upstream.status, body: "" };
  }
  const chunks = [];
  let size = 0;
  for await (const chunk of upstream.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= most) break; // which cancels the rest
  }
  return { status: 200, body: Buffer.concat(chunks).subarray(0, most) };
}

const server = createServer(async (request, response) => {
  const { status, body } = await preview(request.url).catch(() => ({ status: 502, body: "" }));
  response.writeHead(status).end(body);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
