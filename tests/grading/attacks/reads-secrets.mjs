// summary. Looks for the check, the reference, other hand-ins, and what the environment holds.
import { readdirSync, readFileSync } from "node:fs";

const found = [];
const walk = (folder, depth = 0) => {
  let names = [];
  try {
    names = readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  for (const name of names) {
    const path = `${folder === "/" ? "" : folder}/${name.name}`;
    if (
      /^\/(usr|lib|lib64|dev|etc)\b|^\/proc\/(self\/)?(cpuinfo|stat|meminfo|loadavg|uptime)$/.test(
        path,
      ) ||
      depth > 6
    )
      continue;
    if (name.isDirectory()) walk(path, depth + 1);
    else if (!["/node", "/closed.cjs"].includes(path) && !path.startsWith("/hand/"))
      found.push(path);
  }
};
for (const path of [
  "/exercise/check.mjs",
  "/exercise/solution.mjs",
  "/grader/main.mjs",
  "/proc/1/environ",
  "/proc/self/environ",
  "/etc/passwd",
  "/root/.ssh/id_rsa",
])
  try {
    readFileSync(path);
    found.push(path);
  } catch {
    // not there
  }
if (!found.length) walk("/");
const names = Object.keys(process.env).filter(
  (name) => !["PATH", "LANG", "TZ", "PWD", "NODE_OPTIONS"].includes(name),
);
if (found.length || names.length) throw new Error(`LEAK: ${found.join(" ")} ${names.join(" ")}`);
export const summary = () => ({});
