// Runs one-timer.cjs under strace, sends it one request, and prints what its loop asked of the kernel, and when.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const folder = mkdtempSync(join(tmpdir(), "epoll-"));
const file = join(folder, "calls");
const CALLS = "trace=epoll_wait,epoll_pwait,epoll_pwait2,accept4,read,write,writev";
const words = ["-f", "-ttt", "-s", "14", "-o", file, "-e", CALLS, process.execPath];
const program = fileURLToPath(new URL("one-timer.cjs", import.meta.url));
const strace = spawn("strace", [...words, program], { detached: true });
const ended = new Promise((resolve) => strace.on("error", resolve).on("close", resolve));
const deadline = setTimeout(() => process.kill(-strace.pid, "SIGKILL"), 8000);

let said = "";
strace.stdout.setEncoding("utf8").on("data", async (text) => {
  said += text;
  const [, url] = /listening on (\S+)/.exec(said) ?? [];
  if (!url) return;
  await wait(500);
  get(url, { agent: false }, (response) => response.resume());
});
await ended;
clearTimeout(deadline);

const asks = (call, args) => {
  if (call === "accept4") return "the new connection";
  if (!call.startsWith("epoll")) return args.match(/"[^"]*"/)[0];
  const timeout = Number(/, 1024, (-?\d+)/.exec(args)?.[1]);
  return timeout === 0 ? "what is ready now?" : `wait, at most ${timeout} ms`;
};
const gets = (call, result) => {
  if (call.startsWith("epoll")) return result === "0" ? "nothing" : `${result} ready`;
  return call === "accept4" ? `socket ${result}` : `${result} bytes`;
};

try {
  const lines = readFileSync(file, "utf8").split("\n");
  const [main] = lines[0].split(" ");
  const from = lines.findIndex((line) => line.includes('"listening'));
  if (from < 0) throw new Error("nothing was traced");
  let start = null;
  let socket = null;
  for (const line of lines.slice(from + 1)) {
    const [, pid, at, call, args, result] =
      /^(\d+) +([\d.]+) (\w+)\((.*)\) += (-?\d+)/.exec(line) ?? [];
    if (pid !== main) continue;
    start ??= Number(at);
    if (call === "accept4") socket = result;
    else if (!call.startsWith("epoll") && args.split(",")[0] !== socket) continue;
    const ms = Math.round(1e4 * (Number(at) - start)) / 10;
    console.log(
      JSON.stringify({ ms, call, "asks for": asks(call, args), gets: gets(call, result) }),
    );
  }
} catch {
  console.log("strace is missing here, or may not trace (Debian: sudo apt-get install strace).");
} finally {
  rmSync(folder, { recursive: true });
}
