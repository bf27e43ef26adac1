// The tasks of a small team, and who has read them when: a list for a report that nobody has written yet.
import { createServer } from "node:http";

const tasks = Array.from({ length: 40 }, (_, id) => ({
  id,
  title: `task ${id}`,
  done: id % 3 === 0,
}));
const readings = [];

createServer((req, res) => {
  const { pathname } = new URL(req.url, "http://localhost");
  if (pathname !== "/tasks") return res.writeHead(404).end();
  readings.push({
    at: new Date(),
    headers: { ...req.headers },
    agent: `${req.headers["user-agent"]} ${Date.now()}`,
  });
  res.setHeader("content-type", "application/json");
  res.end(JSON.stringify(tasks));
}).listen(process.env.PORT ?? 18144);
