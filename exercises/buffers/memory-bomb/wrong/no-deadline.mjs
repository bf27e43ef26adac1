import { createHash } from "node:crypto";
import { createServer } from "node:net";

const HEAD = 4;
const { LIMIT = "1048576", PORT = "0" } = process.env;

const server = createServer((socket) => {
  let chunks = [];
  let have = 0;
  let need = HEAD;
  let isHead = true;

  const refuse = (why) => {
    chunks = [];
    socket.off("data", take);
    socket.end(`${why}\n`, () => socket.destroy());
  };
  const take = (chunk) => {
    chunks.push(chunk);
    have += chunk.length;
    while (have >= need) {
      const all = Buffer.concat(chunks, have);
      const part = all.subarray(0, need);
      chunks = [all.subarray(need)];
      have -= need;
      if (isHead) {
        need = part.readUInt32BE(0);
        if (need > Number(LIMIT)) return refuse("too large");
      } else {
        socket.write(`${createHash("sha256").update(part).digest("hex")}\n`);
        need = HEAD;
      }
      isHead = !isHead;
    }
  };

  socket.on("data", take);
  socket.on("error", () => socket.destroy());
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
