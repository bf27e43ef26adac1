import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const { DATABASE, PORT = "0" } = process.env;
const most = 4; // {{most}}

/** A connection to the database, for one query at a time; `socket.destroyed` says whether it is broken. */
class Connection {
  /** Rejects if the database refuses. */
  static async open() {
    const socket = connect(Number(DATABASE), "127.0.0.1");
    await once(socket, "connect");
    return new Connection(socket);
  }

  constructor(socket) {
    this.socket = socket;
    socket.on("error", () => {});
    socket.on("close", () => this.reject?.(new Error("the connection broke")));
    const lines = createInterface({ input: socket }).on("error", () => {});
    lines.on("line", (line) => this.resolve(line));
  }

  /** Resolves to the answer, and rejects if the connection breaks before it comes. */
  ask(name) {
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) throw new Error("the connection was broken");
      Object.assign(this, { resolve, reject });
      this.socket.write(`${name}\n`);
    });
  }
}

const free = [];
const waiting = []; // requests that get the next connections
let number = 0;

async function take() {
  if (free.length > 0) return free.pop();
  if (number < most) {
    number += 1;
    return Connection.open();
  }
  return new Promise((resolve) => waiting.push(resolve));
}

function give(connection) {
  const next = waiting.shift();
  if (next) next(connection);
  else free.push(connection);
}

const server = createServer(async (request, response) => {
  try {
    const connection = await take();
    const [, word, text] = /^(\w+) (.*)$/.exec(await connection.ask(request.url.slice(1)));
    if (word === "error") return response.writeHead(500).end(text);
    give(connection);
    response.end(text);
  } catch {
    response.writeHead(502).end();
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
