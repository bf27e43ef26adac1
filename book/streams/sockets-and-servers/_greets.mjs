// A server whose greeting is in a module of its own, which somebody changes while it runs. HOW=import takes the new one in; HOW=drain
// lets the clients go before it ends, as node/graceful does; any other server ends when it is told to.
import { watch } from "node:fs";
import { createServer } from "node:http";
import { Server } from "node:net";

const { HOW, PORT } = process.env;
let [answers, leaving] = [0, false];

// take in what changed
let version = 0;
const fresh = () => import(`./greeting.mjs?${++version}`);
let { greeting } = await fresh();
let soon;
const changed = () => {
  clearTimeout(soon); // a file that is written changes more than once
  soon = setTimeout(() => fresh().then((module) => ({ greeting } = module), console.error), 20);
};
// The folder: many an editor puts a new file in the place of the old one.
if (HOW === "import") watch(new URL(".", import.meta.url), changed);
// end of taking in

const server = createServer((_request, response) => {
  setTimeout(() => {
    if (leaving) response.setHeader("connection", "close");
    answers += 1;
    response.end(`${greeting} ${answers}\n`);
  }, 10);
});
if (HOW === "drain")
  process.once("SIGTERM", () => {
    leaving = true;
    Server.prototype.close.call(server, () => process.exit(0));
  });
server.listen(Number(PORT), "127.0.0.1");
