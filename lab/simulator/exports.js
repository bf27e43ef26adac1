// What is read from the text of a program's other file before that file runs: whether a module is alone, and which names a module
// can import of a file that is CommonJS. As in Node these are `exports.name = …`, `module.exports.name = …` and
// `module.exports = { name, … }`.

import { optionsOf } from "./complete.js";

const NAME = /^[A-Za-z_$][\w$]*$/;

/** The names, in the order of the text, without `default`. */
export function exportsOf(acorn, source) {
  const names = new Set();
  const visit = (node) => {
    if (node.type === "AssignmentExpression" && node.operator === "=") read(node, names);
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value])
        if (typeof child?.type === "string") visit(child);
  };
  visit(acorn.parse(source, optionsOf(false)));
  names.delete("default");
  return [...names];
}

const isExports = (node) =>
  (node.type === "Identifier" && node.name === "exports") ||
  (node.type === "MemberExpression" &&
    node.object.name === "module" &&
    node.property.name === "exports");

function read({ left, right }, names) {
  if (left.type === "MemberExpression" && isExports(left.object)) {
    const name = left.computed ? left.property.value : left.property.name;
    if (NAME.test(name)) names.add(name);
  } else if (isExports(left) && right.type === "ObjectExpression")
    for (const { type, key, computed } of right.properties) {
      if (type !== "Property" || computed) return; // Node stops here, too
      if (NAME.test(key.name ?? key.value)) names.add(key.name ?? key.value);
    }
}

/** Whether a module imports nothing and does not await at its top level. */
export function isAlone(acorn, source) {
  const visit = (node) => {
    if (/Function/.test(node.type)) return true;
    if (node.type === "AwaitExpression" || node.await === true) return false;
    return Object.values(node)
      .flat()
      .every((child) => typeof child?.type !== "string" || visit(child));
  };
  const tree = acorn.parse(source, optionsOf(true));
  return (
    !tree.body.some(({ type, source: from }) => type === "ImportDeclaration" || from) && visit(tree)
  );
}
