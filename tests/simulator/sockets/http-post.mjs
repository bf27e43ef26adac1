import { once } from "node:events";
import { request as ask, createServer } from "node:http";

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(`${part}`);
  console.log("server has", parts, request.headers["transfer-encoding"], request.complete);
  response.writeHead(201, "Made", { "x-count": parts.length });
  response.write("first ");
  setTimeout(() => response.end("second"), 10);
});
await once(server.listen(0, "127.0.0.1"), "listening");
const options = { port: server.address().port, host: "127.0.0.1", method: "POST", path: "/" };
const request = ask(options);
request.write("one");
request.end("two");
const [response] = await once(request, "response");
console.log(response.statusCode, response.statusMessage, response.headers["x-count"]);
const texts = [];
for await (const part of response) texts.push(`${part}`);
console.log("client has", texts, response.headers["transfer-encoding"]);
server.close();
await once(server, "close");
console.log("closed");
