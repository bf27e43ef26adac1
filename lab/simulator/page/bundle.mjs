// node bundle.mjs OUT NODE...: writes what a page loads to run programs into OUT, not yet packed (lab/simulator/bundle.py
// packs it): the scripts, the engine with what runs inside it, for each Node its modules' texts, and about.json.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { createMachine, programOf } from "../index.js";
import { natives } from "../natives.js";
import { parts } from "../parts.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "../../..");
const TARGET = "es2022";
const ENTRIES = ["begin.js", "worker.js", "frame.js", "change.js", "panel.js", "editor.js", "lab.js"];
const [, , out, ...nodes] = process.argv;
mkdirSync(out, { recursive: true });

/** The examples of the Loop Lab: the book's own files, and some that stand in the list. */
const examples = JSON.parse(readFileSync(join(HERE, "examples.json"), "utf8")).map(
  ({ title, file, name, lines }) =>
    file
      ? { title, name: basename(file), source: readFileSync(join(ROOT, file), "utf8") }
      : { title, name, source: `${lines.join("\n")}\n` },
);

const bundled = async (entry, more = {}) => {
  const { outputFiles } = await build({
    entryPoints: [join(HERE, entry)],
    absWorkingDir: HERE,
    bundle: true,
    format: "iife",
    platform: "browser",
    target: TARGET,
    minify: true,
    legalComments: "none", // the licences are files beside it
    define: { "import.meta.url": '""', EXAMPLES: JSON.stringify(examples) },
    write: false,
    logLevel: "warning",
    ...more,
  });
  return outputFiles[0].text;
};

/** A text of ours that is evaluated in the engine: one expression, and so it stays. */
async function inside(text) {
  const head = "globalThis.made=";
  const { code } = await transform(`${head}${text}`, { minify: true, target: TARGET });
  return code.slice(head.length).replace(/;\n?$/, "");
}

/**
 * The texts that programs may come to need, without comments: those that Node's public modules load, as far as
 * the model has them. The names of what stands at the top of a module are printed, and stay.
 */
async function textsOf(node, made) {
  const used = new Set();
  const texts = new Proxy(node.texts, {
    get(all, name) {
      if (typeof name === "string") used.add(name);
      return all[name];
    },
  });
  const machine = await createMachine({ ...node, texts }, made);
  const isModelled = (source) => {
    try {
      machine.run(programOf(machine, source, "probe.cjs"));
      return true;
    } catch {
      return false;
    }
  };
  const publicNames = Object.keys(node.texts).filter((name) => !/^internal\/|^_/.test(name));
  const modules = publicNames.filter((name) => isModelled(`require(${JSON.stringify(name)})`));
  const probe = programOf(machine, readFileSync(join(HERE, "probe.cjs"), "utf8"), "probe.cjs");
  machine.run(probe, {}, { isTraced: true });
  const short = {};
  for (const name of [...used].filter((name) => node.texts[name] !== undefined).sort()) {
    const { code } = await transform(node.texts[name], { minify: true, target: TARGET });
    short[name] = code;
  }
  return { modules, facts: { version: node.version, versions: node.versions, texts: short } };
}

const made = await parts();
const { binary, acorn, ...texts } = made;
const sections = [["binary", binary]];
for (const [name, text] of Object.entries(texts))
  if (typeof text === "string") sections.push([name, Buffer.from(await inside(text))]);
const lengths = JSON.stringify(sections.map(([name, bytes]) => [name, bytes.length]));
writeFileSync(
  join(out, "engine.bin"),
  Buffer.concat([Buffer.from(`${lengths}\n`), ...sections.map(([, bytes]) => bytes)]),
);
for (const entry of ENTRIES) writeFileSync(join(out, entry), await bundled(entry));
const nodesMade = {};
const modelled = new Set();
for (const node of nodes) {
  const { modules, facts } = await textsOf(await natives(node), made);
  const major = facts.version.slice(1).split(".")[0];
  writeFileSync(join(out, `node-${major}.json`), JSON.stringify(facts));
  nodesMade[major] = facts.version;
  for (const name of modules) modelled.add(name);
}
const about = { nodes: nodesMade, modules: [...modelled].sort() };
writeFileSync(join(out, "about.json"), JSON.stringify(about));
