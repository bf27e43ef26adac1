const { createServer, get } = require("node:http");

const server = createServer((request, response) => {
  if (request.url === "/destroyed") return request.socket.destroy();
  if (request.url === "/late") return;
  response.writeHead(404).end();
});
server.listen(0, "127.0.0.1", () => {
  const at = { port: server.address().port, host: "127.0.0.1" };
  get({ ...at, path: "/destroyed" })
    .on("error", ({ code, message }) => console.log("destroyed:", code, message))
    .on("close", () => {
      const late = get({ ...at, path: "/late", timeout: 20 });
      late.on("timeout", () => {
        console.log("timeout");
        late.destroy(new Error("too late"));
      });
      late.on("error", ({ message }) => console.log("late:", message));
      late.on("close", () =>
        get({ ...at, path: "/none" }, (response) => {
          console.log(response.statusCode, response.statusMessage);
          response.resume().on("end", () => server.close(() => console.log("closed")));
        }),
      );
    });
});
