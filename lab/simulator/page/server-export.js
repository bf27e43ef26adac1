// The reader's server as a file that real Node runs: what the model provides stands before it, done for real.
import { kindOf } from "../program.js";

const REAL = (
  connections,
) => `// The work whose times the model takes as declared. A hash and a file take what your machine needs.
const busy = (ms) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};
const hashFor = busy;
const roundsPerMs = (() => {
  const start = performance.now();
  pbkdf2Sync("secret", "salt", 50_000, 32, "sha256");
  return 50_000 / (performance.now() - start);
})();
const hash = (ms) =>
  new Promise((resolve, reject) => {
    const rounds = Math.max(1, Math.round(ms * roundsPerMs));
    pbkdf2("secret", "salt", rounds, 32, "sha256", (error) => (error ? reject(error) : resolve()));
  });
const read = () => readFile(process.argv[1]);
const waiting = [];
let free = ${connections}; // connections of the database
const query = async (ms) => {
  if (free > 0) free--;
  else await new Promise((resolve) => waiting.push(resolve));
  await new Promise((resolve) => setTimeout(resolve, ms));
  const next = waiting.shift();
  if (next) next();
  else free++;
};
`;

/** {name, text}: CommonJS or a module, as the server itself is. */
export function exported({ name, text, connections }) {
  const isModule = kindOf(text, name) === "esm";
  const has =
    /\bcreateServer\b[^;]*?(from|require)|[{,]\s*createServer\b[^}]*\}\s*=\s*require/.test(text);
  const imports = [
    ["node:crypto", "pbkdf2, pbkdf2Sync"],
    ["node:fs/promises", "readFile"],
    ...(has ? [] : [["node:http", "createServer"]]),
  ].map(([module, names]) =>
    isModule
      ? `import { ${names} } from "${module}";`
      : `const { ${names} } = require("${module}");`,
  );
  const head = `// A server from the book Node.js I/O, Measured. Run it: node FILE. Then ask it: npx autocannon http://127.0.0.1:3000\n`;
  const file = name.replace(/\.[cm]?js$/, isModule ? ".mjs" : ".cjs");
  return {
    name: file,
    text: `${head.replace("FILE", file)}${imports.join("\n")}\n\n${REAL(connections)}\n${text}`,
  };
}
