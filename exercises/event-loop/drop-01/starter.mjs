import { createServer } from "node:http";

const drop = "heron"; // {{drop}}

const server = createServer((_request, response) => {
  response.setHeader("content-type", "text/plain");
  response.end(`drop ${drop}\n`);
});

server.listen(3000, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
