// The tasks of a small team: a list in memory, read by everybody, changed now and then.
import { createServer } from "node:http";

const tasks = Array.from({ length: 40 }, (_, id) => ({
  id,
  title: `task ${id}`,
  done: id % 3 === 0,
}));

createServer((req, res) => {
  const { pathname, searchParams } = new URL(req.url, "http://localhost");
  if (pathname !== "/tasks") return res.writeHead(404).end();
  const open = searchParams.get("open") === "1" ? tasks.filter((task) => !task.done) : tasks;
  res.setHeader("content-type", "application/json");
  res.end(JSON.stringify(open));
}).listen(process.env.PORT ?? 18143);
