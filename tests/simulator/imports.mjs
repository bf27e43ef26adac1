// node imports.mjs FOLDER MAJOR MODULE...: imports each of these modules of Node in a program of its own, with the files of a site
// and all its packs. The output is JSON, what was wrong by the module's name.
import { readdirSync } from "node:fs";
import * as acorn from "acorn";
import { createMachine, explore, programOf } from "../../lab/simulator/index.js";
import { engineParts, sections, unpackedIn } from "./page-files.mjs";

const [, , folder, major, ...modules] = process.argv;
const packs = readdirSync(folder)
  .filter((name) => new RegExp(`^(?!node)[a-z]+-${major}\\.js$`).test(name))
  .map((name) => sections(unpackedIn(folder, name)));
const { about, ...always } = sections(unpackedIn(folder, `node-${major}.js`));
const texts = Object.assign({}, always, ...packs);
const machine = await createMachine(
  { ...JSON.parse(about), texts },
  { ...engineParts(folder), acorn },
);
const wrong = {};
for (const name of modules) {
  const source = `import * as all from "node:${name}"; console.log(typeof all.default);`;
  try {
    const { orders } = explore(machine, programOf(machine, source, "import.mjs"), { mostRuns: 1 });
    const [{ lines, report }] = orders;
    if (!/^(object|function)$/.test(lines.join())) wrong[name] = report || lines.join();
  } catch (error) {
    wrong[name] = error.message;
  }
}
process.stdout.write(JSON.stringify(wrong));
