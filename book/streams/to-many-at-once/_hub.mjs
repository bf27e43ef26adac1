// A server of an event stream, and its clients in a process of their own. They end with the program that started them.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer, get } from "node:http";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { needDescriptors } from "../shared/limits.mjs";

const LONGEST_MS = 120_000; // no client lives longer
const head = { "content-type": "text/event-stream", "cache-control": "no-store" };

/**
 * A server at a free port of 127.0.0.1. `/events/N` is a response without an end, number N of `clients`.
 * Any other path is a ping.
 */
export const hub = async () => {
  const clients = [];
  const server = createServer((request, response) => {
    const [, number] = /^\/events\/(\d+)$/.exec(request.url) ?? [];
    if (!number) return response.end("pong");
    response.writeHead(200, head).flushHeaders();
    clients[number] = response;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, clients, port: server.address().port };
};

/** An event of so many bytes, as the standard writes it. */
export const event = (id, bytes = 100) =>
  `id: ${id}\ndata: ${JSON.stringify({ price: id }).padEnd(bytes - 16)}\n\n`;

/** So many clients of `/events`, which read. What is returned has them do something and gives their answer; `end()` ends them. */
export const crowd = async (port, many) => {
  needDescriptors(many + 100);
  const child = fork(fileURLToPath(import.meta.url), ["crowd", port]);
  const stop = () => {
    console.error("The process of the clients has ended too early.");
    process.exit(1);
  };
  child.once("exit", stop);
  const call = async (what, value) => {
    child.send([what, value]);
    const [answer] = await once(child, "message");
    return answer;
  };
  call.end = () => child.off("exit", stop).disconnect();
  if (many > 0) await call("open", many);
  return call;
};

const listen = (port, n) =>
  new Promise((resolve, reject) => {
    const path = `/events/${n}`;
    const request = get({ port, host: "127.0.0.1", path, agent: false }, (response) => {
      const client = { response, events: 0, last: "", rest: "", texts: [] };
      response.setEncoding("utf8").on("data", (chunk) => {
        const texts = (client.rest + chunk).split("\n\n");
        client.rest = texts.pop();
        client.events += texts.length;
        client.last = texts.at(-1) ?? client.last;
        client.hear?.(texts);
      });
      response.on("error", () => {}).on("close", () => (client.isClosed = true));
      resolve(client);
    });
    request.on("error", reject);
  });

/** What the clients can do. */
const orders = (port) => {
  const clients = [];
  const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const events = () => clients.reduce((sum, client) => sum + client.events, 0);
  return {
    async open(many) {
      for (let n = 0; n < many; n += 100)
        clients.push(
          ...(await Promise.all(
            Array.from({ length: Math.min(100, many - n) }, (_, at) => listen(port, n + at)),
          )),
        );
    },
    /** Waits until all clients together have got so many events. */
    async heard(many) {
      while (events() < many) await later(1);
      return events();
    },
    pause(n) {
      clients[n].response.pause();
    },
    /** Lets a client read again, until it has the event with this number or its connection is closed. */
    async resume([n, id]) {
      const client = clients[n];
      const texts = [];
      client.hear = (some) => texts.push(...some);
      client.response.resume();
      while (!client.isClosed && !client.last.startsWith(`id: ${id}\n`)) await later(1);
      return { texts: texts.map((text) => text.slice(0, 40)), closed: client.isClosed === true };
    },
    /** Waits until each client from this number on has got so many events. */
    async "heard at least"([from, many]) {
      while (clients.slice(from).some((client) => client.events < many)) await later(1);
    },
    /** Opens so many connections, sends each a text, and waits for the first bytes of an answer. */
    async connect([many, text]) {
      for (let n = 0; n < many; n++) {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {}).write(text);
        if (n % 100 === 99) await once(socket, "data");
      }
    },
  };
};

if (process.argv[2] === "crowd") {
  const order = orders(Number(process.argv[3]));
  process.on("message", async ([what, value]) => process.send((await order[what](value)) ?? null));
  process.once("disconnect", () => process.exit());
  setTimeout(() => process.exit(), LONGEST_MS).unref();
}
