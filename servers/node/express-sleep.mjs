// Waits DELAY_MS with a timer in each request, then answers with a line of text, through Express 5.
// The book uses it for the published "hello world", which was a wait of 100 ms.
import { setTimeout as sleep } from "node:timers/promises";
import express from "express";

const { PORT = "0", DELAY_MS = "100" } = process.env;

const app = express();
// Off, so that all servers of this experiment send the same headers.
app.disable("x-powered-by");
app.disable("etag");
app.get("/", async (_request, response) => {
  await sleep(Number(DELAY_MS));
  response.type("text/plain").send("Data response");
});

const server = app.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
