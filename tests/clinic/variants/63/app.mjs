// A register of addresses in memory, in a small container: it has room.
import { createServer } from "node:http";

const people = new Map();
for (let id = 0; id < 90_000; id++) {
  people.set(`p-${id}`, {
    id,
    name: `Person ${id}`,
    town: `Town ${id % 977}`,
    since: 1990 + (id % 30),
  });
}

createServer((_req, res) => {
  const id = Math.floor(Math.random() * people.size);
  res.setHeader("content-type", "application/json");
  res.end(JSON.stringify(people.get(`p-${id}`)));
}).listen(process.env.PORT ?? 18163);
