// A frame of a stack as V8 writes it. The engine says where a function is and what its name is, V8 also on what
// it was called: that is told from the program's text, from where the function is written and how it is called.

import { optionsOf } from "./complete.js";
import { around, callsAt, nameOf, nameStart, written } from "./expression.js";

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
const STREAM = /^(Readable|Writable|Duplex|Transform)$/;
// What Node calls as a method of an object of its own, by the function that calls it.
const CALLED_ON = {
  listOnTimeout: { type: "Timeout", method: "_onTimeout" },
  processImmediate: { type: "Immediate", method: "_onImmediate" },
};

/** A program's text, in which any number of frames can be looked up. */
export function framesOf(acorn, text, isModule) {
  const tree = acorn.parse(text, optionsOf(isModule));
  return { tree, around: (place) => around(tree, place), isModule };
}

/**
 * Where V8 says that the engine's place is: `new` at that word, a property that is read at its name and one that is
 * written at the sign, a call of `a[b]` or of a function at its arguments. `property` is the one that is read or
 * written there, if any is, and `callee` the name of the function that is called, or of the error that is made.
 */
export function placeOf({ nodes, text }, place, { property = null, callee, isTop, words }) {
  if (property !== null) {
    for (const node of nodes) {
      const { type, left } = node;
      const isWritten = type === "AssignmentExpression" && left.type === "MemberExpression";
      if (isWritten && left.start === place) return text.indexOf("=", left.end);
      if (type !== "MemberExpression" || node.start !== place) continue;
      if ((node.property.name ?? node.property.value) === property) return node.property.start;
    }
    const later = spokenOf(functionAround(nodes, place), place, words, property); // what the engine has is before it
    if (later !== null) return later;
  }
  const call = callAt(nodes, place, callee, isTop);
  if (call) return placeOfCall(call, text);
  const made = nodes.findLast(
    ({ type, kind, start }) =>
      type === "MethodDefinition" && kind === "constructor" && start === place,
  );
  return made?.value.start ?? place;
}

/** The innermost function around a place, or the whole text. */
export const functionAround = (nodes, place) =>
  nodes.findLast(({ type, start }) => FUNCTION.test(type) && start < place) ?? nodes[0];

const NAME = /^(.*) is not defined$|^Cannot access '(.*)' before/;

/** The nodes that a node is made of. */
const partsOf = (node) =>
  Object.values(node)
    .flat()
    .filter((child) => typeof child?.type === "string");

/** The first name or property from a place on, in the order of the text, that an error's words speak of; null if none. */
function spokenOf(node, from, words, property) {
  const [, absent, early] = NAME.exec(words) ?? [];
  const name = absent ?? early;
  if (!name && !property) return null;
  let firstStart = null;
  const isFirst = (start) => start >= from && (firstStart === null || start < firstStart);
  const look = (part) => {
    if (part.type === "Identifier" && part.name === name && isFirst(part.start))
      firstStart = part.start;
    const read = part.type === "MemberExpression" ? part.property : null;
    if (property && (read?.name ?? read?.value) === property && isFirst(read.start))
      firstStart = read.start;
    for (const child of partsOf(part)) if (!FUNCTION.test(child.type)) look(child);
  };
  look(node);
  return firstStart;
}

/**
 * Where the first function from a place on fails, of which the engine knows only the beginning, as it does as long as
 * nothing of it has a place there; null if that is not known.
 */
export function failureIn({ tree }, from, words, property) {
  const failing = firstFunction(tree, from);
  return failing && spokenOf(failing.body, from, words, property);
}

/** The first function of a text from a place on; null if there is none. */
export function firstFunction(tree, from) {
  let first = null;
  const find = (node) => {
    if (FUNCTION.test(node.type) && node.body.start >= from && !(first?.start <= node.start))
      first = node;
    for (const child of partsOf(node)) find(child);
  };
  find(tree);
  return first;
}

/** The call at a place of the function with that name; of an error that the engine has made, which is the top, none. */
function callAt(nodes, place, name, isTop) {
  const calls = callsAt(nodes, place);
  const isNamed = ({ callee }) => (callee.property?.name ?? callee.name) === name;
  const atName = (call) => nameOf(call) === place || nameStart(call.callee) === place;
  const likely = calls.findLast(isNamed) ?? calls.findLast(atName);
  return likely ?? (isTop ? undefined : calls.at(-1));
}

function placeOfCall(call, text) {
  const { type, callee } = call;
  if (type === "NewExpression") return call.start;
  if (FUNCTION.test(callee.type)) return text.indexOf("(", callee.end);
  if (callee.type !== "MemberExpression") return callee.start;
  const isNamed = !callee.computed && callee.property.type === "Identifier";
  return isNamed ? callee.property.start : callee.end;
}

/**
 * The function of a frame in V8's words, "" where V8 names none. `nodes` are around its place, `name` is the
 * engine's, `caller` what called it: {nodes, place} in the program, {name} in Node.
 */
export function functionIn({ nodes, isModule, place }, name, caller) {
  const at = nodes.findLastIndex(
    ({ type, start }, index) =>
      (FUNCTION.test(type) && start < place) ||
      type === "StaticBlock" ||
      (type === "PropertyDefinition" && nodes[index + 1] === nodes[index].value),
  );
  const definition = nodes.findLastIndex(({ type }) => type === "MethodDefinition");
  if (definition > at && nodes[definition].kind === "constructor")
    return `new ${classNameIn(nodes, definition - 1) || "<anonymous>"}`;
  if (at < 0) return isModule ? "" : "Object.<anonymous>";
  const node = nodes[at];
  if (node.type === "StaticBlock" || (node.type === "PropertyDefinition" && node.static))
    return "<static_initializer>";
  if (node.type === "PropertyDefinition") return "<instance_members_initializer>";
  const call = caller?.nodes && callAt(caller.nodes, caller.place, name, false);
  const on = CALLED_ON[caller?.name];
  if (on)
    return name ? `${on.type}.${name}${asMethod(name, on.method)}` : `${on.type}.${on.method}`;
  const method = methodOf(nodes, at, name);
  if (method) return isPlainCall(call) && !/^(new|get|set) /.test(method) ? name : method;
  if (call?.type === "NewExpression" && name) return `new ${name}`;
  return name;
}

const BEFORE = /^(Return|Throw|Break|Continue)Statement$|^(Yield|Await)Expression$/;
// A part of these comes about only sometimes; the one that is named always does.
const CONDITIONAL = {
  IfStatement: "test",
  ConditionalExpression: "test",
  LogicalExpression: "left",
  AssignmentPattern: "left",
  SwitchStatement: "discriminant",
  WhileStatement: "test",
  DoWhileStatement: "body",
  ForStatement: "init",
  ForOfStatement: "right",
  ForInStatement: "right",
  TryStatement: null,
  ChainExpression: null,
};

/**
 * Whether calls end only by an error, from the innermost ones, {tree, nodes, place, start, isDirect} each: the first function is
 * among them again, and each calls the next itself (`isDirect`) whatever its values are. Of a function with `start` only its
 * beginning is known, and not its `place`.
 */
export function areEndless(frames) {
  const functions = frames.map(({ tree, nodes, place, start }) =>
    start === null
      ? nodes.findLast(({ type, start: from }) => FUNCTION.test(type) && from < place)
      : firstFunction(tree, start),
  );
  const again = functions.indexOf(functions[0], 1);
  if (again < 0 || !functions[0]) return false;
  return frames.slice(1, again + 1).every((frame, at) => {
    const caller = functions[at + 1];
    if (!frame.isDirect || !caller) return false;
    return frame.start === null ? isCertain(frame, caller) : !hasBranches(caller.body);
  });
}

const hasBranches = (node) =>
  node.type in CONDITIONAL ||
  (BEFORE.test(node.type) && node.type !== "ReturnStatement") ||
  partsOf(node).some((part) => !FUNCTION.test(part.type) && hasBranches(part));

/** Whether a function comes to a place of its own each time. */
function isCertain({ nodes, place }, ownFunction) {
  const path = nodes.slice(nodes.indexOf(ownFunction));
  const isAlways = path.slice(0, -1).every((node, at) => {
    if (node.type === "AssignmentExpression") return !/^(&&|\|\||\?\?)=$/.test(node.operator);
    return !(node.type in CONDITIONAL) || node[CONDITIONAL[node.type]] === path[at + 1];
  });
  const leaves = (node) =>
    (BEFORE.test(node.type) && node.end <= place) ||
    partsOf(node).some((child) => child && !FUNCTION.test(child.type) && leaves(child));
  return isAlways && !leaves(ownFunction.body);
}

const asMethod = (name, method) => (name === method ? "" : ` [as ${method}]`);

/** The call whose function is named at a place; undefined where there is none. */
export const calledAt = (frames, place) =>
  frames
    .around(place)
    .findLast(
      ({ type, callee }) => /^(Call|New)Expression$/.test(type) && nameStart(callee) === place,
    );

const isPlainCall = (call) => call?.type === "CallExpression" && call.callee.type === "Identifier";

/** What V8 says of a function that is written as a part of a class or an object, or is assigned to a property; else null. */
function methodOf(nodes, at, name) {
  const node = nodes[at];
  const parent = nodes[at - 1];
  const kind = parent?.kind;
  if (parent?.value === node && /^(MethodDefinition|PropertyDefinition)$/.test(parent.type)) {
    const type = classNameIn(nodes, at - 2);
    if (kind === "constructor") return `new ${type || "<anonymous>"}`;
    if (kind === "get" || kind === "set") return name;
    if (!IDENTIFIER.test(name)) return name;
    return `${type || (parent.static ? "Function" : "Object")}.${name}`;
  }
  if (parent?.type === "Property" && parent.value === node) {
    if (kind === "get" || kind === "set" || !IDENTIFIER.test(name)) return name;
    const { type, callee } = nodes[at - 3] ?? {};
    if (type === "NewExpression" && STREAM.test(callee.name))
      return `${callee.name}.${name}${asMethod(name, `_${parent.key.name}`)}`;
    return `Object.${name}${node.id && parent.key.name ? asMethod(name, parent.key.name) : ""}`;
  }
  if (parent?.type === "AssignmentExpression" && parent.right === node && !node.id) {
    const target = parent.left.type === "MemberExpression" ? written(parent.left) : null;
    return target?.replace(/^([\w$]+)\.prototype\./, "$1.") ?? null;
  }
  return null;
}

/** The name of the class whose body is at `at`: its own, else of what it is assigned to. */
function classNameIn(nodes, at) {
  const { id } = nodes[at - 1] ?? {};
  const holder = nodes[at - 2];
  return id?.name ?? (holder?.type === "VariableDeclarator" ? holder.id.name : "") ?? "";
}

/** The offset in a source of an offset in its completed text. */
export function sourceOffset(insertions, offset) {
  let growth = 0; // how much longer the text is up to here
  for (const { place, text, length } of insertions) {
    const start = place + growth;
    if (offset < start) break;
    if (offset < start + text.length) return place;
    growth += text.length - length;
  }
  return offset - growth;
}
