// microtask flood: one tick asks for the next, fifty thousand times
const http = require("node:http");

function steps(left, done) {
  if (left === 0) return done();
  process.nextTick(steps, left - 1, done);
}
const server = http.createServer((_request, response) => {
  steps(200_000, () => response.end("done"));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
