import { spawn } from "node:child_process";
import { once } from "node:events";
import { finished, pipeline } from "node:stream/promises";

// The program reads no more. Whether that is a failure, its exit code says.
const ENOUGH = ["EPIPE", "ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED"];

export async function through(input, command, args, output) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  const put = pipeline(input, child.stdin).catch((error) => {
    if (!ENOUGH.includes(error.code)) throw error;
  });
  const taken = pipeline(child.stdout, output, { end: false }); // not before the code is known
  try {
    await Promise.all([ended, put, taken]);
    output.end();
    await finished(output);
  } catch (error) {
    child.kill("SIGKILL");
    input.destroy();
    output.destroy();
    throw error;
  }
}
