// Reads of /dev/random, which never ends, on both threads of a pool of two. How long does a stat() wait meanwhile?
import { fork } from "node:child_process";
import { readFile, stat } from "node:fs";

const LONGEST_MS = 800; // then the reader is killed, whatever it does
if (process.argv[2] === "reader") {
  for (const _ of [1, 2]) readFile("/dev/random", () => {});
  const began = performance.now();
  stat(".", () => process.send(performance.now() - began));
} else {
  const env = { ...process.env, UV_THREADPOOL_SIZE: "2" };
  const reader = fork(import.meta.filename, ["reader"], { env });
  let waited;
  reader.once("message", (ms) => {
    waited = ms;
  });
  setTimeout(() => reader.kill("SIGKILL"), LONGEST_MS);
  reader.once("exit", () => {
    const answer =
      waited === undefined ? `none in ${LONGEST_MS} ms` : `after ${waited.toFixed(1)} ms`;
    console.log(JSON.stringify({ "stat() is answered": answer, answered: waited !== undefined }));
  });
}
