// Starts the browser, finds the built site, and watches what a page asks for.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { browserPath } from "../../tools/browser.mjs";

const ROOT = resolve(import.meta.dirname ?? fileURLToPath(new URL(".", import.meta.url)), "../..");

/** The folder with the built site; throws if nothing was built. */
export function siteFolder() {
  const folder = resolve(ROOT, process.env.SITE ?? "_build/html");
  if (!existsSync(join(folder, "index.html"))) {
    throw new Error(`There is no site in ${folder}. Run make book (or make smoke) first.`);
  }
  return folder;
}

// Of several such lists Chromium takes the last one, so what Playwright turns off is named here again. The first two are pages of
// the address bar: a full browser draws both for each new window, unseen, which took a third of a visit. The third is a process
// that a browser starts ahead for the next page: each visit here has a window of its own, so the process ends unused.
const TURNED_OFF = [
  ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess"],
  ...["AimEnabled", "LensOverlay", "MediaRouter"],
  ...["HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "PreconnectToSearch"],
  ...["OptimizationHints", "NetworkTimeServiceQuerying", "TcpPortRandomizationWin"],
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "PaintHolding"],
  ...["ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect"],
  ...["msForceBrowserSignIn", "msEdgeUpdateLaunchServicesPreferredVersion"],
];

/** How Playwright starts a browser that calls nobody by itself. */
export function launchOptions(more = []) {
  const args = [
    ...more,
    `--disable-features=${TURNED_OFF.join()}`,
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
  ];
  args.push("--disable-sync", "--no-first-run", "--disable-extensions");
  if (process.getuid?.() === 0) args.push("--no-sandbox"); // Chromium refuses its sandbox to root
  return { executablePath: browserPath(), args, timeout: 180_000 };
}

/** A started browser. */
export async function launch(more) {
  return chromium.launch(launchOptions(more));
}

/** Let a tab take as long as a busy machine needs: for tools, which wait for nothing that could fail to come. */
export function patient(tab) {
  tab.setDefaultTimeout(15 * 60_000);
  return tab;
}

/** Every page of the site that is read, not the small pages of verdicts: name, URL, whether its file holds a text, and a check of
 * links that start there.
 */
export function pagesOf(site) {
  const names = readdirSync(site, { recursive: true })
    .filter((name) => name.endsWith(".html") && !/(^|[\\/])_|^verdict[\\/]/.test(name))
    .filter((name) => !readFileSync(join(site, name), "utf8").includes('http-equiv="refresh"'))
    .sort();
  const anchors = new Map();
  return names.map((name) => ({
    holds: (text) => readFileSync(join(site, name), "utf8").includes(text),
    name: name.replaceAll("\\", "/"),
    url: pathToFileURL(join(site, name)).href,
    linkProblem: (href) => linkProblem(site, anchors, href),
  }));
}

function linkProblem(site, anchors, href) {
  const url = new URL(href);
  const path = fileURLToPath(new URL(url.pathname, "file://"));
  if (relative(site, path).startsWith("..")) return "leaves the site";
  if (!existsSync(path)) return "no such file";
  const anchor = decodeURIComponent(url.hash.slice(1));
  if (!anchor || !path.endsWith(".html")) return null;
  if (!anchors.has(path)) {
    const ids = readFileSync(path, "utf8").matchAll(/\sid="([^"]+)"/g);
    anchors.set(path, new Set([...ids].map((m) => m[1])));
  }
  // The address of a step of a replay, or of a value of a variation, begins with its element.
  const [kind, id] = new URLSearchParams(url.hash.slice(1)).entries().next().value ?? [];
  const element = id && ["replay", "vary"].includes(kind) ? `${kind}-${id}` : anchor;
  return anchors.get(path).has(element) ? null : `no #${element} there`;
}

/** Go to a page, and be there once all of it is laid out, which takes a moment longer than to load it. */
export async function visit(tab, url) {
  await tab.goto(url, { waitUntil: "load" });
  await tab.waitForFunction(() => {
    const { opening, opened } = document.documentElement.dataset;
    return opening === undefined || opened !== undefined;
  });
}

/** What a tab asks of other hosts, fails to get, and logs as errors, from now on. */
export function watch(tab) {
  const seen = { foreign: [], failed: [], errors: [] };
  tab.on("request", (request) => {
    if (!/^(file|data|blob|about):/.test(request.url())) seen.foreign.push(request.url());
  });
  tab.on("requestfailed", (request) => seen.failed.push(request.url()));
  tab.on("console", (message) => message.type() === "error" && seen.errors.push(message.text()));
  tab.on("pageerror", (error) => seen.errors.push(String(error)));
  return seen;
}
