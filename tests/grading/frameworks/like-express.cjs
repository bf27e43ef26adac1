// Middleware as in Express and Koa: each request and response gets another prototype, built-in prototypes get more properties,
// and a property is set on each response. With "options", OPTIONS is answered by the framework itself; with "store", each request has
// a store that follows it.
"use strict";

const http = require("node:http");
const { AsyncLocalStorage, AsyncResource } = require("node:async_hooks");

const ofRequests = Object.create(http.IncomingMessage.prototype, {
  path: {
    get() {
      return this.url.split("?")[0];
    },
  },
});
const ofResponses = Object.create(http.ServerResponse.prototype, {
  status: {
    value(code) {
      this.statusCode = code;
      return this;
    },
  },
});
Object.defineProperty(http.IncomingMessage.prototype, "context", {
  configurable: true,
  get: () => "a request",
});
http.ServerResponse.prototype.sendText = function sendText(text) {
  this.end(text);
};
Array.prototype.atEnd = function atEnd() {
  return this[this.length - 1];
};

function framework(extra) {
  const all = [];
  const store = extra === "store" ? new AsyncLocalStorage() : undefined;
  if (extra === "options")
    all.push((request, response, next) => {
      if (request.method === "OPTIONS" && request.path === "/ping")
        response.status(200).sendText("GET,HEAD");
      else next();
    });
  function handle(request, response) {
    Object.setPrototypeOf(request, ofRequests);
    Object.setPrototypeOf(response, ofResponses);
    response.setHeader("x-powered-by", "middleware");
    const go = (at) => {
      if (at < all.length) all[at](request, response, () => go(at + 1));
      else response.status(404).sendText("nothing here");
    };
    const resource = new AsyncResource("request");
    const begin = () => resource.runInAsyncScope(go, undefined, 0);
    if (store) store.run({ request }, begin);
    else begin();
  }
  return {
    use(middleware) {
      all.push(middleware);
      return this;
    },
    server: () => http.createServer(handle),
  };
}

exports.framework = framework;
