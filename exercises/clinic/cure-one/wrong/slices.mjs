import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const { PORT = "0" } = process.env;

async function linesOf(body) {
  const found = [];
  let done = 0;
  for (const line of body.replace(/\n$/, "").split("\n")) {
    const same = found.find((one) => one.line === line);
    if (same) same.count += 1;
    else found.push({ line, count: 1 });
    if (++done % 500 === 0) await new Promise(setImmediate);
  }
  return found.map(({ line, count }) => `${count} ${line}\n`).join("");
}

const server = createServer(async (request, response) => {
  if (request.url === "/ping") return response.end("pong\n");
  response.end(await linesOf(await text(request)));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
