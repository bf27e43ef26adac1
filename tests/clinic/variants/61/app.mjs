// The weather of a town, asked of another service, over as many connections as it takes.
import http from "node:http";

const stations = http.createServer((_req, res) => {
  setTimeout(() => res.end(JSON.stringify({ degrees: 21 })), 25);
});
await new Promise((resolve) => stations.listen(0, "127.0.0.1", resolve));
const { port } = stations.address();
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

function degrees(town) {
  return new Promise((resolve, reject) => {
    const asked = http.get({ host: "127.0.0.1", port, agent, path: `/${town}` }, async (res) => {
      let text = "";
      for await (const part of res) text += part;
      resolve(JSON.parse(text).degrees);
    });
    asked.on("error", reject);
  });
}

http
  .createServer(async (_req, res) => {
    try {
      res.end(`${await degrees("oslo")} degrees`);
    } catch {
      res.writeHead(502).end();
    }
  })
  .listen(process.env.PORT ?? 18161, "127.0.0.1");
