// Requests that arrive at servers of the program and their responses' ends: of HTTP/1.1 by the channels of node:http, of HTTP/2
// by the streams of its servers, for which node:http2 has channels in the newest Nodes only.
"use strict";
const channel = require("node:diagnostics_channel");

// begins({request, server}), ends({request}) : request is an IncomingMessage, or a stream of HTTP/2
module.exports = function watchArrivals(servers, begins, ends) {
  const undo = [];

  function safely(listener) {
    return (...args) => {
      try {
        listener(...args);
      } catch {
        // What we cannot see is not the program's problem.
      }
    };
  }

  for (const [name, listener] of [
    ["http.server.request.start", safely(begins)],
    ["http.server.response.finish", safely(ends)],
  ]) {
    channel.subscribe(name, listener);
    undo.push(() => channel.unsubscribe(name, listener));
  }
  for (const server of servers) {
    if (typeof server.updateSettings !== "function") continue; // not of node:http2
    const onStream = safely((stream) => {
      begins({ request: stream, server });
      stream.once("close", () => ends({ request: stream }));
    });
    server.prependListener("stream", onStream);
    undo.push(() => server.removeListener("stream", onStream));
  }
  return () => {
    for (const one of undo) one();
  };
};
