import { createServer } from "node:http";

const { DELAY_MS = "10", PORT = "0" } = process.env; // GRACE_MS is also set

const server = createServer((_request, response) => {
  setTimeout(() => response.end("done\n"), Number(DELAY_MS));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
