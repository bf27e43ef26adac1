// Chatty since a search for a bug: console.log tells each header and each step on its own line.
const http = require("node:http");

http
  .createServer((req, res) => {
    console.log("--- request", req.method, req.url);
    for (const [name, value] of Object.entries(req.headers)) console.log("header", name, value);
    for (let step = 0; step < 40; step += 1) console.log(`step ${step} of 40 is done`);
    res.end("done\n");
  })
  .listen(18127, "127.0.0.1");
