import { createServer } from "node:http";

const { PORT = "3000" } = process.env;
const drop = "heron"; // {{drop}}

function text(body) {
  return (_request, response) => {
    response.setHeader("content-type", "text/plain");
    response.end(body); // which Node leaves out for HEAD
  };
}

// What there is at each path, by method.
const routes = new Map([
  ["/", { GET: text(`drop ${drop}\n`) }],
  ["/ping", { GET: text("pong\n") }],
]);

function respond(response, status, headers = {}) {
  response.writeHead(status, headers).end();
}

function answer(request, response) {
  const [path] = request.url.split("?");
  const methods = routes.get(path);
  if (!methods) return respond(response, 404);
  const handler = methods[request.method === "HEAD" ? "GET" : request.method];
  if (!handler) {
    const names = Object.keys(methods).flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : name));
    return respond(response, 405, { allow: names.join(", ") });
  }
  return handler(request, response);
}

const server = createServer(answer);

function leave() {
  server.close(); // the process ends when the last connection has
  server.closeIdleConnections();
}

server.once("error", (error) => {
  console.error(`port ${PORT} cannot be listened on: ${error.message}`);
  process.exitCode = 1;
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", leave);
process.once("SIGINT", leave);
