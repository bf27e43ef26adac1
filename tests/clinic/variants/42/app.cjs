// A program that falls in the middle of the load: the three hundredth answer is rejected, unheard.
const { createServer } = require("node:http");

let count = 0;
async function answer(res) {
  count += 1;
  if (count === 300) throw new Error("the database is gone");
  res.end(String(count));
}
createServer((_req, res) => {
  answer(res);
}).listen(18142, "127.0.0.1");
