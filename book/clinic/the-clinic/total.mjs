// Adds up a hundred thousand amounts, some of which may have to be fetched one day.
import { createServer } from "node:http";
import { setImmediate as turn } from "node:timers/promises";

const { PORT = "0", EVERY = "0" } = process.env;
const every = Number(EVERY); // steps between two turns; 0: no turns
const amounts = Array.from({ length: 100_000 }, (_, i) => i % 100);

async function total() {
  let sum = 0;
  let steps = 0;
  for (const amount of amounts) {
    sum += await amount;
    steps += 1;
    if (steps === every) {
      steps = 0;
      await turn();
    }
  }
  return sum;
}

const server = createServer(async (request, response) => {
  if (request.url === "/ping") return response.end("pong\n");
  response.end(`${await total()}\n`);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
