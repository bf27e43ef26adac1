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

module.exports = {
  server,
  load: verb("load"),
  compare: verb("compare"),
  trace: async (program, ...options) => call("trace", [programText(await program), ...options]),
  capacity: verb("capacity"),
  survey: verb("survey"),
  predict: group("predict"),
  stats: group("stats"),
  node: verb("node"),
  claim: verb("claim"),
  ask: verb("ask"),
  answer: verb("answer"),
  reveal: verb("reveal"),
  vary,
  model: verb("model"),
  exercise: verb("exercise"),
  check: verb("check"),
  /** Hands in a program for an exercise, a function's body or its text, and says what it is worth. */
  submit: (id, program) => call("submit", [id, programText(program)]),
  published: verb("published"),
  plot: group("plot"),
  table: verb("table"),
  files: group("files"),
  glue,
  median,
  reference: verb("reference"),
  doctor: verb("doctor"),
  ps: verb("ps"),
  stopAll: verb("stop_all"),
};
