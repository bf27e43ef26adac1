// nginx in front of servers/node/pump.mjs, as most deployments have it; BUFFERING is on (its default) or off.
// The book uses it to show who keeps the bytes of a slow reader when a proxy stands between.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const { BUFFERING = "on", PORT = "0" } = process.env;

const free = createServer().listen(Number(PORT), "127.0.0.1");
await once(free, "listening");
const { port } = free.address(); // nginx cannot say which port it was given
free.close();

const folder = mkdtempSync(join(tmpdir(), "nginx-"));
const program = fileURLToPath(new URL("../node/pump.mjs", import.meta.url));
const env = { ...process.env, PORT: "0" };
const pump = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "inherit"] });
let nginx = null;

/** Whoever ends first, all end: the pump, then nginx, then the folder. The first code counts. */
function end(code) {
  process.exitCode ??= code;
  pump.kill();
  const runs = nginx?.pid && nginx.exitCode === null && nginx.signalCode === null;
  if (runs) return nginx.kill(); // its end calls this function again
  rmSync(folder, { recursive: true });
  process.exit();
}
process.once("SIGTERM", () => end(0));
pump.once("exit", () => end(1));
const [line] = await once(pump.stdout, "data");

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
nginx = spawn("nginx", options, { stdio: "inherit" });
nginx.once("exit", () => end(1));
nginx.once("error", (error) => {
  console.error(`nginx did not start: ${error.message}`);
  end(1);
});

const url = `http://127.0.0.1:${port}`;
while (!(await fetch(url).catch(() => false))) await sleep(10);
console.log(`listening on ${url}`);
