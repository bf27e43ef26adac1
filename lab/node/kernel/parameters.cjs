// The program around the text of a cell: what a cell is given, and whether it runs among the names of earlier cells.
"use strict";

const { array, set } = require("../api/primordials.js");

const { Set } = globalThis;

// What a CommonJS file has.
const OF_A_FILE = ["exports", "require", "module", "__filename", "__dirname"];
// `import.meta` of a cell. As long as the words it replaces, and read back by `lab.trace(() => …)`.
const META = "import$meta";
const PARAMETERS = [...OF_A_FILE, META, "$$scope$$", "$$share$$", "$$load$$"].join(", ");

// Of the language, and the same for ever: a cell inside a `with` has them at hand.
const LANGUAGE = new Set(
  "Array BigInt Boolean Date JSON Map Math Number Object Promise Set String Symbol".split(" "),
);

/**
 * {code, columnOffset}: `code` evaluates to a promise of the value of the last expression. `isOfCells` says of a name of Node
 * whether earlier cells have made it theirs: then the program runs where it is found among theirs, which V8 is slow at.
 */
function programOf({ opening, body, names: { used, taken } }, isOfCells) {
  const isTheirs = (name) => array.includes(taken, name) || isOfCells(name);
  const around = array.some(used, isTheirs);
  const atHand = array.filter(used, (name) => set.has(LANGUAGE, name) && !isTheirs(name));
  const fast =
    around && atHand.length > 0 ? `const { ${array.join(atHand, ", ")} } = globalThis; ` : "";
  const prefix =
    `$$enter$$((${PARAMETERS}) => ` +
    `{ ${around ? "with ($$scope$$) " : ""}{ ${fast}return ${opening}`;
  return { code: `${prefix}${body} } })`, columnOffset: -prefix.length };
}

module.exports = { META, OF_A_FILE, programOf };
