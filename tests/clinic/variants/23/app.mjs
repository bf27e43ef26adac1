// Every request is reported to a collector over one socket; the collector reads slowly.
import { createServer } from "node:http";
import net from "node:net";

const collector = net.createServer((socket) => {
  socket.on("data", () => {
    socket.pause();
    setTimeout(() => socket.resume(), 100);
  });
});
await new Promise((done) => collector.listen(18223, "127.0.0.1", done));

const wire = net.connect(18223, "127.0.0.1");
const padding = "x".repeat(12_000);

createServer((req, res) => {
  wire.write(`${JSON.stringify({ at: Date.now(), url: req.url, padding })}\n`);
  res.end("ok\n");
}).listen(18123, "127.0.0.1");
