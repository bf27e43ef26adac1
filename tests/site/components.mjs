// The components of a page and its styles in a folder, as a built site has them in _static.

import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

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
