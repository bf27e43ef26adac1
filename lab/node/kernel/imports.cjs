// The modules of cells: found from the folder of the notebook, else among the packages of the course.
"use strict";

const Module = require("node:module");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { ROOT } = require("./errors.cjs");
const { Object } = require("../api/primordials.js");

// Taken now: a cell may replace the global ones.
const { SyntaxError, process } = globalThis;

const PACKAGE = /^[@\w][^:]*$/;
const NOT_FOUND = "ERR_MODULE_NOT_FOUND";
const COURSE = pathToFileURL(path.join(ROOT, "package.json")).href;

/** Has every import in the folder, and `require`, find the packages of the course wherever the folder is. */
function serveCourse(folder) {
  const before = process.env.NODE_PATH;
  process.env.NODE_PATH = [before, path.join(ROOT, "node_modules")]
    .filter(Boolean)
    .join(path.delimiter);
  Module._initPaths();
  // Processes that a cell starts are not affected.
  if (before === undefined) delete process.env.NODE_PATH;
  else process.env.NODE_PATH = before;
  const folderUrl = pathToFileURL(path.join(folder, "/")).href;
  // Not on every Node: the others find the course's packages by `import … from` only.
  Module.registerHooks?.({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        const ofCell = context.parentURL === undefined || isCell(context.parentURL, folderUrl);
        if (!ofCell || !isMissing(error, specifier)) throw error;
        return fromRoot(error, () => next(specifier, { ...context, parentURL: COURSE }));
      }
    },
  });
}

/** Whether a module's address is that of a cell, which lies in the folder and has no file. */
const isCell = (url, here) => url.startsWith(here) && /\/(cell(%20\d+)?)?$/.test(url);

const isMissing = (error, specifier) => error?.code === NOT_FOUND && PACKAGE.test(specifier);

/** The first error stays if there is no such package in the course either. */
function fromRoot(error, resolve) {
  try {
    return resolve();
  } catch {
    throw error;
  }
}

/** The module of `import … from` in a cell, by the `load` of the cell; it must have the names `asked`. */
async function importer(load, specifier, asked) {
  const namespace = await loaded(load, specifier);
  for (const name of asked) if (!(name in namespace)) throw notExported(namespace, specifier, name);
  return namespace;
}

async function loaded(load, specifier) {
  try {
    return await load(specifier);
  } catch (error) {
    if (!isMissing(error, specifier)) throw error;
    try {
      return await import(specifier); // from here, which is in the course
    } catch {
      throw error;
    }
  }
}

/** In the words of Node, which only says it of files. */
function notExported({ default: whole }, specifier, name) {
  const isCommon =
    whole !== null && /^(object|function)$/.test(typeof whole) && Object.hasOwn(whole, name);
  return new SyntaxError(
    isCommon && !Module.isBuiltin(specifier)
      ? `Named export '${name}' not found. The requested module '${specifier}' is a CommonJS module, ` +
          "which may not support all module.exports as named exports. Import the default: " +
          `import whole from "${specifier}"; const { ${name} } = whole;`
      : `The requested module '${specifier}' does not provide an export named '${name}'`,
  );
}

module.exports = { serveCourse, importer };
