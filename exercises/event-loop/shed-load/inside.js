// The server is made here, so that its handler, and what blocks the loop, are the check's own.
const { setTimeout, now } = own;
const http = own.require("node:http");

let server;
let freed = Number.NEGATIVE_INFINITY; // when the last block was over
exports.serve = async function serve(student, { limit, word }, tell) {
  const listener = student.shed((request, response) => {
    tell("served", { path: request.url, since: now() - freed });
    response.end(word);
  }, limit);
  if (typeof listener !== "function") return { kind: typeof listener };
  server = http.createServer(listener);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: server.address().port };
};

// Blocks the loop for so long, from a timer, as a job of the server itself would. Told before, so that requests can come meanwhile.
exports.block = async function block(_student, { ms }, tell) {
  await new Promise((resolve) => {
    setTimeout(() => {
      tell("blocked", ms);
      for (const end = now() + ms; now() < end; );
      freed = now();
      resolve();
    }, 1);
  });
};

exports.told = async () => {};

exports.close = async function close() {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
};
