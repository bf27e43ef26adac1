// A thousand idle clients of an event stream, of WebSockets, and of bare sockets. How much memory does each
// take in the server's process, in V8's heap and in Buffers?
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttp } from "node:http";
import { createServer as createNet } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { print } from "../shared/asking.mjs";
import { crowd } from "./_hub.mjs";
import { accept, frame } from "./_websocket.mjs";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const WARM = 50;
const CLIENTS = 1000;
const held = new Set();

const get = (...lines) => `${["GET / HTTP/1.1", "host: me", ...lines].join("\r\n")}\r\n\r\n`;
const key = Buffer.alloc(16).toString("base64");
const upgrade = get("upgrade: websocket", "connection: upgrade", `sec-websocket-key: ${key}`);
const ways = {
  "bare socket": {
    hello: "hello",
    server: createNet((socket) => {
      held.add(socket);
      socket.on("error", () => {}).on("data", () => socket.write("hello"));
    }),
  },
  WebSocket: {
    hello: upgrade,
    server: createHttp().on("upgrade", (request, socket) => {
      held.add(accept(request, socket));
      socket.write(frame("hello"));
    }),
  },
  "WebSocket, with its request": {
    hello: upgrade,
    server: createHttp().on("upgrade", (request, socket) => {
      held.add({ request, socket: accept(request, socket) });
      socket.write(frame("hello"));
    }),
  },
  "event stream": {
    hello: get(),
    server: createHttp((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      held.add(response);
      response.write("data: hello\n\n");
    }),
  },
};

const memory = async () => {
  for (let n = 0; n < 3; n++) {
    collect();
    await after(20);
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024;
};

const weigh = async (client) => {
  const { server, hello } = ways[client];
  await once(server.listen(0, "127.0.0.1"), "listening");
  const call = await crowd(server.address().port, 0);
  await call("connect", [WARM, hello]);
  while (held.size < WARM) await after(5);
  const before = await memory();
  await call("connect", [CLIENTS, hello]);
  while (held.size < WARM + CLIENTS) await after(5);
  const now = await memory();
  print({ client, "KiB each": (now - before) / CLIENTS });
};

// Each kind of client has a process of its own, so that none uses the memory that another left.
const [, file, one] = process.argv;
if (one) await weigh(one);
else
  for (const client of Object.keys(ways))
    execFileSync(process.execPath, [file, client], { stdio: "inherit" });
process.exit();
