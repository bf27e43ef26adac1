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
let number = 0; // of connections that are open, or are being opened

function take(response) {
  return new Promise((resolve) => {
    waiting.push({ response, resolve });
    serve();
  });
}

function serve() {
  while (waiting.length > 0 && (free.length > 0 || number < most)) {
    const { response, resolve } = waiting.shift();
    if (response.destroyed) continue; // its client has left
    let connection = free.pop();
    while (connection?.socket.destroyed) {
      number -= 1;
      connection = free.pop();
    }
    if (!connection) number += 1;
    resolve(connection ?? Connection.open());
  }
}

/** Without a connection, or with a broken one, there is room for a new one. */
function give(connection) {
  if (connection?.socket.destroyed === false) free.push(connection);
  else number -= 1;
  serve();
}

const server = createServer(async (request, response) => {
  let connection;
  try {
    connection = await take(response);
    const [, word, text] = /^(\w+) (.*)$/.exec(await connection.ask(request.url.slice(1)));
    response.writeHead(word === "error" ? 500 : 200).end(text);
  } catch {
    response.writeHead(502).end();
  } finally {
    give(connection);
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
