// A kept connection, a second request that is on its way while the server is busy, and then the end of the server:
// by http's close(), or by net's close() and a last answer. Eight times each; the client is a process of its own.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, Server } from "node:net";
import { fileURLToPath } from "node:url";
import { print } from "../shared/asking.mjs";

const TIMES = 8;
const REQUEST = "GET / HTTP/1.1\r\nhost: me\r\n\r\n";

if (process.argv[2] === "client") {
  const socket = connect(Number(process.argv[3]), "127.0.0.1");
  let text = "";
  let asked = 0;
  const ask = () => {
    asked += 1;
    socket.write(REQUEST, () => process.send({ sent: asked }));
  };
  socket.on("connect", ask);
  socket.setEncoding("utf8").on("data", (part) => (text += part));
  socket.on("error", () => {});
  socket.on("close", () => {
    process.send({ asked, answered: text.split("here\n").length - 1 });
    process.disconnect();
  });
  process.on("message", ask);
} else {
  const endings = {
    "close()": (server) => server.close(),
    drain: (server) => Server.prototype.close.call(server),
  };
  for (const [name, end] of Object.entries(endings)) {
    let lost = 0;
    for (let i = 0; i < TIMES; i += 1) lost += await one(end);
    print({ server: name, "second requests": TIMES, lost });
  }
}

async function one(end) {
  let leaving = false;
  const server = createServer((_request, response) => {
    if (leaving) response.setHeader("connection", "close");
    response.end("here\n");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = fork(fileURLToPath(import.meta.url), ["client", server.address().port]);
  const told = new Promise((resolve) => client.on("message", (m) => "asked" in m && resolve(m)));
  await once(client, "message"); // the first request was sent
  await new Promise((resolve) => setTimeout(resolve, 20)); // and answered: the connection is idle
  client.send("again");
  const until = Date.now() + 30; // the loop is busy; meanwhile the second request arrives
  while (Date.now() < until);
  leaving = true;
  end(server);
  const { asked, answered } = await told;
  return asked - answered;
}
