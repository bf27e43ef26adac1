// Hooks as in Fastify: the framework makes the server with options of its own, looks at each response before its headers are sent,
// and counts those that have been sent.
"use strict";

const http = require("node:http");

const HOOKED = Symbol("hooked");

/** Calls `hook` before the headers of a response are sent, as `on-headers` does. */
function beforeHeaders(response, hook) {
  const { writeHead } = response;
  response.writeHead = function hooked(...given) {
    if (!this[HOOKED]) {
      this[HOOKED] = true;
      hook(this);
    }
    return writeHead.apply(this, given);
  };
}

function framework({ handler }) {
  let sent = 0;
  const server = http.createServer(
    { keepAliveTimeout: 72_000, requestTimeout: 0, noDelay: true },
    (request, response) => {
      const id = `req-${(sent + 1).toString(36)}`;
      beforeHeaders(response, () => response.setHeader("x-request-id", id));
      response.once("finish", () => sent++);
      setImmediate(handler, request, response); // as after the hooks that come before a handler
    },
  );
  return { server };
}

exports.framework = framework;
