import { spawn } from "node:child_process";
import { once } from "node:events";
import { finished, pipeline } from "node:stream/promises";

export async function through(input, command, args, output) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close");
  const put = pipeline(input, child.stdin);
  const taken = pipeline(child.stdout, output, { end: false }); // not before the code is known
  try {
    const [[code, signal]] = await Promise.all([ended, put, taken]);
    if (code !== 0) throw new Error(`${command} ended with ${signal ?? code}`);
    output.end();
    await finished(output);
  } catch (error) {
    child.kill("SIGKILL");
    input.destroy();
    output.destroy();
    throw error;
  }
}
