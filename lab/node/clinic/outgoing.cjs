// What the program asks of other services: its open connections by port, how many calls over http, undici and fetch failed, and
// how responses to undici and fetch fare, which say so themselves on channels of diagnostics. A response whose body is not read
// to its end holds its connection.
"use strict";
const channel = require("node:diagnostics_channel");

const MOST_SITES = 40;
const { isFailure } = require("./statuses.cjs");

module.exports = function watchOutgoing(sockets) {
  const totals = { responses: 0, read: 0, failed: 0 };
  const sites = require("./sites.cjs")(MOST_SITES);
  const openBodies = new WeakSet(); // those whose body is not over

  const safely = (listener) => (message) => {
    try {
      listener(message);
    } catch {
      // What we cannot see is not the program's problem.
    }
  };
  const listen = (name, listener) => channel.subscribe(name, safely(listener));
  listen("undici:request:create", () => sites.note("fetch"));
  listen("undici:request:headers", ({ request, response }) => {
    totals.responses += 1;
    openBodies.add(request);
    if (isFailure(response.statusCode)) totals.failed += 1;
  });
  listen("http.client.response.finish", ({ response }) => {
    if (isFailure(response.statusCode)) totals.failed += 1;
  });
  listen("http.client.request.error", () => {
    totals.failed += 1;
  });
  const over = (request) => {
    if (openBodies.delete(request)) totals.read += 1;
  };
  listen("undici:request:trailers", ({ request }) => over(request));
  // An error is what the program did, or the other service. A text is fetch giving up a body that nobody holds any more.
  listen("undici:request:error", ({ request, error }) => {
    totals.failed += 1;
    if (error instanceof Error || typeof error?.name === "string") over(request);
    else openBodies.delete(request);
  });

  // By the time that undici says so, the line of the program that called fetch has left the stack.
  const original = globalThis.fetch;
  if (typeof original === "function") {
    globalThis.fetch = function fetch(...args) {
      sites.note("fetch");
      return original.apply(this, args);
    };
  }

  // The port with the most open connections, and how many these are.
  function most() {
    const numbers = new Map();
    let port = 0;
    for (const socket of sockets) {
      if (socket.remotePort === undefined) continue; // not connected yet, or a UNIX socket
      const number = (numbers.get(socket.remotePort) ?? 0) + 1;
      numbers.set(socket.remotePort, number);
      if (number >= (numbers.get(port) ?? 0)) port = socket.remotePort;
    }
    return { port, number: numbers.get(port) ?? 0 };
  }
  return { totals, most, sites: sites.all };
};
