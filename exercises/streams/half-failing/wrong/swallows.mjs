import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { Transform } from "node:stream";

const { FOLDER = ".", PORT = "0" } = process.env;

/** Passes a text on, and fails where it is none. */
const onlyText = () =>
  new Transform({
    transform(chunk, _encoding, done) {
      done(chunk.includes(0) ? new Error("this is not text: it has a zero byte") : null, chunk);
    },
  });

const server = createServer((request, response) => {
  const file = createReadStream(join(FOLDER, basename(request.url)));
  file.once("error", () => {
    if (!response.headersSent) response.writeHead(404).end();
  });
  file.once("open", () => {
    response.setHeader("content-type", "text/plain; charset=utf-8");
    const step = onlyText();
    step.on("error", () => response.end());
    response.on("close", () => file.destroy());
    file.pipe(step).pipe(response);
  });
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
