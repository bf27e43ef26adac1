// A frame of a stack as V8 writes it. The engine says where a function is and what its name is, V8 also on what
// it was called: that is told from the program's text, from where the function is written and how it is called.

import { optionsOf } from "./complete.js";
import { nameStart, written } from "./expression.js";

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
  return {
    /** The nodes around a place, the outermost first. */
    around(place) {
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
    },
    isModule,
  };
}

/** Whether a place is the call of a function where it is written: the engine has the end of that function. */
const isCallOfItself = ({ type, callee }, place) =>
  type === "CallExpression" && FUNCTION.test(callee.type) && place === callee.end - 1;

/**
 * Where V8 says that the engine's place is: `new` at that word, a property that is read at its name and one that is
 * written at the sign, a call of `a[b]` or of a function at its arguments. `property` is the one that is read or
 * written there, if any is.
 */
export function placeOf({ nodes, text }, place, property = null) {
  for (const node of nodes) {
    const { type, callee, left } = node;
    if (isCallOfItself(node, place)) return text.indexOf("(", callee.end);
    const isWritten = type === "AssignmentExpression" && left.type === "MemberExpression";
    if (isWritten && property !== null && left.start === place) return text.indexOf("=", left.end);
    if (type === "NewExpression" && nameStart(callee) === place) return node.start;
    if (type === "MethodDefinition" && node.kind === "constructor" && node.start === place)
      return node.value.start;
    if (type === "CallExpression" && callee.type === "MemberExpression" && callee.start === place) {
      const isNamed = !callee.computed && callee.property.type === "Identifier";
      if (!isNamed && property === null) return callee.end;
    }
    if (type !== "MemberExpression" || node.start !== place || property === null) continue;
    if ((node.property.name ?? node.property.value) === property) return node.property.start;
  }
  return place;
}

/**
 * The function of a frame in V8's words, "" where V8 names none. `nodes` are around its place, `name` is the
 * engine's, `caller` what called it: {nodes, place} in the program, {name} in Node.
 */
export function functionIn({ nodes, isModule }, name, caller) {
  const at = nodes.findLastIndex(
    ({ type }, index) =>
      FUNCTION.test(type) ||
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
  const called = calledBy(caller);
  const on = CALLED_ON[caller?.name];
  if (on) return name ? `${on.type}.${name}${asMethod(name, on.method)}` : `${on.type}.${on.method}`;
  const method = methodOf(nodes, at, name);
  if (method) return isPlainCall(called) && !/^(new|get|set) /.test(method) ? name : method;
  if (called?.type === "NewExpression" && name) return `new ${name}`;
  return name;
}

const asMethod = (name, method) => (name === method ? "" : ` [as ${method}]`);

/** The call that a frame's function comes from. */
const calledBy = (caller) =>
  caller?.nodes?.findLast(
    ({ type, callee }) => /^(Call|New)Expression$/.test(type) && nameStart(callee) === caller.place,
  );

const isPlainCall = (called) =>
  called?.type === "CallExpression" && called.callee.type === "Identifier";

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
  let moved = 0; // how much longer the text is up to here
  for (const { place, text, length } of insertions) {
    const start = place + moved;
    if (offset < start) break;
    if (offset < start + text.length) return place;
    moved += text.length - length;
  }
  return offset - moved;
}
