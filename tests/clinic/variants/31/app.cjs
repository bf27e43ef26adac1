// Two workers of a cluster that wait for a slow partner; a timer stands for it.
const cluster = require("node:cluster");
const http = require("node:http");
const { setTimeout: wait } = require("node:timers/promises");

const partner = async (question) => {
  await wait(60 + Math.random() * 80);
  return { question, answer: 42 };
};

if (cluster.isPrimary) {
  for (let n = 0; n < 2; n += 1) cluster.fork();
} else {
  http
    .createServer(async (req, res) => {
      const [first, second] = await Promise.all([partner(req.url), partner("again")]);
      res.end(JSON.stringify({ first, second }));
    })
    .listen(18131, "127.0.0.1");
}
