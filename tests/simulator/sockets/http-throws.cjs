const { createServer, get } = require("node:http");

process.on("uncaughtException", (error) => console.log("uncaught:", error.message));
const server = createServer((request, response) => {
  process.nextTick(() => console.log("tick"));
  if (request.url === "/throws") {
    setTimeout(() => response.end("after all"), 5);
    throw new Error("in the handler");
  }
  response.end("fine");
});
server.listen(0, "127.0.0.1", () => {
  const at = { port: server.address().port, host: "127.0.0.1", agent: false };
  get({ ...at, path: "/throws" }, (response) => {
    response.on("data", (text) => console.log(`${text}`));
    response.on("end", () =>
      get({ ...at, path: "/" }, (other) => {
        other.on("data", (text) => console.log(`${text}`));
        other.on("end", () => server.close(() => console.log("closed")));
      }),
    );
  });
});
