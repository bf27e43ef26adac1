// What the engine lacks is put into a program's text before the engine gets it, line by line as it was.
//
// QuickJS-ng leaves a `for await` loop early without awaiting what the iterator's `return()` promises,
// as the specification (AsyncIteratorClose) and V8 do: each such loop notes that promise, and a
// `finally` behind the loop awaits it. And it tells nobody of an `await`: in a run that is watched, each
// goes through a function that tells of it.

const LOOP = "__iterated";
const AWAIT = "__awaited";

/** How a program is parsed. */
export const optionsOf = (isModule, locations = false) => ({
  ecmaVersion: "latest",
  sourceType: isModule ? "module" : "script",
  allowReturnOutsideFunction: !isModule,
  allowAwaitOutsideFunction: isModule,
  allowHashBang: true,
  locations,
});

/** {text, insertions}: the text with all that is put into it. One that does not parse stays as it is. */
export function complete(acorn, source, isModule, isWatched = false) {
  const insertions = [];
  if (!isWatched && !/\bfor\s+await\b/.test(source)) return { text: source, insertions };
  const put = (place, text) => insertions.push({ place, text, isEnd: false });
  const putEnd = (place, text) => insertions.push({ place, text, isEnd: true });
  let count = 0;
  const loop = (node, start) => {
    const name = `${LOOP}${count++}`;
    put(start, `{ let ${name}; try { `);
    put(node.right.start, `(${name} = ${LOOP}(`);
    putEnd(
      node.end,
      ` } catch (error) { if (${name}) ${name}.hasThrown = true; throw error; }` +
        ` finally { if (${name}?.closing) try { await ${name}.closing.promise; }` +
        ` catch (error) { if (!${name}.hasThrown) throw error; } } }`,
    );
    putEnd(node.right.end, ")).iterable");
  };
  const waited = (node) => {
    const { line, column } = placeOf(node);
    put(node.start + "await".length, ` ${AWAIT}((`);
    putEnd(node.end, `), ${line}, ${column + 1})`);
  };
  const visit = (node, start) => {
    if (node.type === "ForOfStatement" && node.await) loop(node, start);
    if (node.type === "AwaitExpression" && isWatched) waited(node);
    for (const child of Object.values(node).flat())
      if (child && typeof child.type === "string")
        // `continue` names the label of its loop, so what is put around the loop goes around the label.
        visit(child, node.type === "LabeledStatement" ? start : child.start);
  };
  try {
    const tree = acorn.parse(source, optionsOf(isModule, isWatched));
    visit(tree, tree.start);
  } catch (error) {
    if (error instanceof SyntaxError) return { text: source, insertions: [] };
    throw error;
  }
  // At one place ends come before beginnings, and of two ends the inner node's is first.
  for (const [at, insertion] of insertions.entries())
    insertion.rank = insertion.isEnd ? -1 - at : at;
  insertions.sort((a, b) => a.place - b.place || a.rank - b.rank);
  let [text, from] = ["", 0];
  for (const { place, text: inserted } of insertions) {
    text += source.slice(from, place) + inserted;
    from = place;
  }
  return { text: text + source.slice(from), insertions };
}

/** Where V8 says that an `await` is: at the name of the function whose call is awaited, else at itself. */
function placeOf({ argument, loc }) {
  const { type, callee } = argument;
  if (type === "NewExpression") return argument.loc.start;
  if (type !== "CallExpression") return loc.start;
  return callee.type === "MemberExpression" ? callee.property.loc.start : callee.loc.start;
}
