import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const { PORT = "0" } = process.env;

function linesOf(body) {
  const counts = new Map(); // which keeps the order in which its keys were set
  for (const line of body.replace(/\n$/, "").split("\n"))
    counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => `${count} ${line}\n`).join("");
}

const server = createServer(async (request, response) => {
  if (request.url === "/ping") return response.end("pong\n");
  response.end(linesOf(await text(request)));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
