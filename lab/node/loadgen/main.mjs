// The load generator as a program: one line of JSON in, lines of JSON out (README.md beside this file has the format).
import { Generator } from "./generator.mjs";
import { readSpec } from "./spec.mjs";
import { SpecError } from "./spec-values.mjs";

const MAX_SPEC_BYTES = 16_777_216;
// Beyond the time that the load may take, whatever happens.
const GRACE_S = 2;

let generator = null;

// Writing is synchronous on a pipe, but a reader that has gone is an error, and then there is nobody left to work for.
process.stdout.on("error", () => process.exit(1));

function say(event, data = {}) {
  process.stdout.write(`${JSON.stringify({ event, ...data })}\n`);
}

function leave(code, event, data) {
  process.stdout.write(`${JSON.stringify({ event, ...data })}\n`, () => process.exit(code));
}

async function run(line) {
  const spec = readSpec(line);
  const longestTimeoutS = Math.max(...spec.streams.map(({ timeoutS }) => timeoutS));
  const deadlineS = spec.longestWarmupS + spec.measureS + longestTimeoutS + GRACE_S;
  setTimeout(() => {
    leave(1, "error", {
      message: `the load did not end within ${deadlineS} s; this is a bug of the generator`,
    });
  }, deadlineS * 1000).unref();
  generator = new Generator(
    spec,
    (progress) => say("progress", progress),
    (window) => say("window", window),
  );
  leave(0, "result", generator.write(await generator.run()));
}

function readLine(onLine) {
  let text = "";
  let complete = false;
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    if (complete) return;
    text += chunk;
    const end = text.indexOf("\n");
    if (end >= 0) {
      complete = true;
      onLine(text.slice(0, end));
    } else if (text.length > MAX_SPEC_BYTES) {
      leave(2, "error", { message: `the specification is longer than ${MAX_SPEC_BYTES} bytes` });
    }
  });
  // Whoever started us holds the other end as long as it lives.
  process.stdin.on("end", () => {
    const message = complete
      ? "standard input was closed: stopped"
      : "standard input ended before a line";
    leave(complete ? 1 : 2, "error", { message });
  });
}

for (const signal of ["SIGTERM", "SIGINT"]) {
  process.on(signal, () => {
    if (generator === null) process.exit(0);
    generator.stop("signal");
  });
}

readLine((line) => {
  run(line).catch((error) => {
    leave(error instanceof SpecError ? 2 : 1, "error", { message: error.message });
  });
});
say("ready");
