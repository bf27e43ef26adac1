// What is read from the text of a program's other file before that file runs: what a module imports, and which names a module
// can import of a file that is CommonJS. Node reads these names from the tokens of the text, by the rules of its
// cjs-module-lexer: https://github.com/nodejs/cjs-module-lexer#grammar

import { optionsOf } from "./complete.js";

/** {names, passedOn}: the exports' names without `default`, and the files whose names are passed on, in the order of the text. */
export function exportsOf(acorn, source) {
  const result = { names: new Set(), passedOn: new Set() };
  visit(acorn.parse(source.replace(/^#!/, "//"), optionsOf(false)), (node) => {
    if (node.type === "AssignmentExpression" && node.operator === "=")
      readAssignment(node, source, result);
    if (node.type === "CallExpression") readDefinition(node, result);
  });
  result.names.delete("default");
  return { names: [...result.names], passedOn: [...result.passedOn] };
}

function visit(node, look) {
  look(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === "string") visit(child, look);
}

const isModuleExports = (node) =>
  node.type === "MemberExpression" &&
  node.object.name === "module" &&
  !node.computed &&
  node.property.name === "exports";

const isExports = (node) =>
  (node.type === "Identifier" && node.name === "exports") || isModuleExports(node);

/** The name that a key or a property has in the text; null for one that is computed. */
const nameOf = ({ computed, property, key }) => {
  const node = property ?? key;
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : null;
  return computed ? null : node.name;
};

const fileRequired = (node) =>
  node.type === "CallExpression" && node.callee.name === "require"
    ? node.arguments[0]?.value
    : null;

function readAssignment({ left: target, right }, source, { names, passedOn }) {
  if (target.type === "MemberExpression" && isExports(target.object)) {
    const name = nameOf(target);
    if (name !== null) names.add(name);
    return;
  }
  if (!isModuleExports(target)) return;
  const file = fileRequired(right);
  if (file) {
    passedOn.clear();
    passedOn.add(file);
  }
  if (right.type === "ObjectExpression")
    for (const property of right.properties)
      if (!readProperty(property, source, { names, passedOn })) return;
}

/** Reads a property of the object that is exported; whether Node goes on behind it. */
function readProperty(property, source, { names, passedOn }) {
  if (property.type === "SpreadElement") {
    const file = fileRequired(property.argument);
    if (file) passedOn.add(file);
    return Boolean(file) || property.argument.type === "Identifier";
  }
  const { kind, method, shorthand, value } = property;
  const name = property.computed ? null : nameOf(property);
  if (name === null || kind !== "init" || (method && (value.async || value.generator)))
    return false;
  const startsWithName = /^[A-Za-z_$]/.test(source.slice(value.start));
  if (shorthand || method || startsWithName) names.add(name);
  if (shorthand) return true;
  const isName = value.type === "Identifier" || (value.type === "Literal" && startsWithName);
  return isName && /^[,}]/.test(source.slice(value.end).trimStart()) && source[value.end] === ",";
}

/** `Object.defineProperty(exports, "name", { enumerable: true, … })`. */
function readDefinition({ callee, arguments: [target, key, settings] }, { names }) {
  const { object, property } = callee;
  if (object?.name !== "Object" || property?.name !== "defineProperty") return;
  if (!target || !isExports(target) || typeof key?.value !== "string") return;
  const [first] = settings?.properties ?? [];
  const isRead =
    first?.key?.name === "value" ||
    (first?.key?.name === "enumerable" && first.value.value === true);
  if (isRead) names.add(key.value);
}

/** The names that a module imports before its own code begins, in the order of the text. */
export function importsOf(acorn, source) {
  const { body } = acorn.parse(source, optionsOf(true));
  return [
    ...new Set(body.filter(({ source: from }) => from).map(({ source: from }) => from.value)),
  ];
}
