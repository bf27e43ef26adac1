// Turns the text of a cell into a program that Node can run: an async function, so that `await` works,
// whose top-level names are handed to later cells. Positions of the text stay as they are (everything
// added stands in front of the first line or of the last statement), so line numbers stay true.
"use strict";

const vm = require("node:vm");
const acorn = require("acorn");

const PARSER = {
  ecmaVersion: "latest",
  sourceType: "script",
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true,
};

// nel puts these two into place anew for every cell; a cell that declares them keeps them to itself.
const NOT_SHARED = new Set(["console", "$$"]);

/** The name a cell has in stack traces; `number` is what stands in its `[ ]`. */
const cellName = (number) => `cell ${number}`;

/**
 * {code, columnOffset}: the program for `source`, to be run with `vm.runInThisContext`.
 * `code` evaluates to a promise of the value of the last expression.
 * Throws a SyntaxError whose stack shows the line of the cell and nothing else.
 */
function transpile(source, number) {
  const { text, program } = parse(handedIn(source), number);
  const edits = [];
  const names = new Set();
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") edits.push(importAsAwait(statement, text, names));
    else if (statement.type.startsWith("Export"))
      throw syntaxError(
        "A cell cannot export: its names are visible in later cells anyway",
        number,
      );
    else declaredNames(statement, names, true);
  }
  const last = program.body.at(-1);
  if (last?.type === "ExpressionStatement") {
    const end = text[last.end - 1] === ";" ? last.end - 1 : last.end;
    edits.push(
      { at: last.start, to: last.start, text: "return (" },
      { at: end, to: end, text: ")" },
    );
  }
  const strict = program.body[0]?.directive === "use strict" ? '"use strict"; ' : "";
  const prefix = `(async () => {${strict}${share(names)}`;
  return { code: `${prefix}${apply(edits, text)}\n})()`, columnOffset: -prefix.length };
}

/** A cell that begins with `%%submit ID` is a program that is handed in; it does not run here. */
function handedIn(source) {
  const [, above, id, program] =
    /^(\s*%%submit[ \t]+([\w-]+)[ \t]*\r?\n)([\s\S]*)$/.exec(source) ?? [];
  if (!id) return source;
  // Its lines count as they do in the cell.
  const lines = program.startsWith("#!") ? "" : "\n".repeat(above.split("\n").length - 1);
  return `require("lab").submit(${JSON.stringify(id)}, ${JSON.stringify(lines + program)})`;
}

function parse(source, number) {
  // A lone `{ a: 1 }` is an object to whoever writes it, though the grammar says block.
  if (/^\s*\{/.test(source) && !/;\s*$/.test(source)) {
    try {
      const text = `(${source}\n)`;
      return { text, program: acorn.parse(text, PARSER) };
    } catch {
      // It is a block after all.
    }
  }
  try {
    return { text: source, program: acorn.parse(source, PARSER) };
  } catch (error) {
    throw syntaxError(error, number, source);
  }
}

/** Later cells read and write the cell's own bindings, so closures and cells see the same value. */
function share(names) {
  const shared = [...names].filter((name) => !NOT_SHARED.has(name));
  if (shared.length === 0) return "";
  const entries = shared.map((name) => `${name}: [() => ${name}, ($$v$$) => { ${name} = $$v$$; }]`);
  return `$$share$$({${entries.join(", ")}});`;
}

/** Collects the names a statement declares in the scope of the cell; `var` also from inside blocks. */
function declaredNames(node, names, top = false) {
  if (!node || typeof node.type !== "string") return;
  if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") {
    if (top) names.add(node.id.name);
    return;
  }
  if (/Function|Class/.test(node.type)) return;
  if (node.type === "VariableDeclaration") {
    if (node.kind === "var" || (top && /^(const|let)$/.test(node.kind)))
      for (const { id } of node.declarations) patternNames(id, names);
  }
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (child && typeof child === "object") declaredNames(child, names);
  }
}

function patternNames(pattern, names) {
  if (!pattern) return;
  if (pattern.type === "Identifier") names.add(pattern.name);
  else if (pattern.type === "ObjectPattern")
    for (const property of pattern.properties)
      patternNames(property.value ?? property.argument, names);
  else if (pattern.type === "ArrayPattern")
    for (const element of pattern.elements) patternNames(element, names);
  else patternNames(pattern.left ?? pattern.argument, names);
}

/** `import a, { b as c } from "m"` as `const { default: a, b: c } = await import("m")`, on as many lines. */
function importAsAwait(node, text, names) {
  const attributes = (node.attributes ?? []).map(
    ({ key, value }) => `${JSON.stringify(key.name ?? key.value)}: ${value.raw}`,
  );
  const options = attributes.length > 0 ? `, { with: { ${attributes.join(", ")} } }` : "";
  const module = `await import(${node.source.raw}${options})`;
  const parts = [];
  let namespace = "";
  for (const { type, local, imported } of node.specifiers) {
    names.add(local.name);
    if (type === "ImportNamespaceSpecifier") namespace = local.name;
    else if (type === "ImportDefaultSpecifier") parts.push(`default: ${local.name}`);
    else parts.push(`${imported.raw ?? imported.name}: ${local.name}`);
  }
  let code = module;
  if (namespace && parts.length > 0)
    code = `const ${namespace} = ${module}, { ${parts.join(", ")} } = ${namespace}`;
  else if (namespace) code = `const ${namespace} = ${module}`;
  else if (parts.length > 0) code = `const { ${parts.join(", ")} } = ${module}`;
  const lines = text.slice(node.start, node.end).split("\n").length - 1;
  return { at: node.start, to: node.end, text: `${code};${"\n".repeat(lines)}` };
}

function apply(edits, text) {
  let result = text;
  for (const { at, to, text: added } of [...edits].sort((a, b) => b.at - a.at))
    result = result.slice(0, at) + added + result.slice(to);
  return result;
}

/** V8's words where it objects too (they are the ones people search for), acorn's otherwise. */
function syntaxError(found, number, source) {
  const error = new SyntaxError(typeof found === "string" ? found : found.message);
  error.stack = `SyntaxError: ${error.message}\n    at ${cellName(number)}`;
  if (source === undefined) return error;
  error.message = error.message.replace(/ \(\d+:\d+\)$/, "");
  let { line, column } = found.loc;
  const opening = "(async () => {";
  try {
    new vm.Script(`${opening}${source}\n})`, { filename: "cell", columnOffset: -opening.length });
  } catch (theirs) {
    const [, theirLine] = /^cell:(\d+)/.exec(theirs.stack) ?? [];
    if (Number(theirLine) <= source.split("\n").length) {
      const [, , caret] = theirs.stack.split("\n");
      if (Number(theirLine) !== line) column = Math.max(caret?.indexOf("^") ?? 0, 0);
      line = Number(theirLine);
      error.message = theirs.message;
    }
  }
  const shown = source.split("\n")[line - 1] ?? "";
  error.stack =
    `SyntaxError: ${error.message}\n    at ${cellName(number)}, line ${line}\n\n` +
    `    ${shown}\n    ${shown.slice(0, column).replace(/\S/g, " ")}^`;
  return error;
}

/** "complete", "incomplete" or "invalid", for consoles that ask whether Enter should run the text. */
function completeness(source) {
  try {
    acorn.parse(source, PARSER);
    return "complete";
  } catch (error) {
    return error.pos >= source.trimEnd().length ? "incomplete" : "invalid";
  }
}

module.exports = { transpile, completeness, cellName };
