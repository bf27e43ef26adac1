// What a class costs a machine: memory, processor seconds and disk of the hub and of each student, with 1 to 5 of them,
// from a real hub and a browser. Writes data/hub-sizes.json, which the page teaching/hub shows. `make hub-sizes`.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { signIn, startHub } from "../tests/live/hub.mjs";
import { cells, idle, live, run, status } from "../tests/live/jupyter.mjs";
import { launch } from "../tests/site/browser.mjs";

const ROOT = resolve(import.meta.dirname, "..");
const PAGE = "book/blocking/sync-or-async-files"; // it compares servers: what a student's processes take at most
const NAMES = ["ann", "ben", "cid", "dan", "eve"];
const LOOK_MS = 250;
const COUNTS = (process.env.STUDENTS ?? "1 2 3 5").split(" ").map(Number);

const read = (file) => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
};

/** What all processes take whose environment says so: proportional set size (MiB), processor time (s), how many. */
function taken(word) {
  const sum = { mib: 0, cpu_s: 0, processes: 0 };
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (!read(`/proc/${pid}/environ`).split("\0").includes(word)) continue;
    const pss = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`));
    const times = read(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, "")
      .split(" ");
    if (!pss || times.length < 15) continue;
    sum.mib += Number(pss[1]) / 1024;
    // Ticks of 10 ms: of its own and of children that have ended.
    sum.cpu_s += times.slice(11, 15).reduce((a, b) => a + Number(b), 0) / 100;
    sum.processes += 1;
  }
  return sum;
}

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
const round = (value, digits = 0) => Number(value.toFixed(digits));

async function withStudents(browser, count) {
  const names = NAMES.slice(0, count);
  const mark = `lab-sizes-${process.pid}-${count}`;
  const hub = await startHub({ students: names, env: { LAB_SIZES: mark, LAB_PROFILE: "course" } });
  const of = (name) => taken(`JUPYTERHUB_USER=${name}`);
  try {
    const students = [];
    for (const name of names) students.push(await signIn(browser, hub, name));
    await pause(2000);
    const server = names.map(of);
    const total = taken(`LAB_SIZES=${mark}`);
    await Promise.all(
      students.map(async ({ tab, base }) => {
        await tab.goto(`${base}book/${PAGE}.html`);
        await live(tab);
      }),
    );
    const began = Date.now();
    const most = names.map(() => ({ mib: 0, cpu_s: 0, processes: 0 }));
    let ended = false;
    const looking = (async () => {
      while (!ended) {
        for (const [i, name] of names.entries())
          for (const [what, value] of Object.entries(of(name)))
            most[i][what] = Math.max(most[i][what], value);
        await pause(LOOK_MS);
      }
    })();
    const seconds = await Promise.all(
      students.map(async ({ tab }) => {
        await run(tab, cells(tab).last(), { seconds: 1800 });
        const found = await idle(tab);
        if (found !== "idle") throw new Error(await status(tab));
        return (Date.now() - began) / 1000;
      }),
    );
    ended = true;
    await looking;
    const page = names.map(of);
    return {
      students: count,
      hub_mib: round(total.mib),
      server_mib: round(mean(server.map((one) => one.mib))),
      page_mib: round(mean(page.map((one) => one.mib))),
      most_mib: round(Math.max(...most.map((one) => one.mib))),
      start_cpu_s: round(mean(server.map((one) => one.cpu_s)), 1),
      processes: Math.max(...most.map((one) => one.processes)),
      first_s: round(Math.min(...seconds)),
      last_s: round(Math.max(...seconds)),
    };
  } finally {
    await hub.stop();
  }
}

const browser = await launch();
const found = [];
try {
  for (const count of COUNTS) {
    found.push(await withStudents(browser, count));
    console.log(JSON.stringify(found.at(-1)));
  }
} finally {
  await browser.close();
}
const machine = {
  processors: cpus().length,
  model: cpus()[0].model,
  memory_gib: round(totalmem() / 2 ** 30),
};
mkdirSync(join(ROOT, "data"), { recursive: true });
const told = { page: PAGE, profile: "course", machine, found };
writeFileSync(join(ROOT, "data/hub-sizes.json"), `${JSON.stringify(told, null, 1)}\n`);
