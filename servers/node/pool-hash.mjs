// Hashes a password for every request with crypto.pbkdf2, on a thread of libuv's pool; files on request.
// The book uses it for what a busy pool does to those who only want a file: /stat, /file, and /ping without one.
import { pbkdf2 } from "node:crypto";
import { readFile, stat } from "node:fs";
import { createServer } from "node:http";

const { AT_ONCE = "Infinity", ITERATIONS = "10000", PORT = "0" } = process.env;
const [, SELF] = process.argv;

// Hashes wait in this list, and not in the pool's queue, while AT_ONCE of them are in the pool.
const waiting = [];
let inPool = 0;
const next = () => {
  if (inPool >= Number(AT_ONCE) || waiting.length === 0) return;
  const done = waiting.shift();
  inPool++;
  pbkdf2("secret", "salt", Number(ITERATIONS), 32, "sha256", (error) => {
    inPool--;
    next();
    done(error);
  });
};
const hash = (done) => {
  waiting.push(done);
  next();
};

// jobs by path: how many trips through the pool each takes
const jobs = {
  "/": hash, // one, a long one
  "/stat": (done) => stat(SELF, done), // one
  "/file": (done) => readFile(SELF, done), // four: open, fstat, read, close; one since Node 26.8
  "/ping": (done) => done(), // none
};

const server = createServer((request, response) => {
  const job = jobs[request.url];
  if (!job) return response.writeHead(404).end();
  job((error) => {
    if (error) return response.writeHead(500).end(`${error.message}\n`);
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end("done\n");
  });
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
