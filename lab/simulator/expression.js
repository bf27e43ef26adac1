// An expression of a program as V8 writes it in the message of an error: `o.f` of "o.f is not a function".

import { optionsOf } from "./complete.js";

const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
const CALL = /^(Call|New)Expression$/;
/** Objects of every program whose functions are there: it is another call that fails. */
const GLOBAL =
  /^(console|process|JSON|Math|Object|Array|Promise|Reflect|String|Number|Date|Error|Map|Set|Buffer|setTimeout|setInterval|setImmediate|queueMicrotask|structuredClone|require)$/;

/** The nodes around a place, the outermost first. */
export function around(tree, place) {
  const nodes = [];
  const visit = (node) => {
    nodes.push(node);
    if (isCallOfItself(node, place)) return;
    for (const child of Object.values(node).flat())
      if (child && typeof child.type === "string" && child.start <= place && place < child.end)
        return visit(child);
  };
  visit(tree);
  return nodes;
}

/** Whether a place is the call of a function where it is written: the engine has the end of that function. */
export const isCallOfItself = ({ type, callee }, place) =>
  type === "CallExpression" && FUNCTION.test(callee.type) && place === callee.end - 1;

/**
 * The calls that the engine may have at a place, the outermost first: it has a call where the last part of its arguments
 * is that has a place, else at its name.
 */
export function callsAt(nodes, place) {
  const isAround = ({ type, start }) => FUNCTION.test(type) && start < place;
  const inside = nodes.slice(nodes.findLastIndex(isAround) + 1);
  return inside.filter((node) => {
    if (!CALL.test(node.type)) return false;
    const isInside = node.arguments.some(({ start, end }) => start <= place && place < end);
    const isThere = nameOf(node) === place || nameStart(node.callee) === place;
    return isInside || isThere || isCallOfItself(node, place);
  });
}

/** Where the engine has a call without arguments: at a property's name if that can be written after a dot, and is called. */
export const nameOf = ({ type, callee }) => {
  if (type === "NewExpression") return callee.start;
  const isKey = callee.computed || callee.property?.type === "PrivateIdentifier";
  return isKey ? callee.start : nameStart(callee);
};

/** The innermost object or function that an expression begins with, if it has a name. */
const rootOf = (node) => (node.type === "MemberExpression" ? rootOf(node.object) : node.name);

/**
 * {kind, text} of what is called, made or assigned at a place of the text; null where V8's words are not
 * known. `kind` is "call", "new", "name" or "property".
 */
export function expressionAt(acorn, text, isModule, place) {
  const nodes = around(acorn.parse(text, optionsOf(isModule)), place);
  const assigned = nodes.findLast(
    ({ type, left }) => type === "AssignmentExpression" && nameStart(left) === place,
  );
  if (assigned) return { kind: assigned.left.property ? "property" : "name", text: "" };
  const calls = callsAt(nodes, place);
  const others = calls.filter(({ callee }) => !GLOBAL.test(rootOf(callee)));
  const found = calls.length > 1 ? others : calls;
  if (found.length !== 1) return null; // it may be either
  const [{ type, callee }] = found;
  const words = written(callee);
  return words === null ? null : { kind: type === "NewExpression" ? "new" : "call", text: words };
}

/**
 * {kind, text} of the only part of a function that is iterated ("iterable", with V8's words for it), or that reads the property
 * `Symbol.iterator` ("read"); null if there is none, more than one, or one of which V8's words are not known.
 */
export function iterableIn(node) {
  const iterables = [];
  const add = (iterated) => iterables.push(iterated && iterableWords(iterated));
  const look = (part) => {
    const { type, id, computed: isComputed } = part;
    const isSpread = (child) => child?.type === "SpreadElement";
    if (type === "ArrayExpression")
      for (const element of part.elements.filter(isSpread)) add(element.argument);
    else if (type === "ForOfStatement") add(part.await ? null : part.right);
    else if (type === "VariableDeclarator" && id.type === "ArrayPattern") add(part.init);
    else if (type === "ArrayPattern" || part.delegate || part.arguments?.some(isSpread)) add(null);
    else if (
      isComputed &&
      type === "MemberExpression" &&
      written(part.property) === "Symbol.iterator"
    )
      iterables.push({ kind: "read", text: "" });
    for (const [name, value] of Object.entries(part))
      for (const child of [value].flat()) {
        if (typeof child?.type !== "string" || FUNCTION.test(child.type)) continue;
        if (name === "id" && child.type === "ArrayPattern")
          child.elements.filter(Boolean).forEach(look);
        else look(child);
      }
  };
  look(node);
  return iterables.length === 1 ? iterables[0] : null;
}

/** What V8 says is not iterable; null if the words are not known. */
function iterableWords(node) {
  const isCall = node.type === "CallExpression";
  const isKnown = isCall || /^(Identifier|MemberExpression)$/.test(node.type);
  const text = isKnown && node.name !== "undefined" ? written(isCall ? node.callee : node) : null;
  const ending = isCall ? " is not a function or its return value" : "";
  return text && { kind: "iterable", text: `${text}${ending}` };
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
