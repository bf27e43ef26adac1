// Takes uploads and remembers the first 16 bytes of each, of the last COUNT; KEEP is view or copy.
// The book uses it to show what a small view of a large Buffer keeps alive, and where that is counted.
import { createServer } from "node:http";

const { KEEP = "copy", COUNT = "2000", PORT = "0" } = process.env;

const ids = new Array(Number(COUNT)).fill(null);
let uploads = 0;

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const upload = Buffer.concat(chunks);
    const id = upload.subarray(0, 16);
    ids[uploads++ % ids.length] = KEEP === "copy" ? Buffer.from(id) : id;
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end("kept\n");
  });
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
