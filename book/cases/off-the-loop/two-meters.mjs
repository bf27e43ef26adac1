// The published service under pm2 while artillery asks it: what each of them counts. A row for each
// second from artillery's first request on, then one of pm2's meters at the end of the load, and one of artillery's report.
// Both come with `make tools`. Nothing is left: pm2 runs inside this process, in a folder that goes when it ends.
import { spawn } from "node:child_process";
import { rmSync, writeSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../../streams/shared/asking.mjs";

const { LAB_PROFILE = "course" } = process.env;
const SECONDS = { smoke: 5, course: 11, reference: 60 }[LAB_PROFILE];
const RATE = 100; // well within what the service can do, also beside artillery
const tools = createRequire(new URL("../../../tools/loadtools/package.json", import.meta.url));
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const server = here("../../../servers/node/qr-express.mjs");
const loopbackOnly = here("../../../lab/node/loopback-only.cjs");
const say = (row) => writeSync(1, `${JSON.stringify(row)}\n`); // console.log is pm2's

const home = await mkdtemp(join(tmpdir(), "pm2-"));
const leave = () => rmSync(home, { recursive: true, force: true });
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.once("exit", leave);
process.env.PM2_HOME = home;
process.env.PM2_DISABLE_VERSION_CHECK = "true";
process.env.ARTILLERY_DISABLE_TELEMETRY = "true";
console.log = () => {};
tools(loopbackOnly); // no name outside this machine is looked up, neither here nor in artillery
const pm2 = tools("pm2");
const call = (name, ...rest) => promisify(pm2[name]).call(pm2, ...rest);

const served = async () => {
  const port = await freePort();
  await call("connect", true); // no daemon
  // pm2 gives what it starts a session of its own. It must end with us, however we end.
  const leash = 'data:text/javascript,process.once("disconnect",()=>process.exit())';
  await call("start", {
    name: "qr",
    script: server,
    env: { PORT: port, HOW: "main", THREADS: "1", NODE_ENV: "production" },
    node_args: ["--import", leash],
    autorestart: false,
    vizion: false,
  });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 100; !(await fetch(url).catch(() => null)); tries--) {
    if (tries === 0) throw new Error("the service does not listen, ten seconds after its start");
    await sleep(100);
  }
  return url;
};

const meters = async () => {
  const [app] = await call("list");
  const shown = Object.entries(app.pm2_env.axm_monitor);
  return Object.fromEntries(shown.map(([name, { value }]) => [name, Number(value)]));
};

const startArtillery = async (target) => {
  const [script, report] = ["script.json", "report.json"].map((name) => join(home, name));
  const phases = [{ duration: SECONDS, arrivalRate: RATE }];
  const scenarios = [{ flow: [{ get: { url: "/" } }] }];
  await writeFile(script, JSON.stringify({ config: { target, phases }, scenarios }));
  const run = [tools.resolve("artillery/bin/run"), "run", "--quiet", "--output", report, script];
  const child = spawn(process.execPath, ["--require", loopbackOnly, ...run], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  return { child, report };
};

const measure = async () => {
  const { child, report } = await startArtillery(await served());
  const looks = [];
  while (child.exitCode === null && child.signalCode === null) {
    looks.push({ at: Date.now(), ...(await meters()) });
    await sleep(1000);
  }
  if (child.exitCode !== 0)
    throw new Error(`artillery ended: ${child.exitCode ?? child.signalCode}`);
  const { aggregate } = JSON.parse(await readFile(report, "utf8"));
  const { counters, rates, summaries, firstCounterAt: first, lastCounterAt: last } = aggregate;
  const under = looks.filter(({ at }) => at >= first);
  for (const { at, HTTP } of under) say({ second: (at - first) / 1000, HTTP });
  const { at: _, ...shown } = under.findLast(({ at }) => at <= last) ?? {};
  say({ pm2: shown });
  const { min, max, p50, p95 } = summaries["http.response_time"];
  const counted = { requests: counters["http.requests"], rate: rates["http.request_rate"] };
  say({ artillery: { ...counted, seconds: (last - first) / 1000, min, max, p50, p95 } });
};

try {
  await measure();
} finally {
  await call("delete", "all").catch(() => {});
}
process.exit(0);
