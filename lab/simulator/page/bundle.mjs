// node bundle.mjs OUT NODE...: writes what a page loads to run programs into OUT, not yet packed (lab/simulator/bundle.py
// packs it): the scripts, the engine with what runs inside it, for each Node its modules' texts, and about.json.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as acorn from "acorn";
import { build, transform } from "esbuild";
import { commonTexts, textsOf as textsOfExercise } from "../check/texts.mjs";
import { complete } from "../complete.js";
import { createMachine, programOf } from "../index.js";
import { INSIDE, INSIDE_LATER, INSIDE_SERVERS, laterName } from "../machine.js";
import { natives } from "../natives.js";
import { parts } from "../parts.mjs";
import { errorsFor, parserFor } from "./unused.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "../../..");
const TARGET = "es2022";
const ENTRIES = [
  "begin.js",
  "worker.js",
  "frame.js",
  "change.js",
  "panel.js",
  "editor.js",
  "lab.js",
  "server-panel.js",
  "exercise.js",
  "panel.css",
  "server-panel.css",
  "sheet.css",
];
const [, , out, exercisesFile, ...nodes] = process.argv;
mkdirSync(out, { recursive: true });

/** The examples of the Loop Lab: the book's own files, as far as they are there, and some that the list holds. */
const examples = JSON.parse(readFileSync(join(HERE, "examples.json"), "utf8"))
  .filter(({ file }) => !file || existsSync(join(ROOT, file)))
  .map(({ title, file, name, lines }) =>
    file
      ? { title, name: basename(file), source: readFileSync(join(ROOT, file), "utf8") }
      : { title, name, source: `${lines.join("\n")}\n` },
  );

/** Of the parser that the editor does not use nothing is kept, as if its package said that it may be left out. */
const withoutParser = {
  name: "without-parser",
  setup(bundler) {
    bundler.onResolve({ filter: /^@lezer\// }, async ({ path, pluginData, ...place }) => {
      if (pluginData) return undefined;
      const { path: file } = await bundler.resolve(path, { ...place, pluginData: true });
      return { path: file, sideEffects: false };
    });
  },
};

/** Of the parser of programs a page has no tables of letters. */
const withoutTables = {
  name: "without-tables",
  setup(bundler) {
    bundler.onLoad({ filter: /[\\/]acorn\.mjs$/ }, ({ path }) => ({
      contents: parserFor(readFileSync(path, "utf8")),
    }));
  },
};

const textIn = (name) => readFileSync(join(HERE, name), "utf8");

const served = {}; // constants of the panel of servers
const bundled = async (entry, more = {}) => {
  const { outputFiles } = await build({
    entryPoints: [join(HERE, entry)],
    absWorkingDir: HERE,
    bundle: true,
    format: "iife",
    platform: "browser",
    target: entry.endsWith(".css") ? undefined : TARGET,
    minify: true,
    legalComments: "none", // the licences are files beside it
    define: { "import.meta.url": '""', EXAMPLES: JSON.stringify(examples), ...served },
    write: false,
    plugins: [withoutParser, withoutTables],
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

/** Most programs that name this one are about workers, and the model has none: they cannot be changed. */
const MOSTLY_ABSENT = "worker_threads";

const ERRORS = "internal/errors";

/** Modules for which no page has room: who imports fs or util reads them, and hardly a program uses them. */
const RARE = new Set(
  ["mime", "streams/fast-utf8-stream", "util/debounce", "util/throttle"].map(
    (name) => `internal/${name}`,
  ),
);
/** The text in the place of such a module: what it exports throws an error when it is called. */
const absentText = (module) => `const absent = (name) => function () {
  throw new Error("The model has no " + String(name) + " in a page");
};
module.exports = new Proxy(absent("${basename(module)}"), { get: (_, name) => absent(name) });`;

/** A program that reads everything that a module exports, as `import` does: some of it is loaded only then. */
const readingOf = (name) =>
  `const exported = require(${JSON.stringify(name)}); for (const key in exported) try { exported[key]; } catch {}`;

/** What packs there are beside that of every program, and the modules that are loaded for each; "later" has all others. */
const PACKS = {
  streams: ["stream", "stream/consumers", "stream/promises", "string_decoder"],
  later: null,
  sockets: ["http", "net", "querystring", "url"],
  web: ["stream/web"],
  glob: ["diagnostics_channel"],
};

/** Our parts of the model that a program on sockets needs; the other late parts are beside the modules that hardly a program needs. */
const OF_SOCKETS = new Set(["sockets", "http", "url"]);

/**
 * The texts that programs may come to need, without comments: `facts` has those of every program, and `packs` those
 * that only some load, by the pack's name. The names of what stands at the top of a module are printed, and stay.
 */
async function textsOf(node, machineParts) {
  const names = new Set();
  const texts = new Proxy(node.texts, {
    get(all, name) {
      if (typeof name === "string" && all[name] !== undefined) names.add(name);
      return all[name];
    },
  });
  const machine = await createMachine({ ...node, texts }, machineParts);
  const runs = (source) => {
    try {
      machine.run(programOf(machine, source, "probe.cjs"));
      return true;
    } catch {
      return false;
    }
  };
  const probe = programOf(machine, textIn("probe-always.cjs"), "probe.cjs");
  machine.run(probe, {}, { isTraced: true });
  const packs = { node: await shortened(node.texts, [...names]) };
  const modules = [];
  const fill = async (pack, publicNames) => {
    const loadable = publicNames.filter(
      (name) => name !== MOSTLY_ABSENT && runs(`require(${JSON.stringify(name)})`),
    );
    modules.push(...loadable);
    for (const name of loadable) runs(readingOf(name));
    const [, ...programs] = textIn(`probe-${pack}.txt`).trim().split("\n");
    for (const source of programs) runs(source);
    const before = Object.values(packs);
    const isNew = (name) => before.every((texts) => !(name in texts));
    packs[pack] = await shortened(node.texts, [...names].filter(isNew));
  };
  const publicNames = Object.keys(node.texts).filter((name) => !/^internal\/|^_/.test(name));
  const ofAPack = new Set(Object.values(PACKS).flatMap((names) => names ?? []));
  for (const [pack, names] of Object.entries(PACKS))
    await fill(
      pack,
      publicNames.filter((name) => (names ? names.includes(name) : !ofAPack.has(name))),
    );
  const packed = Object.values(packs)
    .flatMap(Object.entries)
    .flatMap(([name, text]) => (name === ERRORS ? [] : [text]));
  const ours = Object.values(machineParts).filter((part) => typeof part === "string");
  const errors = errorsFor(node.texts[ERRORS], [...packed, ...ours]);
  Object.assign(packs.node, await shortened({ [ERRORS]: errors }, [ERRORS]));
  for (const name of INSIDE_LATER)
    packs[OF_SOCKETS.has(name) ? "sockets" : "glob"][laterName(name)] = await inside(
      machineParts[name],
    );
  const { version, versions } = node;
  const isCompleted = true;
  const { node: always, ...otherPacks } = packs;
  const namesOf = Object.entries(otherPacks).map(([pack, texts]) => [pack, Object.keys(texts)]);
  const facts = {
    version,
    versions,
    isCompleted,
    texts: always,
    packs: Object.fromEntries(namesOf),
  };
  return { modules, facts, packs: otherPacks };
}

/** The texts as the machine needs them: a page leaves out to complete them, which takes longer than to run a program. */
async function shortened(texts, names) {
  const short = {};
  for (const name of names.sort()) {
    const { text } = complete(acorn, RARE.has(name) ? absentText(name) : texts[name], false);
    const { code } = await transform(text, { minify: true, target: TARGET });
    short[name] = code;
  }
  return short;
}

/** Texts and bytes by their names in one file, which begins with names and lengths: as JSON they would be longer. */
function write(file, content) {
  const sections = Object.entries(content).map(([name, text]) => [name, Buffer.from(text)]);
  const lengths = JSON.stringify(sections.map(([name, bytes]) => [name, bytes.length]));
  const bytes = [Buffer.from(`${lengths}\n`), ...sections.map(([, section]) => section)];
  writeFileSync(join(out, `${file}.bin`), Buffer.concat(bytes));
}

const machineParts = await parts();
const evaluated = {};
for (const name of INSIDE) evaluated[name] = await inside(machineParts[name]);
evaluated.binary = machineParts.binary; // texts beside one another are packed smaller
write("engine", evaluated);
// The measured figures of the servers come from their records, which lab/simulator/bundle.py reads.
const [serving] = INSIDE_SERVERS;
served.__SERVING__ = JSON.stringify(await inside(machineParts[serving]));
served.__SERVERS__ = textIn("servers.json");
for (const entry of ENTRIES) writeFileSync(join(out, entry), await bundled(entry));
const { driver, harness } = await commonTexts();
write("check", {
  [laterName("guest")]: await inside(machineParts.guest),
  [laterName("files")]: await inside(machineParts.files),
  "check/driver": driver,
  "check/harness": harness,
  "check/judge": await bundled("../check/page.js"),
});
// [{id, folder, …}]: what is in an exercise's own file is plain data, and the texts of its check.
for (const { id, folder, ...facts } of JSON.parse(readFileSync(exercisesFile, "utf8")))
  write(`exercise-${id}`, {
    [`exercise/${id}`]: JSON.stringify({ ...facts, ...(await textsOfExercise(folder)) }),
  });
const nodesMade = {};
const modelled = new Set();
for (const node of nodes) {
  const { modules, facts, packs } = await textsOf(await natives(node), machineParts);
  const major = facts.version.slice(1).split(".")[0];
  const { texts, ...about } = facts;
  write(`node-${major}`, { about: JSON.stringify(about), ...texts });
  for (const [pack, content] of Object.entries(packs)) write(`${pack}-${major}`, content);
  nodesMade[major] = facts.version;
  for (const name of modules) modelled.add(name);
}
const about = { nodes: nodesMade, modules: [...modelled].sort() };
writeFileSync(join(out, "about.json"), JSON.stringify(about));
