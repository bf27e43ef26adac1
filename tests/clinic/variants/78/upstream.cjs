"use strict";
const http = require("node:http");

// The bank's service: it works on ten questions at once and turns all others away.
const AT_ONCE = 10;
let busy = 0;

const server = http.createServer((_req, res) => {
  if (busy >= AT_ONCE) {
    res.writeHead(503, { "Content-Type": "text/plain" });
    return res.end("try later");
  }
  busy++;
  setTimeout(() => {
    busy--;
    res.writeHead(200, { "Content-Type": "application/json" });
    res.end('{"eur":1,"usd":1.08,"gbp":0.86,"chf":0.95}');
  }, 20);
});

exports.start = () =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}`));
  });
