// Hashes a password for every request with crypto.pbkdf2, on a thread of libuv's pool; files on request.
// The book uses it for what a busy pool does to those who only want a file: /stat, /file, and /ping without one.
import { pbkdf2 } from "node:crypto";
import { readFile, stat } from "node:fs";
import { createServer } from "node:http";

const { ITERATIONS = "10000", PORT = "0" } = process.env;
const [, SELF] = process.argv;

// jobs by path: how many trips through the pool each takes
const jobs = {
  "/": (done) => pbkdf2("secret", "salt", Number(ITERATIONS), 32, "sha256", done), // one, a long one
  "/stat": (done) => stat(SELF, done), // one
  "/file": (done) => readFile(SELF, done), // four: open, fstat, read, close
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
