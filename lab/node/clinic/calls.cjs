// What each request to the program makes the program ask of other services, while the close look lasts: over node:http, undici
// and fetch, and over plain connections as drivers of databases use them (what is written, until something comes back). Told
// are calls during which no other call of the same request was open, and calls again after the same one had failed. Timers are
// told likewise: those for which a request waits one after another, before its response begins.
"use strict";
const { AsyncLocalStorage } = require("node:async_hooks");
const channel = require("node:diagnostics_channel");
const { performance } = require("node:perf_hooks");
const { isFailure } = require("./statuses.cjs");

const MOST_REQUESTS = 20_000;
const MOST_TIMERS = 100_000; // at a time
const TIMER_SITES = 40;

// isSubject : is a server the one that is loaded, or may be? A program may have doubles of other services in it.
module.exports = function watchCalls(sites, servers, isSubject) {
  const storage = new AsyncLocalStorage();
  const incoming = new WeakMap(); // request to the program -> its calls
  const open = new WeakMap(); // outgoing request, or socket -> its call
  const spoken = new WeakSet(); // connections whose requests are told by undici itself
  const timers = new Map(); // its number -> since when, and the calls of which request
  const totals = {
    requests: 0,
    latency_ms: 0,
    alone: 0,
    alone_ms: 0,
    again: 0,
    timed: 0,
    timed_ms: 0,
  };
  let sitesLeft = TIMER_SITES;
  const undo = [];

  function begins(thing, key) {
    const calls = storage.getStore();
    if (calls === undefined || calls.isOver || open.has(thing)) return;
    const now = performance.now();
    const call = { calls, key, begun: now, isAlone: calls.open.size === 0 };
    for (const other of calls.open) other.isAlone = false;
    calls.open.add(call);
    if (calls.failed.has(key)) calls.again += 1;
    open.set(thing, call);
    sites.note("call");
  }

  function ends(thing, isFailure) {
    const call = open.get(thing);
    if (call === undefined) return;
    open.delete(thing);
    const { calls, key } = call;
    calls.open.delete(call);
    calls.waitedUntil = performance.now();
    if (isFailure) calls.failed.add(key);
    if (!call.isAlone) return;
    calls.alone += 1;
    calls.aloneMs += performance.now() - call.begun;
  }

  function listen(name, listener) {
    const safely = (message) => {
      try {
        listener(message);
      } catch {
        // What we cannot see is not the program's problem.
      }
    };
    channel.subscribe(name, safely);
    undo.push(() => channel.unsubscribe(name, safely));
  }

  const onArrival = ({ request, response = request, server }) => {
    if (!isSubject(server)) {
      storage.enterWith(undefined);
      return;
    }
    const arrivedAt = performance.now();
    const calls = {
      begun: arrivedAt,
      response,
      open: new Set(),
      failed: new Set(),
      alone: 0,
      aloneMs: 0,
      again: 0,
    };
    Object.assign(calls, { timed: 0, timedMs: 0, waitedUntil: arrivedAt });
    incoming.set(request, calls);
    storage.enterWith(calls);
  };
  const onResponse = ({ request }) => {
    const calls = incoming.get(request);
    if (calls === undefined || totals.requests >= MOST_REQUESTS) return;
    incoming.delete(request);
    calls.isOver = true;
    totals.requests += 1;
    totals.latency_ms += performance.now() - calls.begun;
    totals.alone += calls.alone;
    totals.alone_ms += calls.aloneMs;
    totals.again += calls.again;
    totals.timed += calls.timed;
    totals.timed_ms += calls.timedMs;
  };
  undo.push(require("./arrivals.cjs")(servers, onArrival, onResponse));
  listen("http.client.request.start", ({ request }) =>
    begins(request, `${request.method} ${request.host}${request.path}`),
  );
  listen("http.client.response.finish", ({ request, response }) =>
    ends(request, isFailure(response.statusCode)),
  );
  listen("http.client.request.error", ({ request }) => ends(request, true));
  listen("undici:request:create", ({ request }) =>
    begins(request, `${request.method} ${request.origin}${request.path}`),
  );
  listen("undici:client:sendHeaders", ({ socket }) => spoken.add(socket));
  listen("undici:request:headers", ({ request, response }) =>
    ends(request, isFailure(response.statusCode)),
  );
  listen("undici:request:error", ({ request }) => ends(request, true));

  return {
    // A plain connection of the program was written to, or something came in on it.
    wrote(socket) {
      if (!spoken.has(socket)) begins(socket, socket.remotePort);
    },
    came: (socket) => ends(socket, false),
    // A timer was set. An interval, and one that keeps no process alive, is no wait of a request.
    set(id, timer) {
      const calls = storage.getStore();
      if (calls === undefined || calls.isOver || timers.size >= MOST_TIMERS) return;
      if (timer._repeat !== null || !(timer._idleTimeout >= 1) || !timer.hasRef()) return;
      timers.set(id, { calls, from: performance.now() });
      if (sitesLeft > 0) {
        sitesLeft -= 1;
        sites.note("timer");
      }
    },
    // A timer fired: of those that wait side by side, and beside a call, only the first counts.
    fired(id) {
      const timer = timers.get(id);
      if (timer === undefined) return;
      timers.delete(id);
      const { calls, from } = timer;
      if (calls.isOver || calls.open.size > 0 || calls.response.headersSent) return;
      if (from < calls.waitedUntil) return;
      calls.waitedUntil = performance.now();
      calls.timed += 1;
      calls.timedMs += calls.waitedUntil - from;
    },
    rest() {
      for (const one of undo) one();
      storage.disable();
      return totals;
    },
  };
};
