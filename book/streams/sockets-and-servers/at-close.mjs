// What does server.close() do to connections on which no request is under way? A fresh server for each kind of connection;
// whatever is not closed after WAIT_MS is left open.
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { print } from "../shared/asking.mjs";

const WAIT_MS = 300;
const HALF = "GET / HTTP/1.1\r\nhost: me\r\n";
const kinds = {
  "has never asked": "",
  "sent half a request": HALF,
  "has its answer": `${HALF}\r\n`,
};

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const row = {};
for (const [kind, sent] of Object.entries(kinds)) {
  const server = createServer((_, response) => response.end("done\n")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect(server.address().port, "127.0.0.1").on("error", () => {});
  const [socket] = await once(server, "connection");
  client.write(sent);
  if (kind === "has its answer") await once(client, "data");
  else await wait(30); // what was sent has arrived and is parsed
  const gone = once(socket, "close").then(() => "closed");
  server.close();
  row[kind] = await Promise.race([gone, wait(WAIT_MS).then(() => "left open")]);
  client.destroy();
}
print(row);
process.exit();
