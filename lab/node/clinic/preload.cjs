// Preloaded into a reader's own program, and by NODE_OPTIONS into every Node that it starts: waits until the process
// listens, and only then watches it. A process that never listens, as npm, is left alone.
// Must not be noticed: keeps no process alive, prints nothing, throws nothing.
"use strict";
const place = process.env.LAB_CLINIC;
if (place && require("node:worker_threads").isMainThread) wait(place);

function wait(socketPath) {
  const channel = require("node:diagnostics_channel");
  const portOf = new WeakMap(); // server -> the port that it asked for
  const sockets = new Set(); // those that the program opened, and has not closed
  const questions = require("./drivers.cjs")();
  let inside;
  const { Socket } = require("node:net");
  const { connect } = Socket.prototype; // drivers of databases come by here, and not by net.connect()
  Socket.prototype.connect = function (...args) {
    if (!sockets.has(this)) {
      sockets.add(this);
      this.once("close", () => sockets.delete(this));
    }
    return connect.apply(this, args);
  };
  Object.defineProperty(Socket.prototype.connect, "name", { value: "connect" });
  channel.subscribe("tracing:net.server.listen:asyncStart", ({ server, options }) => {
    portOf.set(server, options?.port);
  });
  // In every Node since 20, for all servers of node:net: HTTP, HTTPS and HTTP/2 as well.
  channel.subscribe("tracing:net.server.listen:asyncEnd", ({ server }) => {
    try {
      inside ??= require("./inside.cjs")(socketPath, sockets, questions);
      inside.listens(server, portOf.get(server));
    } catch {
      // What we cannot see is not the program's problem.
    }
  });
}
