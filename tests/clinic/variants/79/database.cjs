"use strict";
// A stand-in for the real database: one answer line for each query line, after a while.
const net = require("node:net");

const rows = Array.from({ length: 200 }, (_, id) => ({
  id,
  title: `Volume ${id}`,
  year: 1800 + id,
}));

const server = net.createServer((socket) => {
  let rest = "";
  socket.setNoDelay(true);
  socket.setEncoding("utf8");
  socket.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const id = Number(line.split(" ").pop()) % rows.length;
      setTimeout(() => socket.write(`${JSON.stringify(rows[id])}\n`), 18);
    }
  });
  socket.on("error", () => {});
});

server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
