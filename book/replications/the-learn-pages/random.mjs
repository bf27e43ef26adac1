// Reads of /dev/random, which never ends, on both threads of a pool of two. How long does a stat() wait meanwhile?
import { fork } from "node:child_process";
import { readFile, stat } from "node:fs";

const READING_MS = 200; // before the stat() is asked for
const LONGEST_MS = 1000; // then the reader is killed, whatever it does
if (process.argv[2] === "reader") {
  for (const _ of [1, 2]) readFile("/dev/random", () => {});
  setTimeout(() => {
    const began = performance.now();
    stat(".", () => process.send(performance.now() - began));
  }, READING_MS);
} else {
  const env = { ...process.env, UV_THREADPOOL_SIZE: "2" };
  const reader = fork(new URL(import.meta.url), ["reader"], { env });
  let waited;
  reader.once("message", (ms) => {
    waited = ms;
  });
  setTimeout(() => reader.kill("SIGKILL"), LONGEST_MS);
  reader.once("exit", () => {
    const answer =
      waited === undefined
        ? `not in ${LONGEST_MS - READING_MS} ms`
        : `after ${waited.toFixed(1)} ms`;
    console.log(JSON.stringify({ "stat() is answered": answer, answered: waited !== undefined }));
  });
}
