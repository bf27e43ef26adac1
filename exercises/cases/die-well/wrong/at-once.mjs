import { createServer } from "node:http";

const { UPSTREAM, PORT = "0" } = process.env;

const server = createServer(async (request, response) => {
  if (request.url === "/break") {
    setTimeout(() => {
      throw new Error("the ledger does not add up");
    }, 1);
    return response.end("it will\n");
  }
  const answer = await fetch(`${UPSTREAM}${request.url}`);
  response.end(await answer.text());
});

process.on("uncaughtException", (error) => {
  console.error(error.stack);
  process.exit(1);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
