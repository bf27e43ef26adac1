// slow look-ups: each request asks the system for a name that is not there
const dns = require("node:dns");
const http = require("node:http");

let n = 0;
const server = http.createServer((_request, response) => {
  n += 1;
  dns.lookup(`node-${n}.nosuch.invalid`, (error) => response.end(error ? error.code : "there"));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
