// Starts a server and closes it again. Prints what happens, in the order in which it happens.
import { createServer } from "node:http";

const server = createServer();
server.on("close", () => console.log("closed"));
server.listen(0, "127.0.0.1", () => {
  console.log("listening");
  server.close();
});
console.log("asked");
