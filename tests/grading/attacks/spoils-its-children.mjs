// summary. Leaves settings that programs started later might read.
import { writeFileSync } from "node:fs";

process.env.NODE_OPTIONS = "--require /own/evil.cjs";
for (const [name, text] of [
  ["/own/evil.cjs", "console.log('LEAK: loaded')"],
  ["/own/package.json", '{"type":"commonjs","imports":{"#x":"./evil.cjs"}}'],
  ["/own/.npmrc", "script-shell=/own/evil.cjs"],
  ["/hand/package.json", '{"type":"commonjs"}'],
])
  try {
    writeFileSync(name, text);
  } catch {
    // not allowed
  }
export const summary = () => ({});
