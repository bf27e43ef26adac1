// chain.mjs: a client asks the first of three servers, which asks the second, which asks the third, which collects ten pages
// in 500 ms. The client leaves after half of that. How many pages are collected for it, by who hears of it?
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { print } from "../../streams/shared/asking.mjs";
import { collected, visit } from "./_clients.mjs";

const program = fileURLToPath(new URL("../../../servers/node/pages.mjs", import.meta.url));
const CLIENTS = 10;

const started = async (HOW, NEXT) => {
  const env = { ...process.env, PORT: "0", HOW, NEXT };
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  const url = String(line).trim().split(" ").at(-1);
  return { child, url, host: "127.0.0.1", port: Number(new URL(url).port) };
};

const hears = "response closes";
const left = "time-left-ms: 250\r\n";
const ways = {
  "nobody listens": [["not", "not", "not"]],
  "the first listens": [[hears, "not", "not"]],
  "the first two listen": [[hears, hears, "not"]],
  "all three listen": [[hears, hears, hears]],
  "all three listen, and know the time left": [[hears, hears, hears], left],
};

for (const [way, [[first, second, third], headers]] of Object.entries(ways)) {
  const last = await started(third, "");
  const middle = await started(second, last.url);
  const front = await started(first, middle.url);
  await visit(front); // opens connections, and warms up
  const before = await collected(last);
  const visits = Array.from({ length: CLIENTS }, () => visit(front, { headers, leavesMs: 250 }));
  const statuses = await Promise.all(visits);
  const pages = (await collected(last)) - before;
  const told = statuses.filter((status) => status === "503").length;
  print({ way, "pages for each client": pages / CLIENTS, "told that there is no time": told });
  for (const { child } of [front, middle, last]) child.kill();
}
