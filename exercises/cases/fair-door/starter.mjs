import { createHash } from "node:crypto";
import { createServer } from "node:http";

const { PORT = "0", ROUNDS = "1000" } = process.env;

function work(path) {
  let result = path;
  for (let i = 0; i < Number(ROUNDS); i++)
    result = createHash("sha256").update(result).digest("hex");
  return result;
}

const server = createServer((request, response) => {
  response.end(work(request.url));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
