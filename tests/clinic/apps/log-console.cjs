// synchronous logging: every request prints what it holds, for debugging
const http = require("node:http");

const server = http.createServer((request, response) => {
  for (let i = 0; i < 12; i++)
    console.log("step", i, { headers: request.headers, url: request.url });
  response.end("done");
});
server.listen(Number(process.env.PORT), "127.0.0.1");
