// Prints the locals of each JavaScript file named on standard input (a JSON list), as JSON:
// {file: [[name, its line, lines it lives, whether it only ever holds a boolean], ...]}. `vocabulary.py`
// counts them.

import { readFileSync } from "node:fs";
import { parse } from "acorn";

function parsed(text) {
  const options = { ecmaVersion: "latest", locations: true, allowHashBang: true };
  try {
    return parse(text, { ...options, sourceType: "module" });
  } catch {
    const script = { sourceType: "script", allowReturnOutsideFunction: true };
    return parse(text, { ...options, ...script });
  }
}

const children = (node) =>
  Object.values(node)
    .flat()
    .filter((child) => child && typeof child.type === "string");

function bound(pattern) {
  if (!pattern) return [];
  if (pattern.type === "Identifier") return [pattern];
  if (pattern.type === "Property") return bound(pattern.value);
  if (pattern.type === "AssignmentPattern") return bound(pattern.left);
  if (pattern.type === "RestElement") return bound(pattern.argument);
  return (pattern.elements ?? pattern.properties ?? []).flatMap(bound);
}

const COMPARISONS = new Set(["==", "===", "!=", "!==", "<", "<=", ">", ">=", "in", "instanceof"]);

function isBoolean(value) {
  if (!value) return false;
  if (value.type === "Literal") return typeof value.value === "boolean";
  if (value.type === "UnaryExpression") return value.operator === "!";
  return value.type === "BinaryExpression" && COMPARISONS.has(value.operator);
}

const isFunction = (node) => /Function/.test(node.type);

/** Calls `visit` with every node of this scope and of the functions in it. */
function walk(node, visit) {
  visit(node);
  for (const child of children(node)) walk(child, visit);
}

/** The scopes of a program: each block or function with the names that it declares. */
function* scopes(node, scope) {
  const opens =
    isFunction(node) || /^(BlockStatement|For\w*Statement|CatchClause|Program)$/.test(node.type);
  const inner = opens ? { node, names: [] } : scope;
  if (isFunction(node)) {
    inner.names.push(...node.params.flatMap(bound).map((name) => ({ name, boolean: false })));
  }
  if (node.type === "CatchClause") {
    inner.names.push(...bound(node.param).map((name) => ({ name, boolean: false })));
  }
  if (node.type === "VariableDeclaration") {
    for (const { id, init } of node.declarations) {
      inner.names.push(...bound(id).map((name) => ({ name, boolean: isBoolean(init) })));
    }
  }
  for (const child of children(node)) yield* scopes(child, inner);
  if (opens && node.type !== "Program") yield inner;
}

const files = JSON.parse(readFileSync(0, "utf8"));
const result = {};
for (const file of files) {
  const rows = [];
  for (const { node, names } of scopes(parsed(readFileSync(file, "utf8")), null)) {
    const last = new Map();
    walk(node, (inner) => {
      if (inner.type !== "Identifier") return;
      last.set(inner.name, Math.max(last.get(inner.name) ?? 0, inner.loc.end.line));
    });
    for (const { name, boolean } of names) {
      const { line } = name.loc.start;
      rows.push([name.name, line, last.get(name.name) - line + 1, boolean]);
    }
  }
  result[file] = rows;
}
process.stdout.write(JSON.stringify(result));
