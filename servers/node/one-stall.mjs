// Answers after DELAY_MS, but stands still once: for STALL_MS, AFTER_MS after it began to listen.
// The book uses it to find out which load tools notice that a server was gone for a second.
import { createServer } from "node:http";

const { PORT = "0", DELAY_MS = "10", STALL_MS = "1000", AFTER_MS = "1200" } = process.env;

// A busy loop stands for any synchronous work: nothing is accepted, read or answered meanwhile.
const stall = () => {
  const until = performance.now() + Number(STALL_MS);
  while (performance.now() < until);
};

const server = createServer((_request, response) => {
  setTimeout(() => {
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end("waited\n");
  }, Number(DELAY_MS));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
  if (Number(STALL_MS) > 0) setTimeout(stall, Number(AFTER_MS));
});
process.once("SIGTERM", () => process.exit(0));
