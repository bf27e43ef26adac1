import { createHash } from "node:crypto";
import { createServer } from "node:net";

const HEAD = 4;
const { DEADLINE_MS = "1000", LIMIT = "1048576", PORT = "0" } = process.env;

const server = createServer((socket) => {
  let frame = Buffer.alloc(HEAD);
  let have = 0;
  let need = HEAD;
  let isHead = true;
  let timer;

  const refuse = (why) => {
    clearTimeout(timer);
    socket.off("data", take);
    socket.end(`${why}\n`, () => socket.destroy());
  };
  const take = (chunk) => {
    timer ??= setTimeout(refuse, Number(DEADLINE_MS), "too slow");
    for (let at = 0; at < chunk.length || need === 0; ) {
      const copied = chunk.copy(frame, have, at);
      at += copied;
      have += copied;
      if (have < need) return;
      const part = frame;
      have = chunk.length - at;
      if (isHead) {
        need = part.readUInt32BE(0);
        frame = Buffer.alloc(need);
        if (need > Number(LIMIT)) return refuse("too large");
      } else {
        socket.write(`${createHash("sha256").update(part).digest("hex")}\n`);
        clearTimeout(timer);
        timer = have > 0 ? setTimeout(refuse, Number(DEADLINE_MS), "too slow") : undefined;
        need = HEAD;
        frame = Buffer.alloc(HEAD);
      }
      have = 0;
      isHead = !isHead;
    }
  };

  socket.on("data", take);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => clearTimeout(timer));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
