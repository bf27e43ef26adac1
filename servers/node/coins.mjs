// Moves a coin from one account to another over one of PLACES connections, WORK_MS each; /bad asks for a coin that is not there.
// The book uses it for what stays behind when a request fails half-way and the process goes on.
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

const { PORT = "0", PLACES = "4", WORK_MS = "20", HOW = "as if all went well" } = process.env;
const work = () => wait(Number(WORK_MS));
const accounts = { mine: 1000, yours: 0 };
const queue = [];
let free = Number(PLACES);

const take = async () => {
  if (free > 0) free -= 1;
  else await new Promise((resolve) => queue.push(resolve));
};
const give = () => {
  if (queue.length > 0) queue.shift()();
  else free += 1;
};

// ways to move a coin
const move = async (coin) => {
  accounts.mine -= 1;
  await work();
  accounts.yours += coin.worth;
};
const moveAsOne = async (coin) => {
  await work();
  const { worth } = coin; // what can fail comes before the first change
  accounts.mine -= worth;
  accounts.yours += worth;
};
const andGiveBack = (step) => (coin) => take().then(() => step(coin).finally(give));
const ways = {
  "as if all went well": (coin) =>
    take()
      .then(() => move(coin))
      .then(give),
  "given back in any case": andGiveBack(move),
  "and all or nothing": andGiveBack(moveAsOne),
};

const server = createServer(async (request, response) => {
  if (request.url === "/sum") return response.end(`${accounts.mine + accounts.yours}\n`);
  try {
    await ways[HOW](request.url === "/bad" ? undefined : { worth: 1 });
    response.end("moved\n");
  } catch {
    response.writeHead(500).end("failed\n");
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
