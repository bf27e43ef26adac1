// Every way of seven moves on one kept connection: what server.close(), draining and process.exit() do to a request, wherever it is.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, Server } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { modelOf, say, until, ways } from "./_model.mjs";

const REQUEST = "GET / HTTP/1.1\r\nhost: me\r\n\r\n";

/** The client has a loop of its own: it can send while the loop of the server stands still. */
function client() {
  const { port, shared } = workerData;
  const flags = new Int32Array(shared); // sent, answered, closed
  const socket = connect(port, "127.0.0.1");
  const bump = (i) => {
    Atomics.add(flags, i, 1);
    Atomics.notify(flags, i);
  };
  let text = "";
  socket.setEncoding("utf8").on("data", (part) => {
    text += part;
    const whole = text.split("here\n");
    text = whole.pop();
    for (const _ of whole) bump(1);
  });
  socket.on("connect", () => parentPort.postMessage(socket.localPort));
  socket.on("error", () => {}).on("close", () => bump(2));
  parentPort.on("message", (what) => {
    if (what === "leave") return process.exit();
    if (socket.destroyed || !socket.writable) bump(0);
    else socket.write(REQUEST, () => bump(0));
  });
}

async function real(way, moves, expected) {
  let [leaving, ended] = [false, false];
  const handling = [];
  // The client by its port: on a machine with other work somebody else may knock here, too, and is sent away.
  let port;
  const sockets = new Map();
  const isStranger = ({ remotePort }) => port !== undefined && remotePort !== port;
  const server = createServer({ keepAliveTimeout: 60_000 }, ({ socket }, response) => {
    if (socket.remotePort !== port) return socket.destroy();
    handling.push(() => {
      if (leaving && way === "drain") response.setHeader("connection", "close");
      response.end("here\n");
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const shared = new SharedArrayBuffer(12);
  const flags = new Int32Array(shared);
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { port: server.address().port, shared },
  });
  server.on("connection", (socket) => {
    if (isStranger(socket)) socket.destroy();
    else sockets.set(socket.remotePort, socket);
  });
  [port] = await once(worker, "message");
  await until(() => sockets.has(port), "the connection");
  const socket = sockets.get(port);
  for (const other of sockets.values()) if (isStranger(other)) other.destroy();
  const endings = {
    close: () => server.close(() => (ended = true)),
    drain: () => Server.prototype.close.call(server, () => (ended = true)),
    exit: () => {
      // As the end of a process: nobody listens, and whatever was open is gone.
      Server.prototype.close.call(server, () => (ended = true));
      server.closeAllConnections();
    },
  };
  let [sent, answered] = [0, 0];
  for (const [i, move] of moves.entries()) {
    if (move === "send") {
      sent += 1;
      worker.postMessage("send");
      // The loop of the server stands still meanwhile: what was sent lies in the kernel.
      const have = Atomics.load(flags, 0);
      if (have < sent) Atomics.wait(flags, 0, have, 10_000);
      assert.equal(Atomics.load(flags, 0), sent);
    } else if (move === "arrive") await until(() => handling.length > 0, `the handler: ${moves}`);
    else if (move === "answer") {
      handling.shift()();
      answered += 1;
      await until(() => Atomics.load(flags, 1) === answered, `answer ${answered}: ${moves}`);
      // An answer that says good-bye is followed by the end of the connection.
      if (leaving && way === "drain") await until(() => socket.destroyed, "the end of it");
    } else if (move === "term") {
      leaving = true;
      endings[way]();
    } else {
      Server.prototype.close.call(server);
      server.closeAllConnections();
    }
    // What comes on the wire must not be read before the next move, if that is the signal.
    if (moves[i] === "send") continue;
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const under_way = sent - answered;
  // What is to come may take a moment on a busy machine; what is not to come does not.
  const { open: stays, server: state } = expected;
  await until(() => ended === (state === "has ended") && socket.destroyed !== stays, moves);
  const seen = { answered: Atomics.load(flags, 1), open: !socket.destroyed, ended, under_way };
  worker.postMessage("leave");
  await once(worker, "exit");
  Server.prototype.close.call(server);
  server.closeAllConnections();
  return seen;
}

if (!isMainThread) client();
else {
  const model = await modelOf("close");
  let cases = 0;
  for (const way of ["exit", "close", "drain"])
    for (const { moves, state } of ways(model, 7, { way }, (id) => id !== "kill")) {
      // What is on the wire when all is over is no one's yet: those that end so are the beginning of others.
      if (moves.length < 4 || moves.at(-1) === "send") continue;
      const seen = await real(way, moves, state);
      const name = `${way}: ${moves}`;
      assert.equal(seen.answered, state.answered, name);
      assert.equal(seen.open, state.open, name);
      assert.equal(seen.ended, state.server === "has ended", name);
      // Lost: sent, and the connection is gone without an answer.
      assert.equal(seen.open ? 0 : seen.under_way, state.lost, name);
      cases += 1;
    }
  say(cases);
}
