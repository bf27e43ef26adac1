// Says where the service with the prices is just now.
import { createServer } from "node:http";
import { resolverOfNames } from "./_names.mjs";

const { PORT = "0" } = process.env;
const names = await resolverOfNames();

const server = createServer(async (_request, response) => {
  const [address] = await names.resolve4("prices.test");
  response.end(`prices are at ${address}\n`);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
