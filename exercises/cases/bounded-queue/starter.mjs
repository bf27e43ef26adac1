import { createServer } from "node:http";

const { UPSTREAM, PORT = "0" } = process.env;

const server = createServer(async (request, response) => {
  if (request.url === "/ping") return response.end("pong\n");
  const answer = await fetch(`${UPSTREAM}${request.url}`);
  response.end(await answer.text());
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
