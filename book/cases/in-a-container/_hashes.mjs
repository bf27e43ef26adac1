// A server whose loop has nearly nothing to do: /hash is computed by libuv's pool, and / is answered at once.
import { pbkdf2 } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

const server = createServer((request, response) => {
  if (request.url === "/hash")
    return pbkdf2("secret", "salt", 10_000, 32, "sha256", () => response.end("hashed\n"));
  if (request.url === "/counts") return response.end(JSON.stringify(counts()));
  response.end("here\n");
});

// What the kernel counts for this container, and the longest delay of this loop since the last time.
const counts = () => {
  const stat = readFileSync(`${process.env.CGROUP_CPU}/cpu.stat`, "utf8");
  const number = (name) => Number(stat.match(new RegExp(`^${name} (\\d+)$`, "m"))?.[1] ?? 0);
  const longestMs = delay.max / 1e6;
  delay.reset();
  return { periods: number("nr_periods"), throttled: number("nr_throttled"), longestMs };
};

server.listen(0, "127.0.0.1", () => console.log(`${server.address().port}`));
