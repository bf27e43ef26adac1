// Builds pages with <loop-replay> from recorded traces and opens them from a file, as a reader may.

import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { STATIC } from "../components.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
export const FOLDER = mkdtempSync(join(tmpdir(), "replay-"));
export const ORDERS = JSON.parse(readFileSync(join(HERE, "orders.trace.json"), "utf8"));

const FALLBACK =
  "<table><caption>What Node ran, in order.</caption><thead><tr><th>callback</th></tr></thead>" +
  '<tbody><tr><td>main</td></tr></tbody></table><div slot="orders"><p>Seen in 17 of 20 runs.</p></div>';

/** The element with its data, as lab.trace writes it. */
export function element(data, attributes = "") {
  const json = data ? JSON.stringify(data).replaceAll("</", "<\\/") : null;
  const script = json ? `<script type="application/json">${json}</script>` : "";
  return `<loop-replay ${attributes}>${script}${data ? FALLBACK : ""}</loop-replay>`;
}

/** Write a page; returns its file URL. `head` replaces the links to script and style. */
export function page(name, body, { theme = "light", head, style = "" } = {}) {
  const at = (file) => pathToFileURL(join(STATIC, file)).href;
  const links =
    head ??
    `<link rel="stylesheet" href="${at("replay.css")}">` +
      ["storage.js", "numbers.js", "replay.js"]
        .map((file) => `<script src="${at(file)}"></script>`)
        .join("");
  const colors =
    theme === "dark" ? "background:#121212;color:#e6e9ed" : "background:#fff;color:#1b1f24";
  const file = join(FOLDER, `${name}-${theme}.html`);
  writeFileSync(
    file,
    `<!doctype html><html lang="en" data-theme="${theme}"><meta charset="utf-8"><title>${name}</title>` +
      `<meta name="viewport" content="width=device-width, initial-scale=1">${links}` +
      `<style>body{font:16px/1.5 sans-serif;margin:12px;${colors}}${style}</style>` +
      `<body><main><h1>${name}</h1>${body}</main></body></html>`,
  );
  return pathToFileURL(file).href;
}

/** A trace of `count` events with many things waiting, for the smoothness test. */
export function longTrace(count) {
  const tasks = [{ kind: "main", lane: "main", label: "long.cjs" }];
  const events = [[0, "run", 0, 0, "main"]];
  const lanes = [
    ["Timeout", "timers", "timers"],
    ["Immediate", "check", "check"],
    ["FSREQCALLBACK", "pool", "poll"],
    ["TCPWRAP", "kernel", "poll"],
    ["TickObject", "tick", "timers"],
  ];
  const third = Math.floor(count / 4);
  for (let i = 0; i < third; i++) {
    const [kind, lane] = lanes[i % lanes.length];
    tasks.push({
      kind,
      lane,
      label: `task ${i}`,
      line: (i % 12) + 1,
      ms: lane === "timers" ? i : undefined,
    });
    events.push([i + 1, "new", i + 1, null, null, (i % 12) + 1]);
  }
  events.push([third + 1, "end", 0]);
  for (let i = 0; events.length < count; i = (i + 1) % third) {
    const phase = lanes[i % lanes.length][2];
    events.push([events.length, "run", i + 1, 1 + Math.floor(i / 50), phase, (i % 12) + 1]);
    events.push([events.length, "out", i + 1, null, null, (i % 12) + 1, `line ${i}`]);
    events.push([events.length, "end", i + 1]);
  }
  const recording = {
    tasks,
    columns: ORDERS.versions[0].recordings[0].columns,
    events,
    module: "cjs",
    verified: true,
    order: 0,
  };
  const version = {
    node: "v20.20.2",
    uv: "1.46.0",
    runs: 1,
    ended: {},
    orders: [{ lines: ["x"], count: 1, recorded: 1 }],
    recordings: [recording],
    notes: [],
  };
  return { ...ORDERS, name: "long.cjs", versions: [version] };
}

/** The source of axe-core, or null where it is not installed. */
export function axe() {
  try {
    const file = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
    return readFileSync(file, "utf8");
  } catch {
    const named = process.env.AXE;
    return named && existsSync(named) ? readFileSync(named, "utf8") : null;
  }
}
