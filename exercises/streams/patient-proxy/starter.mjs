import { createServer } from "node:http";

const { UPSTREAM = "http://127.0.0.1:8080", PORT = "0" } = process.env; // TIMEOUT_MS is also set

const server = createServer(async (request, response) => {
  const { method, headers } = request;
  const body = Buffer.concat(await request.toArray());
  const answer = await fetch(UPSTREAM + request.url, {
    method,
    headers: { "content-type": headers["content-type"] ?? "" },
    body: body.length > 0 ? body : undefined,
  });
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
  response.end(Buffer.from(await answer.arrayBuffer()));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
