import { createServer } from "node:http";

const { DELAY_MS = "10", PORT = "0" } = process.env;

const server = createServer((_request, response) => {
  setTimeout(() => {
    response.end("done\n");
  }, Number(DELAY_MS));
});

const leave = () => server.close(() => process.exit(0));

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", leave);
