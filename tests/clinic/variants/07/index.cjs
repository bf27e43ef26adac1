// Jobs of a queue, each started from the one before by process.nextTick "to let others in".
const http = require("node:http");

function work(jobs, done) {
  let sum = 0;
  (function one(index) {
    if (index === jobs.length) return done(null, sum);
    sum = (sum * 31 + jobs[index]) % 1_000_003;
    process.nextTick(one, index + 1);
  })(0);
}

http
  .createServer((_req, res) => {
    const jobs = Array.from({ length: 250_000 }, (_, n) => n);
    work(jobs, (error, sum) => {
      if (error) res.statusCode = 500;
      res.end(String(sum));
    });
  })
  .listen(18107, "127.0.0.1");
