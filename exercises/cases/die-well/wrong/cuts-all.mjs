import { createServer } from "node:http";

const { UPSTREAM, PORT = "0" } = process.env;
const GRACE_MS = 2000; // {{grace}}

let dying = false;

const server = createServer(async (request, response) => {
  if (request.url === "/break") {
    setTimeout(() => {
      throw new Error("the ledger does not add up");
    }, 1);
    return response.end("it will\n");
  }
  const answer = await fetch(`${UPSTREAM}${request.url}`);
  if (dying) response.setHeader("connection", "close");
  response.end(await answer.text());
});

process.on("uncaughtException", (error) => {
  console.error(error.stack);
  process.exitCode = 1;
  if (dying) return; // the time does not begin again
  dying = true;
  server.close(() => process.exit(1)); // no new ones; called when the last connection has ended
  server.closeAllConnections();
  setTimeout(() => process.exit(1), GRACE_MS);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
