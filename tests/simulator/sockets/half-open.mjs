import { once } from "node:events";
import { connect, createServer } from "node:net";

const server = createServer({ allowHalfOpen: true }, async (socket) => {
  let text = "";
  for await (const chunk of socket) text += chunk;
  console.log("server has read", text);
  socket.end(`${text.length} letters`);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const socket = connect(server.address().port, "127.0.0.1");
socket.end("all of it");
socket.on("finish", () => console.log("client: finish", socket.readyState));
const parts = await socket.setEncoding("utf8").toArray();
console.log("client has read", parts);
server.close();
await once(server, "close");
console.log("closed");
