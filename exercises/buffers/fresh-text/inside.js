// A server in the process of the hand-in. Before each response its text is made, and after it V8 is asked how much its large strings
// take now: a join leaves a new one there, whatever the letters, the Node, and what else the machine does.
const { createServer } = own.require("node:http");
const { getHeapSpaceStatistics } = own.require("node:v8");
const { setImmediate } = own;

const large = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name.includes("large_object"))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);

const growth = []; // of each response, in bytes
let server;

exports.listen = async function listen(student, { next }) {
  server = createServer(async (_request, response) => {
    // One piece, as JSON.parse or a template that was written into a Buffer leave it: no sum that V8 has still to join.
    const text = (await next()).toString("utf8");
    const before = large();
    response.on("finish", () => setImmediate(() => growth.push(large() - before)));
    student.send(response, text);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server.address().port;
};
exports.growth = async () => {
  await new Promise((resolve) => setImmediate(resolve));
  return growth.splice(0);
};
