const http = require("node:http");

const server = http.createServer((request, response) => {
  console.log("server:", request.method, request.url, request.httpVersion);
  setImmediate(() => console.log("server: immediate"));
  process.nextTick(() => console.log("server: tick"));
  request.on("end", () => console.log("server: request end"));
  request.resume();
  response.on("finish", () => console.log("server: finish"));
  response.on("close", () => console.log("server: response close"));
  response.setHeader("content-type", "text/plain");
  response.end("hello\n");
});
server.on("connection", () => console.log("server: connection"));
server.listen(0, "127.0.0.1", () => {
  const request = http.get(`http://127.0.0.1:${server.address().port}/a?b=1`, (response) => {
    const { statusCode, statusMessage, headers } = response;
    console.log("client:", statusCode, statusMessage, headers["content-type"]);
    console.log(headers["content-length"], headers.connection, headers["keep-alive"]);
    response.setEncoding("utf8");
    response.on("data", (text) => console.log("data", text));
    response.on("end", () => {
      console.log("end");
      server.close(() => console.log("closed"));
    });
    response.on("close", () => console.log("client: close"));
  });
  for (const name of ["socket", "finish", "close"])
    request.on(name, () => console.log("request:", name));
  console.log(request.method, request.path, request.getHeader("host") !== undefined);
});
