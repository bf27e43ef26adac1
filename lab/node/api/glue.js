// Numbers for the prose: what a cell glues under a name, `{glue:text}` puts into a sentence.
"use strict";

const { JSON, Object, TypeError, array, object } = require("./primordials.js");

const PREFIX = "application/papermill.record/"; // MyST-NB keeps such output for the prose and does not show it
const FORMS = "lab.glue(name, value) or lab.glue({ name: value, … })";

/**
 * Keep `value` as `name` for the sentences of the page, or several at once as the properties of an object.
 * A text, or a number that is rounded here. Throws before anything is kept.
 */
function glue(name, ...value) {
  const several = object.toString(name) === "[object Object]";
  if (value.length !== (several ? 0 : 1))
    throw new TypeError(
      `${FORMS}: ${several ? "an object already has its values" : "one name has one value"}.`,
    );
  const values = several ? Object.entries(name) : [[name, ...value]];
  const texts = array.map(values, ([key, one]) => [key, text(key, one)]);
  for (const [key, one] of texts)
    globalThis.$$?.mime({
      [`${PREFIX}text/plain`]: one,
      $metadata: { scrapbook: { name: key, mime_prefix: PREFIX } },
    });
}

/** A value as MyST-NB reads it: a text quoted, or 2,000 would become two numbers, 6.50 one of 6.5. */
function text(name, value) {
  if (typeof name !== "string" || name === "")
    throw new TypeError(`${FORMS}: the name must be the text that {glue:text} uses.`);
  if (typeof value !== "string" && typeof value !== "number")
    throw new TypeError(
      `lab.glue(${JSON.stringify(name)}, …) needs a text or a number for the sentence, and ` +
        `not ${value}. Await it first, and round it here: value.toFixed(1).`,
    );
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

module.exports = { glue };
