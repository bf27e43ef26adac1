// Connections to the other service are kept for ever; between the two is a device that forgets those which are idle.
const http = require("node:http");

const FORGETS_MS = 250;
const stock = http.createServer((_req, res) => setTimeout(() => res.end("3"), 3));
stock.on("connection", (socket) => {
  let last = Date.now();
  socket.prependListener("data", () => {
    if (Date.now() - last > FORGETS_MS) socket.resetAndDestroy();
    last = Date.now();
  });
});
const agent = new http.Agent({ keepAlive: true });

function ask(port) {
  return new Promise((resolve, reject) => {
    http
      .get({ host: "127.0.0.1", port, path: "/stock/7", agent }, (res) =>
        res.resume().on("end", () => resolve("3")),
      )
      .on("error", reject);
  });
}

stock.listen(0, "127.0.0.1", () => {
  const { port } = stock.address();
  http
    .createServer(async (_req, res) => res.end(await ask(port).catch(() => "unknown")))
    .listen(process.env.PORT || 18176, "127.0.0.1");
});
