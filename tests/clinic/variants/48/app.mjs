// Sessions in memory, a new one for each visitor without a cookie, as the store for development does it.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

const sessions = {};

function open() {
  const id = randomUUID();
  sessions[id] = { id, since: Date.now(), basket: [], seen: Array(20).fill("/") };
  return sessions[id];
}

createServer((req, res) => {
  const id = /session=([\w-]+)/.exec(req.headers.cookie ?? "")?.[1];
  const session = sessions[id] ?? open();
  res.setHeader("set-cookie", `session=${session.id}; HttpOnly`);
  res.end(`welcome, ${session.basket.length} articles in your basket`);
}).listen(process.env.PORT ?? 18148);
