import { createHash } from "node:crypto";
import { createServer } from "node:net";

const HEAD = 4;
const { PORT = "0" } = process.env; // LIMIT and DEADLINE_MS are also set

const server = createServer((socket) => {
  let frame = Buffer.alloc(HEAD);
  let have = 0;
  let isHead = true;
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    for (let at = 0; at < chunk.length || frame.length === 0; ) {
      const copied = chunk.copy(frame, have, at);
      at += copied;
      have += copied;
      if (have < frame.length) return;
      if (!isHead) socket.write(`${createHash("sha256").update(frame).digest("hex")}\n`);
      frame = Buffer.alloc(isHead ? frame.readUInt32BE(0) : HEAD);
      have = 0;
      isHead = !isHead;
    }
  });
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
