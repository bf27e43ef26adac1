// What the engine lacks is put into a program's text before the engine gets it, line by line as it was.
//
// QuickJS-ng leaves a `for await` loop early without awaiting what the iterator's `return()` promises,
// as the specification (AsyncIteratorClose) and V8 do. And where `return` leaves a loop of an async generator,
// it awaits what `return()` gives even in a loop without `await`. So of both kinds of loop the engine gets an
// iterator without `return()`, which a `finally` behind the loop calls. It does not know `using`: the rest of such a block goes into a
// `try`, behind which what was taken is given back. And it tells nobody of an `await`: in a run that is
// watched, each goes through a function that tells of it. It leaves `import.meta` empty: a name that the
// model fills takes its place. Its `yield*` and `import()` take other microtasks: what they get goes
// through functions of language.js, and so do the values of `**`.

const LOOP = "__iterated";
const AWAIT = "__awaited";
const SCOPE = "__using";
const META = "__meta";
const DELEGATE = "__delegating";
const IMPORTED = "__imported";
const POWER = "__power";
// A text that surely needs nothing is not parsed: to parse one of Node's own modules takes longer than to run a program, and they
// are full of powers such as `2 ** 31`, which stay as they are. The first `**` of `2 ** 3 ** 2` does not. An async generator
// with an empty body needs nothing either, and an `import()` without an argument is in a text or a comment.
const POWERED =
  /(?<!\/)\*\*(?! *\d+n?(?![\w.])(?! *\*\*))|(?<!\/|(?<![\w.$\u0080-\uffff])\d+n? *)\*\*/;
const OTHERS =
  /\basync\s*(?:function\s*)?\*(?!\s*\(\)\s*\{\})|\byield\s*\*|\bimport\s*\((?!\s*\))|\bfor\s+await\b|\busing\s+[\w$]+\s*(=|of\b)|\bimport\s*\.\s*meta\b|\bwith\s*\{/;
const isNeeded = (source) => POWERED.test(source) || OTHERS.test(source);

/** How a program is parsed: as the newest language, or as that of a year's edition. */
export const optionsOf = (isModule, locations = false, ecmaVersion = "latest") => ({
  ecmaVersion,
  sourceType: isModule ? "module" : "script",
  allowReturnOutsideFunction: !isModule,
  allowAwaitOutsideFunction: isModule,
  allowHashBang: true,
  locations,
});

/** {text, insertions}: the text with all that is put into it. One that does not parse stays as it is. */
export function complete(acorn, source, isModule, watches = false) {
  const insertions = [];
  if (!watches && !isNeeded(source)) return { text: source, insertions };
  const insert = (place, text) => insertions.push({ place, text, length: 0, isEnd: false });
  const insertEnd = (place, text) => insertions.push({ place, text, length: 0, isEnd: true });
  /** Another text of the same length. */
  const replace = (place, length, text) =>
    insertions.push({ place, text: text.padEnd(length), length, isEnd: false });
  let count = 0;
  const loop = (node, start) => {
    const name = `${LOOP}${count++}`;
    insert(start, `{ let ${name}; try { `);
    insert(node.right.start, `(${name} = ${LOOP}((`); // which may be `a, b` in parentheses
    const close = node.await
      ? `{ const closing = ${name}.close(); if (closing) ${name}.check(await closing.promise); }`
      : `${name}.closeNow();`;
    insertEnd(
      node.end,
      ` } catch (error) { if (${name}) ${name}.hasThrown = true; throw error; }` +
        ` finally { if (${name}) try ${node.await ? close : `{ ${close} }`}` +
        ` catch (error) { if (!${name}.hasThrown) throw error; } } }`,
    );
    insertEnd(node.right.end, node.await ? "))).iterable" : "), false)).iterable");
  };
  // The functions around the node that is visited; `name` is that of the delegation, where there is one.
  const functions = [];
  const wrapDelegate = ({ argument }) => {
    const around = functions.at(-1);
    if (!around?.isAsynchronousGenerator) return;
    around.name ??= `${DELEGATE}${count++}`;
    insert(argument.start, `${around.name}((`);
    insertEnd(argument.end, "))");
  };
  const leaveFunction = ({ body }) => {
    const { name } = functions.pop();
    if (!name) return;
    const directives = body.body.filter(({ directive }) => directive);
    const place = directives.at(-1)?.end ?? body.start + 1;
    const text = ` const ${name} = ${DELEGATE}();`;
    insertions.push({ place, text, length: 0, isEnd: false, isFirst: true });
  };
  const wrapImport = (node) => {
    insert(
      node.start,
      `${IMPORTED}((name) => import(name), ${isModule ? `${META}.filename` : "__filename"}, `,
    );
    replace(node.start, node.source.start - node.start, "(");
    const { options = null } = node;
    if (options) {
      insertEnd(node.source.end, ")");
      insert(options.start, "(");
    }
    const { end } = options ?? node.source;
    replace(end, node.end - end, ")"); // without a comma
    insertEnd(node.end, ")");
  };
  const isJson = ({ attributes = [] }) =>
    attributes.some(
      ({ key, value }) => (key.name ?? key.value) === "type" && value.value === "json",
    );
  const wrapAwait = (node) => {
    const { line, column } = placeOf(node);
    insert(node.start + "await".length, ` ${AWAIT}((`);
    insertEnd(node.end, `), ${line}, ${column + 1})`);
  };
  const isWhole = ({ value }) => typeof value === "bigint" || Number.isInteger(value);
  const wrapPower = (node) => {
    const { start, end, left, right } = node;
    if (isWhole(left) && isWhole(right)) return;
    insert(start, `${POWER}(`);
    replace(source.indexOf("**", left.end), 2, ",");
    insertEnd(end, ")");
  };
  const takes = (kind) => (kind === "using" ? "add" : kind === "await using" ? "addAsync" : null);
  const scopeEnd = (name, isAsync) => {
    const waits = `for (const end of ${name}.ends()) try { await end; } catch (error) { ${name}.fail(error); }`;
    return ` } catch (error) { ${name}.fail(error); } finally { ${isAsync ? `${waits} ` : ""}${name}.end(); }`;
  };
  /** The statements of a block of which some are declarations with `using`. */
  const scope = (statements, end) => {
    const resources = statements.filter(({ kind }) => takes(kind));
    if (!resources.length) return;
    const name = `${SCOPE}${count++}`;
    insert(resources[0].start, `const ${name} = ${SCOPE}(); try { `);
    for (const { start, kind, declarations } of resources) {
      replace(start, kind.length, "const");
      for (const { init } of declarations) {
        insert(init.start, `${name}.${takes(kind)}((`);
        insertEnd(init.end, "))");
      }
    }
    insertEnd(
      end,
      scopeEnd(
        name,
        resources.some(({ kind }) => kind !== "using"),
      ),
    );
  };
  const loopScope = ({ left: { start, kind, declarations }, body }) => {
    const name = `${SCOPE}${count++}`;
    replace(start, kind.length, "const");
    const variable = source.slice(declarations[0].start, declarations[0].end);
    insert(body.start, `{ const ${name} = ${SCOPE}(); try { ${name}.${takes(kind)}(${variable}); `);
    insertEnd(body.end, `${scopeEnd(name, kind !== "using")} }`);
  };
  const visit = (node, start) => {
    const isFunction = /Function/.test(node.type);
    if (isFunction)
      functions.push({ isAsynchronousGenerator: node.async && node.generator, name: null });
    if (node.type === "YieldExpression" && node.delegate) wrapDelegate(node);
    if (node.type === "ImportExpression") wrapImport(node);
    if (isModule && isJson(node)) insert(node.source.end - 1, "#json"); // for files.js
    if (node.type === "BlockStatement" || node.type === "StaticBlock")
      scope(node.body, node.end - 1);
    if (node.type === "Program") scope(node.body, node.end);
    if (/^For(Of)?Statement$/.test(node.type) && takes(node.left?.kind)) loopScope(node);
    const isInAsyncGenerator = functions.at(-1)?.isAsynchronousGenerator;
    if (node.type === "ForOfStatement" && (node.await || isInAsyncGenerator)) loop(node, start);
    if (node.type === "BinaryExpression" && node.operator === "**") wrapPower(node);
    if (node.type === "AwaitExpression" && watches) wrapAwait(node);
    if (node.type === "MetaProperty" && node.meta.name === "import")
      replace(node.start, node.end - node.start, META);
    for (const key in node) {
      const value = node[key];
      if (Array.isArray(value)) for (const child of value) enter(child, node, start);
      else enter(value, node, start);
    }
    if (isFunction) leaveFunction(node);
  };
  // `continue` names the label of its loop, so what is put around the loop goes around the label.
  const enter = (child, parent, start) => {
    if (typeof child?.type === "string")
      visit(child, parent.type === "LabeledStatement" ? start : child.start);
  };
  try {
    const tree = acorn.parse(source, optionsOf(isModule, watches));
    visit(tree, tree.start);
  } catch (error) {
    if (error instanceof SyntaxError) return { text: source, insertions: [] };
    throw error;
  }
  // At one place ends come before beginnings, and of two ends the inner node's is first.
  for (const [at, insertion] of insertions.entries())
    insertion.rank = insertion.isEnd ? -1 - at : insertion.isFirst ? -0.5 : at;
  insertions.sort((a, b) => a.place - b.place || a.rank - b.rank);
  let [text, from] = ["", 0];
  for (const { place, text: inserted, length } of insertions) {
    text += source.slice(from, place) + inserted;
    from = place + length;
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
