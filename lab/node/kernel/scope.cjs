// The names of cells. Most are properties of the global object, where V8 finds them fast. A name that Node has, too,
// lives among the cells only: modules, the verbs of the course among them, keep Node's.
"use strict";

const Module = require("node:module");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { importer } = require("./imports.cjs");
const { Object, Reflect } = require("../api/primordials.js");

// Taken now: a cell may replace the global ones.
const { URL, globalThis: host } = globalThis;

/** What cells see before they see the global object; in the programs of cells that need it, a `with`. */
const hidden = Object.create(null);
/** Of every name that a cell declared, how to read it. */
const readers = Object.create(null);

/** Gives programs of cells what a CommonJS file in `folder` has; the function that is returned calls one. */
function fileIn(folder) {
  const filename = path.join(folder, "cell");
  const module = new Module(filename, null);
  module.filename = filename;
  module.paths = Module._nodeModulePaths(folder);
  const require = Module.createRequire(filename);
  // A program that asks whether it was started, or only loaded, was started.
  require.main = module;
  const meta = metaOf(filename, require);
  Object.assign(readers, {
    require: () => require,
    module: () => module,
    exports: () => module.exports,
    __filename: () => filename,
    __dirname: () => folder,
  });
  return (program) =>
    program(module.exports, require, module, filename, folder, meta, hidden, share, importer);
}

/** `import.meta`, as of a file in the folder. */
function metaOf(filename, require) {
  const url = pathToFileURL(filename).href;
  const resolve = (specifier) => {
    if (Module.isBuiltin(specifier))
      return specifier.startsWith("node:") ? specifier : `node:${specifier}`;
    if (/^(\.{0,2}\/|[a-z][a-z\d+.-]*:)/i.test(specifier)) return new URL(specifier, url).href;
    return pathToFileURL(require.resolve(specifier)).href;
  };
  const meta = { dirname: path.dirname(filename), filename, main: true, resolve, url };
  return Object.assign(Object.create(null), meta);
}

/**
 * Makes the top-level names of a cell, as [name, hidden?, get, set], visible to later ones, bound to the cell's own. `taken` are
 * names of Node that the cell assigns to and nowhere declares.
 */
function share(names, newNames = []) {
  for (const [name, isHidden, get, set] of names) {
    readers[name] = get;
    const options = { get, set, configurable: true, enumerable: true };
    Reflect.defineProperty(isHidden ? hidden : host, name, options);
  }
  for (const name of newNames) if (!(name in hidden)) take(name);
}

/** Whether cells have made something else of a name of Node: `const { performance } = require("node:perf_hooks")` has not. */
function isOfCells(name) {
  if (!(name in hidden)) return false;
  try {
    return !Object.is(hidden[name], host[name]);
  } catch {
    return true; // its cell has not come to that line, or never will
  }
}

/** Until something is assigned to it, the name is Node's as it is at that time. */
function take(name) {
  let read = readers[name] ?? (() => host[name]);
  const options = {
    get: () => read(),
    set(value) {
      read = () => value;
    },
    configurable: true,
    enumerable: true,
  };
  Object.defineProperty(hidden, name, options);
  readers[name] = options.get;
}

module.exports = { fileIn, hidden, isOfCells, readers };
