// Asks a warehouse how many there are, which takes 60 ms; a timer stands for the warehouse.
import { createServer } from "node:http";

const { PORT = "0" } = process.env;

const server = createServer((_request, response) => {
  setTimeout(() => response.end("12 in stock\n"), 60);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
