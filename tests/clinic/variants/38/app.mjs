// A proxy before a slow service, with connections that are kept and a pipeline to the caller.
import http from "node:http";
import { pipeline } from "node:stream";

const body = "answer ".repeat(3_000);
const service = http.createServer((_req, res) => setTimeout(() => res.end(body), 30));
service.listen(18238, "127.0.0.1");

const agent = new http.Agent({ keepAlive: true, maxSockets: 200 });
const proxy = http.createServer((req, res) => {
  const ask = http.get({ host: "127.0.0.1", port: 18238, path: req.url, agent }, (answer) => {
    res.writeHead(answer.statusCode, answer.headers);
    pipeline(answer, res, () => {});
  });
  ask.on("error", () => res.writeHead(502).end());
});
proxy.listen(18138, "127.0.0.1");
