// Prices come from another service, over connections that are kept.
const http = require("node:http");

const prices = http.createServer((_req, res) => {
  setTimeout(() => res.end(JSON.stringify({ price: 12.5 })), 8);
});
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

function ask(port, path) {
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
    .listen(process.env.PORT || 18151, "127.0.0.1");
});
