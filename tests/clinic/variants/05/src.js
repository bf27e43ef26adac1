// A ranking: the handler only reads it, but a timer sorts all players anew four times a second.
import { createServer } from "node:http";

const players = Array.from({ length: 120_000 }, (_, id) => ({ name: `player ${id}`, points: 0 }));
let best = [];

function refresh() {
  for (const player of players) player.points = Math.floor(Math.random() * 1e6);
  best = [...players]
    .sort((a, b) => b.points - a.points || a.name.localeCompare(b.name))
    .slice(0, 10);
}

refresh();
setInterval(refresh, 250);

const server = createServer((_req, res) => {
  res.setHeader("content-type", "application/json");
  res.end(JSON.stringify(best));
});
server.listen(process.env.PORT ?? 18105, "127.0.0.1");
