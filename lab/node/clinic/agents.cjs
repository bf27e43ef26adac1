// How long requests of the program to other services wait for a connection of an http.Agent that has no more to give: a
// request gets its socket at once, or stands in the agent's queue until another one is done.
"use strict";
const { Agent } = require("node:http");
const { errorMonitor } = require("node:events");
const { performance } = require("node:perf_hooks");

const WAITED_MS = 1; // a request that gets its socket at once gets it at the next tick
const MOST_SITES = 40;
const CLOSED = new Set(["ECONNRESET", "EPIPE"]);

module.exports = function watchAgents() {
  const totals = { ms: 0, waited: 0, most: 0, stale: 0 };
  const sites = require("./sites.cjs")(MOST_SITES);
  const requestSites = require("./sites.cjs")(MOST_SITES);
  const original = Agent.prototype.addRequest;
  Agent.prototype.addRequest = function addRequest(request, ...parameters) {
    const since = performance.now();
    requestSites.note("request");
    const before = this.totalSocketCount;
    // The monitor hears of an error and does not handle it: whatever the program does with it stays as it is.
    request.once(errorMonitor, (error) => {
      if (request.reusedSocket && !request.destroyed && CLOSED.has(error?.code)) totals.stale += 1;
    });
    const answer = original.call(this, request, ...parameters);
    try {
      const isQueued = this.totalSocketCount === before && Object.keys(this.requests).length > 0;
      if (isQueued) {
        totals.most = this.maxSockets;
        sites.note("agent");
        request.once("socket", () => {
          const ms = performance.now() - since;
          if (ms < WAITED_MS) return;
          totals.ms += ms;
          totals.waited += 1;
        });
      }
    } catch {
      // What we cannot see is not the program's problem.
    }
    return answer;
  };
  return { totals, sites: () => ({ ...sites.all(), ...requestSites.all() }) };
};
