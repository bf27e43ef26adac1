// Turns the text of a cell into a program that Node can run: an async function, so that `await` works,
// whose top-level names are handed to later cells. Positions of the text stay as they are (everything
// added stands in front of the first line or of the last statement), so line numbers stay true.
"use strict";

const acorn = require("acorn");
const { place, slipOf, refusedBy, syntaxError } = require("./slips.cjs");
const { META, OF_A_FILE } = require("./parameters.cjs");
const { withoutTypes } = require("./types.cjs");

const PARSER = {
  ecmaVersion: "latest",
  sourceType: "script",
  allowAwaitOutsideFunction: true,
  allowReturnOutsideFunction: true,
  allowImportExportEverywhere: true,
};

// What modules may ask for: a cell that declares such a name must not answer in Node's place.
const ASKED_FOR =
  "$$ Bun Deno HTMLElement WebSocket XMLHttpRequest define document importScripts indexedDB jest localStorage " +
  "location navigator regeneratorRuntime self sessionStorage window";
const HOST = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...OF_A_FILE,
  ...ASKED_FOR.split(" "),
]);
const CONSTANTS = new Set(["undefined", "NaN", "Infinity", "globalThis"]);

/** The name a cell has in stack traces; `number` is what stands in its `[ ]`. */
const cellName = (number) => `cell ${number}`;

/** A cell is the body of an async function in which `import` and `export` are allowed. */
class CellParser extends acorn.Parser {
  constructor(text) {
    super(PARSER, text);
    this.modular = [];
  }

  get allowUsing() {
    return this.scopeStack.length === 1 || super.allowUsing;
  }

  parseImport(node) {
    return this.statement(node, () => super.parseImport(node));
  }

  parseExport(node, exported) {
    return this.statement(node, () => super.parseExport(node, exported));
  }

  /** Notes an `import` or `export`, whether or not the text is right to its end. */
  statement(node, parse) {
    const entry = { start: node.start, node: null };
    this.modular.push(entry);
    entry.node = parse();
    return entry.node;
  }
}

/**
 * {opening, body, names}: the program for `source`, of which `parameters.cjs` makes what `vm.runInThisContext` runs.
 * Throws a SyntaxError whose stack shows the line of the cell and nothing else.
 */
function transpile(source, number) {
  const { text, program } = parse(source, number);
  const cell = { text, edits: [], names: new Set(), last: program.body.at(-1) };
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") importAsAwait(statement, cell);
    else if (statement.type.startsWith("Export")) exportAsNames(statement, cell);
    else declaredNames(statement, cell.names, true);
  }
  const { used: usedNames, assigned } = identifiers(program, cell);
  const newNames = [...assigned].filter((name) => isHidden(name) && !cell.names.has(name));
  showLast(cell);
  const strict = program.body[0]?.directive === "use strict" ? '"use strict"; ' : "";
  return {
    opening: `(async () => {${strict}${share(cell.names, newNames)}`,
    body: `${apply(cell.edits, text)}\n})()`,
    names: { used: [...usedNames].filter(isHidden), taken: newNames },
  };
}

/** The text of a cell as a program: one that is handed in does not run here, a `#!` line is a comment. */
function plain(source) {
  const [, above, id, program] =
    /^(\s*%%submit[ \t]+([\w-]+)[ \t]*\r?\n)([\s\S]*)$/.exec(source) ?? [];
  if (!id) return source.replace(/^(\s*)#!/, "$1//");
  // Its lines count as they do in the cell.
  const lines = program.startsWith("#!") ? "" : "\n".repeat(above.split("\n").length - 1);
  return `require("lab").submit(${JSON.stringify(id)}, ${JSON.stringify(lines + program)})`;
}

function parse(cellText, number) {
  const source = plain(cellText);
  // A lone `{ a: 1 }` is an object to whoever writes it, though the grammar says block.
  if (/^\s*\{/.test(source) && !/;\s*$/.test(source)) {
    const text = `(${source}\n)`;
    const { program } = attempt(text);
    if (program && !refusedBy(text, [])) return { text, program };
  }
  const asJavaScript = attempt(source);
  let result = asJavaScript;
  if (asJavaScript.error) result = withoutTypes(source, asJavaScript, attempt);
  const { text, program } = result;
  const slip = result.slip ?? (program ? refused(result) : slipOf(result));
  if (slip) throw syntaxError(slip, cellName(number), cellText);
  return { text, program };
}

/** What is wrong with a program that can be parsed; undefined if nothing is. */
function refused({ text, parser, program }) {
  const inside = parser.modular.find(({ node }) => !program.body.includes(node));
  if (!inside) return refusedBy(text, parser.modular, program);
  const [line, column] = place(text, inside.start);
  const message =
    "`import … from` and `export` may only be outside blocks and functions; " +
    'inside one, write: const { name } = await import("module")';
  return { message, line, column };
}

/** {text, parser, program} or {text, parser, error}. */
function attempt(text) {
  let parser;
  try {
    parser = new CellParser(text);
    return { text, parser, program: parser.parse() };
  } catch (error) {
    return { text, parser, error };
  }
}

/** Whether a name is kept among the cells: modules have one of Node's under it, or ask whether there is one. */
const isHidden = (name) => !CONSTANTS.has(name) && (HOST.has(name) || name in Object.prototype);

/** Later cells read and write the cell's own bindings, so closures and cells see the same value. */
function share(names, taken) {
  const shared = [...names].filter((name) => !CONSTANTS.has(name));
  const slots = taken.length > 0 ? `, ${JSON.stringify(taken)}` : "";
  if (shared.length === 0 && !slots) return "";
  const entries = shared.map(
    (name) =>
      `[${JSON.stringify(name)}, ${isHidden(name)}, () => ${name}, ($$v$$) => { ${name} = $$v$$; }]`,
  );
  return `$$share$$([${entries.join(", ")}]${slots});`;
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
    // Not those of `using`: what they name is closed when the cell is done.
    if (node.kind === "var" || (top && /^(const|let)$/.test(node.kind)))
      for (const { id } of node.declarations) patternNames(id, names);
  }
  for (const child of children(node)) declaredNames(child, names);
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

function children(node, isLeftOut = () => false) {
  return Object.entries(node)
    .filter(([name]) => !isLeftOut(node, name))
    .flatMap(([, child]) => child)
    .filter((child) => typeof child?.type === "string");
}

/** The names that a program reads or writes, in any scope of it; `import.meta` is replaced on the way. */
function identifiers(program, { edits, text }) {
  const names = { used: new Set(), assigned: new Set() };
  const waiting = [program];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.type === "Identifier") names.used.add(node.name);
    else if (node.type === "AssignmentExpression") patternNames(node.left, names.assigned);
    else if (node.type === "UpdateExpression") patternNames(node.argument, names.assigned);
    else if (/^For(In|Of)Statement$/.test(node.type)) patternNames(node.left, names.assigned);
    else if (node.type === "MetaProperty" && node.meta.name === "import")
      edits.push({ at: node.start, to: node.end, text: padded(META, text, node) });
    waiting.push(...children(node, isKey));
  }
  return names;
}

/** Whether a child of a node is the name of a property, which no scope knows. */
const isKey = (node, name) => /^(key|property|label)$/.test(name) && !node.computed;

/** `code` on as many lines as `node` has, and as long if it can be. */
function padded(code, text, { start, end }) {
  const lines = text.slice(start, end).split("\n").length - 1;
  return code.padEnd(end - start - lines) + "\n".repeat(lines);
}

/** `import a, { b as c } from "m"` as `const { default: a, b: c } = await …("m")`, on as many lines. */
function importAsAwait(node, { text, edits, names }) {
  const parts = [];
  const importNames = [];
  let namespace = "";
  for (const { type, local, imported: exportName } of node.specifiers) {
    names.add(local.name);
    if (type === "ImportNamespaceSpecifier") namespace = local.name;
    else {
      const name =
        type === "ImportDefaultSpecifier" ? "default" : (exportName.name ?? exportName.value);
      importNames.push(name);
      parts.push(`${JSON.stringify(name)}: ${local.name}`);
    }
  }
  const module = loaded(node, importNames);
  let code = module;
  if (namespace && parts.length > 0)
    code = `const ${namespace} = ${module}, { ${parts.join(", ")} } = ${namespace}`;
  else if (namespace) code = `const ${namespace} = ${module}`;
  else if (parts.length > 0) code = `const { ${parts.join(", ")} } = ${module}`;
  edits.push({ at: node.start, to: node.end, text: padded(`${code};`, text, node) });
}

/** The expression for the module of an `import` or `export … from`, which must export `importNames`. */
function loaded({ source, attributes = [] }, importNames = []) {
  const pairs = attributes.map(
    ({ key, value }) => `${JSON.stringify(key.name ?? key.value)}: ${value.raw}`,
  );
  const options = pairs.length > 0 ? `, { with: { ${pairs.join(", ")} } }` : "";
  const names = JSON.stringify(importNames);
  return `await $$load$$((from) => import(from${options}), ${source.raw}, ${names})`;
}

/** A cell has no exports: their names are visible in later cells, and a default that is last is its value. */
function exportAsNames(node, cell) {
  const { text, edits, names } = cell;
  const { declaration } = node;
  const replace = (code, end) =>
    edits.push({ at: node.start, to: end, text: padded(code, text, { start: node.start, end }) });
  if (!declaration) return replace(node.source ? `${loaded(node)};` : ";", node.end);
  if (/Declaration$/.test(declaration.type) && declaration.id !== null) {
    declaredNames(declaration, names, true);
    return replace("", declaration.start);
  }
  const { start, end } = declaration;
  if (node === cell.last) {
    cell.last = { type: "ExpressionStatement", start, end };
    return replace("", start);
  }
  edits.push({ at: end, to: end, text: ")" });
  return replace(";(", start);
}

function showLast({ last, text, edits }) {
  if (last?.type !== "ExpressionStatement") return;
  const end = text[last.end - 1] === ";" ? last.end - 1 : last.end;
  edits.push({ at: last.start, to: last.start, text: "return (" }, { at: end, to: end, text: ")" });
}

function apply(edits, text) {
  let result = text;
  for (const { at, to, text: added } of [...edits].sort((a, b) => b.at - a.at))
    result = result.slice(0, at) + added + result.slice(to);
  return result;
}

/** "complete", "incomplete" or "invalid", for consoles that ask whether Enter should run the text. */
function completeness(source) {
  const text = plain(source);
  const { error } = attempt(text);
  if (!error) return "complete";
  const open = /^Unterminated (template|comment)/.test(error.message);
  if (open || error.pos >= text.trimEnd().length) return "incomplete";
  const typed = withoutTypes(text, { text, error }, attempt);
  if (typed.program) return "complete";
  return typed.open ? "incomplete" : "invalid";
}

module.exports = { transpile, completeness, cellName };
