import { createServer } from "node:http";
import { Server } from "node:net";

const { DELAY_MS = "10", GRACE_MS = "1000", PORT = "0" } = process.env;
let leaving = false;

const server = createServer((_request, response) => {
  setTimeout(() => {
    if (leaving) response.setHeader("connection", "close");
    response.end("done\n");
  }, Number(DELAY_MS));
});

function leave() {
  leaving = true;
  const gone = () => process.exit(0);
  Server.prototype.close.call(server, gone); // not http's close(), which closes what looks idle
  setTimeout(() => server.closeIdleConnections(), Number(GRACE_MS));
}

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", leave);
