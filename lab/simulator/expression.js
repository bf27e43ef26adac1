// An expression of a program as V8 writes it in the message of an error: `o.f` of "o.f is not a function".

import { optionsOf } from "./complete.js";

/**
 * {kind, text} of what is called, made or assigned at a place of the text; null where V8's words are not
 * known. `kind` is "call", "new", "name" or "property".
 */
export function expressionAt(acorn, text, isModule, place) {
  let result = null;
  const visit = (node) => {
    const { type, callee, left } = node;
    const target = type === "AssignmentExpression" ? left : callee;
    if (target && nameStart(target) === place) {
      if (target === left) result = { kind: target.property ? "property" : "name", text: "" };
      else result = { kind: type === "NewExpression" ? "new" : "call", text: written(callee) };
    } else if (type === "NewExpression" && callee.start === place)
      result = { kind: "new", text: written(callee) };
    for (const child of Object.values(node).flat())
      if (child && typeof child.type === "string" && child.start <= place && place < child.end)
        visit(child);
  };
  visit(acorn.parse(text, optionsOf(isModule)));
  return result?.text === null ? null : result;
}

/** Where the engine says that an expression is: at the name of its property, if it has one. */
export const nameStart = (node) => (node.type === "MemberExpression" ? node.property : node).start;

/** An expression in V8's words; null for those that V8 only describes. */
export function written(node) {
  const { type, object, property, computed: isComputed, optional: isOptional } = node;
  if (type === "Identifier") return node.name;
  if (type === "ThisExpression") return "this";
  if (type === "ChainExpression") return written(node.expression);
  if (type === "Literal") return typeof node.value === "number" ? `${node.value}` : null;
  if (type === "CallExpression") {
    const callee = written(node.callee);
    return callee && `${callee}(...)`;
  }
  if (type !== "MemberExpression" || property.type === "PrivateIdentifier") return null;
  const owner = written(object);
  if (owner === null) return null;
  const dot = isOptional ? "?." : "";
  if (!isComputed) return `${owner}${dot || "."}${property.name}`;
  if (typeof property.value === "string") return `${owner}${dot || "."}${property.value}`;
  const key = written(property);
  return key && `${owner}${dot}[${key}]`;
}
