// A real JupyterHub of ours on free ports, in a folder of its own, and a browser that signs in there.

import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { siteFolder } from "../site/browser.mjs";

const ROOT = resolve(import.meta.dirname, "../..");
const PASSWORD = "a-password-of-the-tests";
export const STARTS_MS = 180_000;

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((ready) => server.once("listening", ready));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/**
 * Start a hub with tools/hub/jupyterhub_config.py.
 *
 * Returns {url, folder, pid, log(), stop()}; `folder` is its LAB_HUB_STATE, which goes with it.
 */
export async function startHub({ students = [], instructors = [], env = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "lab-hub-"));
  const ports = [await freePort(), await freePort(), await freePort()];
  const url = `http://127.0.0.1:${ports[0]}/`;
  const log = join(folder, "log");
  const out = openSync(log, "w");
  const hub = spawn(
    join(ROOT, ".venv/bin/python"),
    ["-m", "jupyterhub", "--config", join(ROOT, "tools/hub/jupyterhub_config.py")],
    {
      cwd: folder,
      env: {
        ...process.env,
        LAB_HUB_STATE: folder,
        LAB_HUB_PORTS: ports.join(" "),
        LAB_HUB_PASSWORD: PASSWORD,
        LAB_HUB_STUDENTS: students.join(" "),
        LAB_HUB_INSTRUCTORS: instructors.join(" "),
        LAB_LIVE_SITE: siteFolder(),
        TMPDIR: folder,
        ...env,
      },
      stdio: ["ignore", out, out],
    },
  );
  closeSync(out);
  const readLog = () => readFileSync(log, "utf8");
  const stop = async () => {
    if (hub.exitCode === null) {
      const ended = new Promise((done) => hub.once("exit", done));
      hub.kill("SIGTERM");
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const end = Date.now() + STARTS_MS;
  for (;;) {
    const answers = await fetch(`${url}hub/health`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (answers) return { url, folder, pid: hub.pid, log: readLog, stop };
    if (Date.now() > end || hub.exitCode !== null) {
      const story = readLog();
      await stop();
      throw new Error(story);
    }
    await pause(200);
  }
}

/** Sign in, and be where the hub leads to: the first page of the book. Returns {tab, base, context}. */
export async function signIn(browser, { url }, name, viewport = { width: 1280, height: 900 }) {
  const context = await browser.newContext({ viewport });
  const tab = await context.newPage();
  tab.setDefaultTimeout(STARTS_MS);
  await tab.goto(`${url}hub/login`);
  await tab.locator("#username_input").fill(name);
  await tab.locator("#password_input").fill(PASSWORD);
  await tab.locator("#login_submit").click();
  // Where the book begins, which is two steps further.
  await tab.waitForURL(`${url}user/${name}/book/book/index.html`);
  return { tab, base: `${url}user/${name}/`, context };
}

/** `use(tab, base)` as a reader who is signed in; what the hub said is part of an error. */
export async function signedIn(browser, hub, name, use) {
  let context;
  try {
    const found = await signIn(browser, hub, name);
    context = found.context;
    await use(found.tab, found.base);
  } catch (error) {
    throw new Error(`${error.message}\n${hub.log().slice(-3000)}`, { cause: error });
  } finally {
    await context?.close();
  }
}
