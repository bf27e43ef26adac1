"use strict";
// Where in the recorded program we are: { at: [[line, column, function], …] innermost first, called: "nextTick" }.
// `called` is the function of Node that the innermost of those frames called: it tells the program's own nextTick
// from one that Node makes on its behalf.

const path = require("node:path");
const { pathToFileURL } = require("node:url");
const fs = require("node:fs");

const FRAMES_READ = 50; // deep enough to pass Node's own frames
const FRAMES_KEPT = 4;
let names = [];

function nameMain(file) {
  const full = path.resolve(file);
  names = [full];
  try {
    names.push(fs.realpathSync(full));
  } catch {} // no such file: Node says so itself in a moment
  names.push(...names.map((name) => pathToFileURL(name).href));
}

function userSite() {
  // Set and put back: the program's own stack traces must stay as they are.
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = keepCallSites;
  Error.stackTraceLimit = FRAMES_READ;
  const holder = {};
  Error.captureStackTrace(holder, userSite);
  const sites = holder.stack;
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  if (!Array.isArray(sites)) return null;
  const at = [];
  let functionName = null;
  for (const [i, site] of sites.entries()) {
    // An async frame waits for this stack; it is not on it.
    if (site.isAsync() || !names.includes(site.getFileName())) continue;
    if (at.length === 0 && i > 0) functionName = sites[i - 1].getFunctionName();
    at.push([site.getLineNumber(), site.getColumnNumber(), site.getFunctionName()]);
    if (at.length === FRAMES_KEPT) break;
  }
  return at.length > 0 ? { at, called: functionName } : null;
}

function keepCallSites(_error, sites) {
  return sites;
}

module.exports = { userSite, nameMain };
