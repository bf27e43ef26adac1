// What the program posts to its worker threads: how many messages more than came back, to a thread that has no time for more.
"use strict";
const { Worker } = require("node:worker_threads");

const MOST_SITES = 40;
const FULL = 0.98; // the share of the time from which on a thread has none left

module.exports = function watchWorkers(probe) {
  const threads = new Map(); // worker -> messages posted and not answered, utilisation when it was read last
  const sites = require("./sites.cjs")(MOST_SITES);
  const { postMessage } = Worker.prototype;
  const { emit } = Worker.prototype;
  const of = (worker) => {
    if (!threads.has(worker)) {
      threads.set(worker, { behind: 0, before: undefined });
      worker.once("exit", () => threads.delete(worker));
    }
    return threads.get(worker);
  };
  Worker.prototype.postMessage = function (...args) {
    if (this !== probe()) {
      of(this).behind += 1;
      sites.note("post");
    }
    return postMessage.apply(this, args);
  };
  Object.defineProperty(Worker.prototype.postMessage, "name", { value: "postMessage" });
  Worker.prototype.emit = function (name, ...args) {
    if (name === "message" && threads.has(this)) {
      const thread = threads.get(this);
      thread.behind = Math.max(0, thread.behind - 1);
    }
    return emit.call(this, name, ...args);
  };

  // Messages that wait for threads which were busy all the time since this was asked last.
  function waiting() {
    let number = 0;
    for (const [worker, thread] of threads) {
      const { performance } = worker;
      const now = performance.eventLoopUtilization();
      const { utilization } = thread.before
        ? performance.eventLoopUtilization(now, thread.before)
        : now;
      thread.before = now;
      if (utilization >= FULL) number += thread.behind;
    }
    return number;
  }
  return { waiting, sites: sites.all };
};
