"use strict";
const { createServer } = require("node:http");

const started = new Map();
let number = 0;

createServer((request, response) => {
  setTimeout(() => {
    number += 1;
    started.set(number, { url: request.url, at: Date.now(), agent: `${"x".repeat(100)}${number}` });
    response.end("done");
  }, 50);
}).listen(process.env.PORT, "127.0.0.1");
