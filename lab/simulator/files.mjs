// The files of a program that is on a disk: the program itself, and those beside it that it asks for.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { exportsOf, importsOf } from "./exports.js";
import { NotModelledError, programOf } from "./index.js";
import { latin1Of } from "./machine.js";
import { kindOf, syntaxReport } from "./program.js";

const MOST_FILES = 200;
const MOST_BYTES = 2 ** 20;
const TYPES = /\.[cm]?ts$/;
const STRIP = `
  const text = require("node:fs").readFileSync(0, "utf8");
  const { stripTypeScriptTypes } = require("node:module");
  if (stripTypeScriptTypes) process.stdout.write(stripTypeScriptTypes(text));
  else process.exitCode = 3;`;

/** The program in a file, as a machine takes it. `node` is the file of the Node that the machine is a model of. */
export function programIn(machine, node, file) {
  const source = textOf(machine, node, file);
  const name = basename(file);
  const kind = kindAt(machine, file, source);
  const program = programOf(machine, source, name, dirname(file), kind);
  return { ...program, cwd: process.cwd(), files: {} };
}

/** Give a program those of its machine's `lacking` that are on the disk; whether there was one. Throws NotModelledError. */
export function giveFiles(machine, node, program) {
  let isGiven = false;
  for (const entry of machine.lacking) {
    const { kind, place } = JSON.parse(entry);
    const known = program.files[place];
    const isKnown = {
      folder: known?.isListed,
      module: known && known.kind !== "data",
      data: known,
    };
    if (place === program.file || isKnown[kind]) continue;
    const stats = statsOf(place);
    if (kind === "folder" && stats?.isDirectory()) {
      for (const name of readdirSync(place)) {
        const path = join(place, name);
        const child = statsOf(path);
        if (path === program.file || !child) continue;
        if (child.isFile()) program.files[path] ??= dataIn(program, path);
        else if (child.isDirectory()) program.files[path] ??= { kind: "folder", latin1: "" };
      }
      program.files[place] = { kind: "folder", latin1: "", isListed: true };
    } else if (stats?.isDirectory() && kind === "data")
      program.files[place] = { kind: "folder", latin1: "" };
    else if (stats?.isFile())
      program.files[place] =
        kind === "module" ? codeIn(machine, node, program, place) : dataIn(program, place);
    else continue;
    isGiven = true;
  }
  machine.lacking.clear();
  return isGiven;
}

function statsOf(path) {
  try {
    return statSync(path);
  } catch {
    return null; // also where a part of the path is a file, or not to be read
  }
}

/** A file's bytes, one character each; refused where the program would have more than the model takes. */
function dataIn({ name, files }, path) {
  const all = Object.values(files);
  const bytes = all.reduce((total, { latin1 }) => total + latin1.length, statSync(path).size);
  if (all.length >= MOST_FILES || bytes > MOST_BYTES)
    throw new NotModelledError(
      `The model takes at most ${MOST_FILES} files and ${MOST_BYTES / 2 ** 20} MB, and the ` +
        `program needs more. To run it for real: node ${name}`,
    );
  try {
    return { kind: "data", latin1: readFileSync(path, "latin1") };
  } catch (error) {
    throw new NotModelledError(`${path} cannot be read: ${error.message}`);
  }
}

function codeIn(machine, node, program, path) {
  const data = dataIn(program, path);
  if (path.endsWith(".json")) return { ...data, kind: "json" };
  const source = textOf(machine, node, path);
  const kind = kindAt(machine, path, source);
  const report = syntaxReport(machine.acorn, { source, file: path, kind });
  if (report) throw new NotModelledError(report);
  const facts =
    kind === "esm"
      ? { imports: importsOf(machine.acorn, source) }
      : { names: [...namesIn(machine, path, source)] };
  return { kind, source, latin1: latin1Of(source), ...facts };
}

/** The names that can be imported of a file that is CommonJS, with those that it passes on. */
function namesIn(machine, path, source, paths = new Set([path])) {
  const { names, passedOn } = exportsOf(machine.acorn, source);
  const exportNames = new Set(names);
  for (const name of passedOn.filter((word) => /^\.{0,2}\//.test(word))) {
    const place = resolve(dirname(path), name);
    const file = [place, `${place}.js`, `${place}/index.js`].find((each) =>
      statsOf(each)?.isFile(),
    );
    if (!file || paths.has(file)) continue;
    paths.add(file);
    for (const word of namesIn(machine, file, readFileSync(file, "utf8"), paths))
      exportNames.add(word);
  }
  return exportNames;
}

/** The text of a program, without types if it is TypeScript: that Node itself takes them out. */
function textOf(machine, node, file) {
  const text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  if (!TYPES.test(file)) return text;
  try {
    const options = { input: text, encoding: "utf8", stdio: "pipe", timeout: 30_000 };
    return execFileSync(node, ["--no-warnings", "-e", STRIP], options);
  } catch (error) {
    if (error.status === 3)
      throw new NotModelledError(
        `Node ${machine.node.version} does not run TypeScript. Use a newer Node: --node 24`,
      );
    const words = /^(?:\w*Error)(?: \[\w+\])?: .*/m.exec(error.stderr ?? "");
    throw new NotModelledError(`${file}\n\n${words?.[0] ?? error.message}`);
  }
}

/** "cjs" or "esm", as the file's name, the nearest package.json or else the text say. */
function kindAt(machine, file, source) {
  if (/\.m[jt]s$/.test(file)) return "esm";
  if (/\.c[jt]s$/.test(file)) return "cjs";
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const type = typeIn(join(folder, "package.json"));
    if (type === "module") return "esm";
    if (type === "commonjs") return "cjs";
    if (type !== null || folder === dirname(folder)) return kindOf(source, file, machine.acorn);
  }
}

/** What a package.json says of its files' kind; "" if it does not, null where there is none. */
function typeIn(file) {
  try {
    const { type } = JSON.parse(readFileSync(file, "utf8"));
    return typeof type === "string" ? type : "";
  } catch {
    return null;
  }
}
