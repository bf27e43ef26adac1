// nginx in front of servers/node/pump.mjs, as most deployments have it; BUFFERING is on (its default) or off.
// The book uses it to show who keeps the bytes of a slow reader when a proxy stands between.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const { BUFFERING = "on", PORT = "0" } = process.env;

const free = createServer().listen(Number(PORT), "127.0.0.1");
await once(free, "listening");
const { port } = free.address(); // nginx cannot say which port it was given
free.close();

const pump = new URL("../node/pump.mjs", import.meta.url).pathname;
const node = spawn(process.execPath, [pump], { env: { ...process.env, PORT: "0" } });
const [line] = await once(node.stdout, "data");

const folder = mkdtempSync(join(tmpdir(), "nginx-"));
const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
writeFileSync(
  join(folder, "nginx.conf"),
  `daemon off; master_process off; pid nginx.pid; error_log stderr warn;
  events {}
  http {
    access_log off;
    ${temporary.map((name) => `${name}_temp_path ${name};`).join(" ")}
    server {
      listen 127.0.0.1:${port};
      location / { proxy_pass ${String(line).match(/http:\S+/)[0]}; proxy_buffering ${BUFFERING}; }
    }
  }`,
);
process.env.PATH += ":/usr/sbin";
const options = ["-e", "stderr", "-p", folder, "-c", "nginx.conf"];
const nginx = spawn("nginx", options, { stdio: "inherit" });

process.once("SIGTERM", () => {
  for (const child of [node, nginx]) child.kill();
});
nginx.once("exit", (code) => {
  rmSync(folder, { recursive: true });
  process.exit(code);
});
const url = `http://127.0.0.1:${port}`;
while (!(await fetch(url).catch(() => false))) await sleep(10);
console.log(`listening on ${url}`);
