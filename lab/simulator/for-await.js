// QuickJS-ng leaves a `for await` loop early without awaiting what the iterator's `return()` promises,
// as the specification (AsyncIteratorClose) and V8 do. The program's text is completed, line by line
// as it was: each such loop notes that promise, and a `finally` behind the loop awaits it.

const HELPER = "__iterated";

/** The text with each `for await` loop completed. A text that does not parse is returned as it is. */
export function withClosedLoops(acorn, source, isModule) {
  if (!/\bfor\s+await\b/.test(source)) return source;
  const options = {
    ecmaVersion: "latest",
    sourceType: isModule ? "module" : "script",
    allowReturnOutsideFunction: !isModule,
    allowAwaitOutsideFunction: isModule,
    allowHashBang: true,
  };
  const insertions = [];
  let count = 0;
  const visit = (node, start) => {
    if (node.type === "ForOfStatement" && node.await) {
      const name = `${HELPER}${count++}`;
      insertions.push(
        [start, `{ let ${name}; try { `],
        [node.right.start, `(${name} = ${HELPER}(`],
        [node.right.end, ")).iterable"],
        [
          node.end,
          ` } catch (error) { if (${name}) ${name}.hasThrown = true; throw error; }` +
            ` finally { if (${name}?.closing) try { await ${name}.closing.promise; }` +
            ` catch (error) { if (!${name}.hasThrown) throw error; } } }`,
        ],
      );
    }
    for (const child of Object.values(node).flat())
      if (child && typeof child.type === "string")
        // `continue` names the label of its loop, so what is put around the loop goes around the label.
        visit(child, node.type === "LabeledStatement" ? start : child.start);
  };
  try {
    const tree = acorn.parse(source, options);
    visit(tree, tree.start);
  } catch (error) {
    if (error instanceof SyntaxError) return source;
    throw error;
  }
  // Of two texts at one place, the outer loop's comes first; at the end of loops, the inner one's.
  const order = insertions.map(([place, text], at) => ({ place, text, at }));
  order.sort((a, b) => a.place - b.place || rank(a, b));
  let [text, from] = ["", 0];
  for (const { place, text: inserted } of order) {
    text += source.slice(from, place) + inserted;
    from = place;
  }
  return text + source.slice(from);
}

const isEnd = ({ text }) => text.startsWith(" }");
const rank = (a, b) => (isEnd(a) && isEnd(b) ? b.at - a.at : a.at - b.at);
