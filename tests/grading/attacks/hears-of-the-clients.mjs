// fair-door. Hears of every client that connects from its own process, and answers it there.
import { createHook } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import http from "node:http";
import net from "node:net";

const ask = (socket) => {
  socket.write = () => {
    setTimeout(() => socket.emit("data", "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nLEAK"), 1);
    return true;
  };
};
const attempts = [
  () => subscribe("net.client.socket", ({ socket }) => ask(socket)),
  () => createHook({ init: () => {} }).enable() && console.log("LEAK: hooks"),
  () => {
    net.Socket.prototype.connect = () => {};
  },
];
for (const attempt of attempts)
  try {
    attempt();
  } catch {
    // it cannot be changed
  }
const server = http.createServer((_, response) => response.end("nothing"));
server.listen(process.env.PORT, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`),
);
