import { spawn } from "node:child_process";

export function through(input, command, args, output) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args);
    child.on("error", reject);
    child.stdin.on("error", reject);
    input.pipe(child.stdin);
    child.stdout.pipe(output);
    output.on("finish", resolve);
  });
}
