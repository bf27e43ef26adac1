// The verbs of the course for JavaScript cells: `const lab = require("lab")`. They are the ones of the
// Python package, awaited; names and options are written in camelCase.
"use strict";

const { call } = require("./client.js");
const { glue } = require("./glue.js");
const median = require("./median.js");
const { programText } = require("./program.js");
const { vary } = require("./vary.js");

const verb =
  (name) =>
  (...args) =>
    call(name, args);

/** A group of functions, `lab.predict.mm1(...)`: whatever Python has under that name. */
const group = (name) =>
  new Proxy(
    {},
    {
      get: (_, key) =>
        typeof key === "string" && key !== "then" ? verb(`${name}.${key}`) : undefined,
    },
  );

/**
 * The recipe of a server, from the catalogue or, with `program` (a function or a text), written here.
 * The promise also has the recipe's methods: `lab.server("node/hello").start()`.
 */
function server(name, { program, ...options } = {}) {
  const recipe =
    program === undefined
      ? call("server", [name, options])
      : call("define", [name, programText(program), options]);
  for (const method of ["start", "use", "configured"])
    recipe[method] = (...args) => recipe.then((made) => made[method](...args));
  return recipe;
}

const load = verb("load");
const compare = verb("compare");
const trace = async (program, ...options) =>
  call("trace", [programText(await program), ...options]);
const capacity = verb("capacity");
const survey = verb("survey");
const predict = group("predict");
const stats = group("stats");
const node = verb("node");
const claim = verb("claim");
const ask = verb("ask");
const answer = verb("answer");
const reveal = verb("reveal");
const model = verb("model");
const exercise = verb("exercise");
const check = verb("check");
/** Hands in a program for an exercise, a function's body or its text, and says what it is worth. */
const submit = (id, program) => call("submit", [id, programText(program)]);
const published = verb("published");
const plot = group("plot");
const table = verb("table");
const files = group("files");
const reference = verb("reference");
const doctor = verb("doctor");
const ps = verb("ps");
const stopAll = verb("stop_all");

// Names alone: Node reads them without running this, for `import { load } from "lab"`.
module.exports = {
  server,
  load,
  compare,
  trace,
  capacity,
  survey,
  predict,
  stats,
  node,
  claim,
  ask,
  answer,
  reveal,
  vary,
  model,
  exercise,
  check,
  submit,
  published,
  plot,
  table,
  files,
  glue,
  median,
  reference,
  doctor,
  ps,
  stopAll,
};
