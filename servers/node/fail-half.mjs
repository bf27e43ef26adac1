// Sends FILE through a transform that breaks after LIMIT bytes at /break, HOW it is told: pipe or pipeline.
// The book uses it to count the descriptors that failed requests leave open; /open tells how many there are.
import { createReadStream, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { pipeline, Transform } from "node:stream";

const { FILE, HOW = "pipeline", LIMIT = "131072", PORT = "0" } = process.env;

function breaksAfter(limit) {
  let passed = 0;
  return new Transform({
    transform(chunk, _encoding, done) {
      passed += chunk.length;
      done(passed > limit ? new Error(`broke after ${limit} bytes`) : null, chunk);
    },
  });
}

const ways = {
  // As it is often written: every error is handled, and the response is closed.
  pipe: (file, step, response) => {
    step.on("error", () => response.destroy());
    file.pipe(step).pipe(response);
  },
  pipeline: (file, step, response) => pipeline(file, step, response, () => {}),
};

const server = createServer((request, response) => {
  if (request.url === "/open") return response.end(`${readdirSync("/dev/fd").length}\n`);
  response.setHeader("content-type", "text/plain; charset=utf-8");
  const file = createReadStream(FILE);
  file.once("error", (error) => {
    if (response.headersSent) return response.destroy();
    response.writeHead(503, { connection: "close" }).end(`cannot open the file: ${error.code}\n`);
  });
  const limit = request.url === "/break" ? Number(LIMIT) : Infinity;
  file.once("open", () => ways[HOW](file, breaksAfter(limit), response));
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
