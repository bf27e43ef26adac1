import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const { PORT = "0" } = process.env;

function linesOf(body) {
  const lines = body.replace(/\n$/, "").split("\n").sort();
  let answer = "";
  for (let i = 0, n = 1; i < lines.length; i++, n++)
    if (lines[i] !== lines[i + 1]) {
      answer += `${n} ${lines[i]}\n`;
      n = 0;
    }
  return answer;
}

const server = createServer(async (request, response) => {
  if (request.url === "/ping") return response.end("pong\n");
  response.end(linesOf(await text(request)));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
