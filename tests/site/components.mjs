// The components of a page and its styles in a folder, as a built site has them in _static.

import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WIDGETS = join(ROOT, "lab/widgets");
const PARTS = JSON.parse(readFileSync(join(WIDGETS, "parts.json"), "utf8"));

export const STATIC = mkdtempSync(join(tmpdir(), "static-"));
process.on("exit", () => rmSync(STATIC, { recursive: true, force: true }));

copyFileSync(join(ROOT, "book/_static/lab.css"), join(STATIC, "lab.css"));
for (const [name, parts] of Object.entries(PARTS))
  writeFileSync(
    join(STATIC, name),
    parts.map((part) => readFileSync(join(WIDGETS, part), "utf8")).join(""),
  );

/** Write a page that loads these of them, in this order, as a built one does; returns its file: URL. */
export function pageWith(folder, { name, theme = "light", styles, scripts, title = name, body }) {
  const at = (file) => pathToFileURL(join(STATIC, file)).href;
  const file = join(folder, `${name}-${theme}.html`);
  writeFileSync(
    file,
    `<!doctype html><html lang="en" data-theme="${theme}"><meta charset="utf-8"><title>${title}</title>` +
      `<meta name="viewport" content="width=device-width, initial-scale=1">` +
      ["lab.css", ...styles].map((f) => `<link rel="stylesheet" href="${at(f)}">`).join("") +
      `<style>body{background:var(--lab-paper);color:var(--lab-ink);font-family:sans-serif}a{color:var(--lab-1)}</style>` +
      ["storage.js", "numbers.js", ...scripts]
        .map((f) => `<script src="${at(f)}"></script>`)
        .join("") +
      `<body><main class="bd-article"><h1>${title}</h1>${body}</main></body></html>`,
  );
  return pathToFileURL(file).href;
}
