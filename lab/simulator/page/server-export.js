// The reader's server as a file that real Node runs: what the model provides stands before it, done for real.
import { kindOf } from "../program.js";

const HEAD =
  "// A server from the book Node.js I/O, Measured. Run it: node FILE. Then put it under load: npx autocannon http://127.0.0.1:3000\n";
const MADE = {
  createServer: 'const { createServer } = process.getBuiltinModule("node:http");\n',
  busy: `const busy = (ms) => {
  for (const end = performance.now() + ms; performance.now() < end; );
};
`,
  hashFor: `const hashFor = (ms) => {
  for (const end = performance.now() + ms; performance.now() < end; );
};
`,
  hash: `// As many rounds as this machine's thread computes in that time.
const hash = (() => {
  const { pbkdf2, pbkdf2Sync } = process.getBuiltinModule("node:crypto");
  const start = performance.now();
  pbkdf2Sync("secret", "salt", 50_000, 32, "sha256");
  const roundsPerMs = 50_000 / (performance.now() - start);
  return (ms) =>
    new Promise((resolve, reject) => {
      const rounds = Math.max(1, Math.round(ms * roundsPerMs));
      pbkdf2("secret", "salt", rounds, 32, "sha256", (error) => (error ? reject(error) : resolve()));
    });
})();
`,
  read: `// A real file takes as long as it takes, whatever the milliseconds say.
const read = () => process.getBuiltinModule("node:fs/promises").readFile(process.argv[1]);
`,
  query: `// A timer stands for the database, which has CONNECTIONS connections.
const query = (() => {
  const waiting = [];
  let free = CONNECTIONS;
  return async (ms) => {
    if (free > 0) free--;
    else await new Promise((resolve) => waiting.push(resolve));
    await new Promise((resolve) => setTimeout(resolve, ms));
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
})();
`,
};

const isUsed = (name, text) => new RegExp(`(?<![.\\w$])${name}\\s*\\(`).test(text);
/** Whether the program has this name itself: declared, imported, or taken out of a module. */
const isDeclared = (name, text) =>
  new RegExp(`\\b(?:const|let|var|function|class|import)\\s+${name}\\b`).test(text) ||
  new RegExp(`\\{[^{}]*\\b${name}\\b[^{}]*\\}\\s*(?:=|from)`).test(text);

/** {name, text}: CommonJS or a module, as the server itself is. */
export function exported({ name, text, connections }) {
  const file = name.replace(/\.[cm]?js$/, kindOf(text, name) === "esm" ? ".mjs" : ".cjs");
  const work = Object.entries(MADE)
    .filter(([word]) => isUsed(word, text) && !isDeclared(word, text))
    .map(([, code]) => code.replaceAll("CONNECTIONS", String(connections)));
  return { name: file, text: `${HEAD.replace("FILE", file)}${work.join("")}\n${text}` };
}
