// Recommendations: asked for again until they come, six times at most.
const http = require("node:http");

// The other service is overloaded: it answers one request of five.
let asked = 0;
const recommendations = http.createServer((_req, res) => {
  asked += 1;
  setTimeout(() => {
    res.statusCode = asked % 5 === 0 ? 200 : 503;
    res.end("[]");
  }, 4);
});
const agent = new http.Agent({ keepAlive: true });

function ask(port) {
  return new Promise((resolve, reject) => {
    http
      .get({ host: "127.0.0.1", port, path: "/for/anna", agent }, (res) => {
        res
          .resume()
          .on("end", () => (res.statusCode === 200 ? resolve("some") : reject(new Error("busy"))));
      })
      .on("error", reject);
  });
}

async function patiently(port) {
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    try {
      return await ask(port);
    } catch {
      // It may work the next time.
    }
  }
  return "none";
}

recommendations.listen(0, "127.0.0.1", () => {
  const { port } = recommendations.address();
  http
    .createServer(async (_req, res) => res.end(await patiently(port)))
    .listen(process.env.PORT || 18172, "127.0.0.1");
});
