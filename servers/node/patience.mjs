// HTTP with the time-outs of its environment, in milliseconds; EVERY_MS is how often it looks for clients that are late.
// The book uses it to show what slow clients cost, and when they are sent away.
import { createServer } from "node:http";

const { HEADERS_MS = "60000", REQUEST_MS = "300000", IDLE_MS = "5000" } = process.env;
const { EVERY_MS = "30000", PORT = "0" } = process.env;

const options = {
  headersTimeout: Number(HEADERS_MS),
  requestTimeout: Number(REQUEST_MS),
  keepAliveTimeout: Number(IDLE_MS),
  connectionsCheckingInterval: Number(EVERY_MS),
};
const server = createServer(options, (request, response) => {
  request.resume().on("end", () => response.end("here\n"));
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
