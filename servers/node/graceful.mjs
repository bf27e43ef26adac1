// Answers after DELAY_MS, and ends on SIGTERM in one of three ways: HOW is exit, close or drain.
// The book uses it to count the requests that a shutdown loses.
import { createServer } from "node:http";
import { Server } from "node:net";

const { DELAY_MS = "10", GRACE_MS = "1000", HOW = "drain", PORT = "0" } = process.env;
let leaving = false;

const server = createServer((_request, response) => {
  setTimeout(() => {
    if (leaving) response.setHeader("connection", "close");
    response.end("done\n");
  }, Number(DELAY_MS));
});

const gone = () => process.exit(0);
const endings = {
  exit: gone,
  // Answers what has arrived, and closes connections that look idle from here.
  close: () => server.close(gone),
  // Takes no new connections, lets each old one ask once more, and says good-bye with the answer.
  drain: () => {
    leaving = true;
    Server.prototype.close.call(server, gone); // not http's close(), which closes what looks idle
    setTimeout(() => server.closeIdleConnections(), Number(GRACE_MS));
    setTimeout(gone, 2 * Number(GRACE_MS)); // nobody keeps us for ever
  },
};

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", endings[HOW]);
