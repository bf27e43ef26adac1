// The reader's server as a file that real Node runs: what the model provides stands before it, done for real. It is global there,
// too, so a program may declare a name of its own.
import { kindOf } from "../program.js";

const HEAD =
  "// A server from the book Node.js I/O, Measured. Run it: node FILE. Then put it under load: npx autocannon http://127.0.0.1:3000\n";
const MADE = {
  createServer: `globalThis.createServer = process.getBuiltinModule("node:http").createServer;
`,
  busy: `globalThis.busy = (ms) => {
  for (const end = performance.now() + ms; performance.now() < end; );
};
`,
  hashFor: `globalThis.hashFor = (ms) => {
  for (const end = performance.now() + ms; performance.now() < end; );
};
`,
  hash: `// As many rounds as this machine's thread computes in that time.
globalThis.hash = (() => {
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
globalThis.read = () => process.getBuiltinModule("node:fs/promises").readFile(process.argv[1]);
`,
  query: `// A timer stands for the database, which has CONNECTIONS connections.
globalThis.query = (() => {
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

/** Whether the program has the word anywhere, but not as a property: it may call what it first gave another name. */
const isNamed = (word, text) =>
  new RegExp(
    `(?<![.\\w$])${word}(?![\\w$])|\\.\\.\\.${word}(?![\\w$])|globalThis\\.${word}\\b`,
  ).test(text);

/** {name, text}: CommonJS or a module, as the server itself is. */
export function exported({ name, text, connections }) {
  const file = name.replace(/\.[cm]?js$/, kindOf(text, name) === "esm" ? ".mjs" : ".cjs");
  const work = Object.entries(MADE)
    .filter(([word]) => isNamed(word, text))
    .map(([, code]) => code.replaceAll("CONNECTIONS", String(connections)));
  return { name: file, text: `${HEAD.replace("FILE", file)}${work.join("")}\n${text}` };
}
