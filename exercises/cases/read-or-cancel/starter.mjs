import { createServer } from "node:http";

const { UPSTREAM, PORT = "0" } = process.env;
const most = 1000; // {{most}}

async function preview(path) {
  const upstream = await fetch(`${UPSTREAM}${path}`, { redirect: "manual" });
  if (upstream.status !== 200) return { status: upstream.status, body: "" };
  const reader = upstream.body.getReader();
  const chunks = [];
  for (let size = 0; size < most; ) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
  }
  return { status: 200, body: Buffer.concat(chunks).subarray(0, most) };
}

const server = createServer(async (request, response) => {
  const { status, body } = await preview(request.url);
  response.writeHead(status).end(body);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
