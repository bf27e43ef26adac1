// Variations: `run` and `of` are the cell's, so they are called here; what is tried, and how it is shown, is Python's.
"use strict";

const { call } = require("./client.js");

const MODULE = "widgets.vary.vary";
const LACKING = ["NoRecord", "StaleRecord"];
let before = Promise.resolve(); // what is replayed and what is measured is said for all of Python: one after another

/**
 * What each value of the one thing that is changed gives: `run(value, experiment)` measures it, `of(result, value)` says its numbers by
 * name and unit. One of `values`, or any other `value`, is measured; the others come from their records (`measure: "all"`: none does).
 */
async function vary(id, run, { values, value, of, measure, ...options } = {}) {
  if (typeof run !== "function" || typeof of !== "function" || typeof values !== "object")
    throw new TypeError(
      "lab.vary(id, (value, experiment) => …, { values: […], of: (result, value) => ({ … }) }): " +
        "run and of are functions, values an array, or an object that names them.",
    );
  const turn = before.then(() => all(id, run, { values, value, of, measure, ...options }));
  before = turn.catch(() => {});
  return turn;
}

async function all(id, run, { values, value, of, measure, ...options }) {
  const entries = [];
  const absent = [];
  for (const one of await call(`${MODULE}.planned`, [id, values, value, measure])) {
    const { numbers, made, lacks } = await attempt(id, one, run, of);
    if (lacks) absent.push(one.name);
    else entries.push({ ...one, numbers, run: made });
  }
  return call(`${MODULE}.drawn`, [id, entries, { ...options, value, absent }]);
}

async function attempt(id, { value, experiment, live, optional }, run, of) {
  if (!live) await call(`${MODULE}.hold`, [id]);
  try {
    const made = await run(value, experiment);
    return { made, numbers: await of(made, value) };
  } catch (error) {
    if (optional && LACKING.includes(error.name)) return { lacks: true };
    throw error;
  } finally {
    if (!live) await call(`${MODULE}.release`, [id]);
  }
}

module.exports = { vary };
