// Prices come from another service; each caller makes its own agent, and its connection stays open.
const http = require("node:http");

const prices = http.createServer({ keepAliveTimeout: 0 }, (_req, res) => {
  setTimeout(() => res.end(JSON.stringify({ price: 12.5 })), 60);
});

function ask(port, path) {
  const agent = new http.Agent({ keepAlive: true });
  return new Promise((resolve, reject) => {
    http
      .get({ host: "127.0.0.1", port, path, agent }, (res) => {
        let text = "";
        res.setEncoding("utf8").on("data", (part) => {
          text += part;
        });
        res.on("end", () => resolve(JSON.parse(text)));
      })
      .on("error", reject);
  });
}

prices.listen(0, "127.0.0.1", () => {
  const { port } = prices.address();
  http
    .createServer((_req, res) => {
      ask(port, "/price").then(
        ({ price }) => res.end(`costs ${price}`),
        () => res.writeHead(502).end(),
      );
    })
    .listen(process.env.PORT || 18152, "127.0.0.1");
});
