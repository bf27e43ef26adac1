// What the process that runs the cells may tell the kernel. A cell can write on the same channel
// (`process.send`): what has not the shape of a message is dropped before anything relies on it.
"use strict";

const isText = (value) => typeof value === "string";
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isKey = (value) => isText(value) || typeof value === "number";

const FIELDS = {
  stdout: isText,
  stderr: isText,
  mime: isObject,
  request: isObject,
  inspection: isObject,
  names: (value) => Array.isArray(value) && value.every(isText),
  error: (value) =>
    isObject(value) &&
    isText(value.ename) &&
    isText(value.evalue) &&
    Array.isArray(value.traceback) &&
    value.traceback.every(isText),
  display: (value) =>
    isObject(value) &&
    (isKey(value.open) || isKey(value.close) || isObject(value.mime)) &&
    (value.display_id === undefined || isKey(value.display_id)),
};

/** The parts of `message` that a cell with an id up to `last` may send; undefined if there are none. */
function understood(message, last) {
  if (!isObject(message)) return undefined;
  const { id, end } = message;
  if (!Number.isInteger(id) || id < 1 || id > last) return undefined;
  const found = { id };
  for (const [name, fits] of Object.entries(FIELDS))
    if (Object.hasOwn(message, name) && fits(message[name])) found[name] = message[name];
  if (end === true) found.end = true;
  return Object.keys(found).length > 1 ? found : undefined;
}

module.exports = { understood };
