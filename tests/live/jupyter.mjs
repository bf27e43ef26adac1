// A Jupyter server with the built book on it, for tests in a browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const ROOT = resolve(import.meta.dirname, "../..");
const STARTS_MS = 180_000;
const TOKEN = "a-token-of-the-tests";

/** The server: `.page(name)` is an address with the token in it; `.stop(signal)` ends it. */
export async function startBook({ port = 0, env = {}, words: more = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "lab-live-"));
  const log = join(folder, "log");
  const words = ["--no-browser", `--port=${port}`, `--IdentityProvider.token=${TOKEN}`, ...more];
  if (process.getuid?.() === 0) words.push("--allow-root");
  const out = openSync(log, "w");
  const server = spawn(join(ROOT, ".venv/bin/python"), ["-m", "lab.live", ...words], {
    cwd: ROOT,
    env: {
      ...process.env,
      LAB_PROFILE: "smoke",
      LAB_LIVE_SITE: resolve(ROOT, process.env.SITE ?? "_build/html"),
      JUPYTER_RUNTIME_DIR: folder,
      TMPDIR: folder, // with a lock of its own: nobody waits for what is measured here
      JUPYTER_CONFIG_DIR: join(folder, "config"),
      ...env,
    },
    stdio: ["ignore", out, out],
  });
  closeSync(out);
  const ending = new Promise((done) => server.once("exit", done));
  const url = await address(folder, server).catch((error) => {
    throw new Error(`${error.message}\n${readFileSync(log, "utf8")}`);
  });
  const ask = (path, init = {}) =>
    fetch(new URL(path, url), {
      ...init,
      headers: { authorization: `token ${TOKEN}`, ...init.headers },
    });
  return {
    url,
    pid: server.pid,
    lab: (name) => `${url}lab/tree/${name}.md?token=${TOKEN}&reset`,
    page: (name) => `${url}book/${name}.html?token=${TOKEN}`,
    kernels: async () => (await ask("api/kernels")).json(),
    end: (kernel) => ask(`api/kernels/${kernel}`, { method: "DELETE" }),
    async stop(signal = "SIGTERM") {
      if (server.exitCode === null && server.signalCode === null) server.kill(signal);
      await ending;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function address(folder, server) {
  const end = Date.now() + STARTS_MS;
  while (Date.now() < end && server.exitCode === null) {
    const file = readdirSync(folder).find((name) => /^jpserver-\d+\.json$/.test(name));
    if (file) {
      try {
        const { url } = JSON.parse(readFileSync(join(folder, file), "utf8"));
        await (await fetch(new URL("api", url))).text();
        return url;
      } catch {
        // It is being written, or nobody listens yet.
      }
    }
    await pause(50);
  }
  throw new Error("The server did not start.");
}

/** Wait until the page is one that can run. */
export const live = (tab) =>
  tab.waitForFunction(() => document.getElementById("lab-live")?.dataset.state !== undefined);

/** Wait until nothing runs on the page; its state then. */
export async function idle(tab, seconds = 300) {
  await tab
    .waitForFunction(() => document.getElementById("lab-live").dataset.state !== "busy", null, {
      timeout: seconds * 1000,
    })
    .catch(async () => {
      throw new Error(`After ${seconds} s the page is still busy and says: ${await status(tab)}`);
    });
  return tab.evaluate(() => document.getElementById("lab-live").dataset.state);
}

/** The cells that can be pressed, in the order of the page. */
export const cells = (tab) => tab.locator("div.cell:has(> .lab-live-bar, > * > .lab-live-bar)");
export const status = (tab) => tab.locator(".lab-live-status").textContent();
/** A button of a cell by its words. */
export const at = (cell, words) =>
  cell.locator(".lab-live-bar").getByRole("button", { name: words });

/** Press Run, and where the page offers to run what stands before it, choose. */
export async function run(tab, cell, { all = true, seconds = 300 } = {}) {
  await cell.locator(".lab-live-run").click();
  const offer = cell.locator(".lab-live-offer button");
  if (await offer.first().isVisible()) await offer.nth(all ? 0 : 1).click();
  await idle(tab, seconds);
}

/** No process may be left of those below this one. */
export async function gone(pids, seconds = 120) {
  const end = Date.now() + seconds * 1000;
  const alive = () =>
    pids.filter((pid) => {
      try {
        process.kill(pid, 0);
        return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
      } catch {
        return false;
      }
    });
  while (alive().length > 0 && Date.now() < end) await pause(100);
  assert.deepEqual(alive(), []);
}
