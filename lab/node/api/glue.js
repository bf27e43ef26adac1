// Numbers for the prose: what a cell glues under a name, `{glue:text}` puts into a sentence.
"use strict";

const PREFIX = "application/papermill.record/"; // MyST-NB keeps such output for the prose and does not show it

/** Keep `value` as `name` for the sentences of the page; a text, or a number formatted here. */
function glue(name, value) {
  if (typeof name !== "string" || name === "")
    throw new TypeError("lab.glue(name, value): the name is the text that {glue:text} asks for.");
  if (!["string", "number"].includes(typeof value))
    throw new TypeError(
      `lab.glue(${JSON.stringify(name)}, …): a text or a number goes into a sentence, not ${value}. ` +
        "Await it first, and round it here: value.toFixed(1).",
    );
  globalThis.$$?.mime({
    // Quoted, as Python's glue does: MyST-NB evaluates the text, and 2,000 would become two numbers, 6.50 one of 6.5.
    [`${PREFIX}text/plain`]: typeof value === "string" ? JSON.stringify(value) : String(value),
    $metadata: { scrapbook: { name, mime_prefix: PREFIX } },
  });
}

module.exports = { glue };
