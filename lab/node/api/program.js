// The text of a program that a cell writes as a function: its body, as it would stand in a file.
"use strict";

const acorn = require("acorn");

/** `program` if it is text, else the lines between the braces of the function, without their indent. */
function programText(program) {
  if (typeof program !== "function") return program;
  // The kernel has another name for it in cells.
  return bodyOf(program).replaceAll("import$meta", "import.meta");
}

function bodyOf(program) {
  const source = Function.prototype.toString.call(program);
  const node = parse(source);
  if (!node || node.generator)
    throw new TypeError("The program must be a plain function, e.g. () => { ... }, or its text.");
  if (node.params.length > 0)
    throw new TypeError(
      "The program takes no parameters, because it runs in a process of its own and has no " +
        "access to the notebook. Write values into the program, or pass them as environment " +
        "variables.",
    );
  const { body } = node;
  const offset = 1; // of the parenthesis put in front for the parser
  if (body.type !== "BlockStatement")
    return `${source.slice(body.start - offset, body.end - offset)};\n`;
  const text = dedent(source.slice(body.start + 1 - offset, body.end - 1 - offset));
  // A file with require() is CommonJS, where `await` needs a function around it.
  return node.async && /\brequire\s*\(/.test(text) ? `(async () => {\n${text}})();\n` : text;
}

function parse(source) {
  const options = { ecmaVersion: "latest", allowAwaitOutsideFunction: true };
  try {
    return acorn.parse(`(${source}\n)`, options).body[0].expression;
  } catch {
    try {
      // A method: `program() { ... }`.
      const [method] = acorn.parse(`({${source}})`, options).body[0].expression.properties;
      return shifted(method.value);
    } catch {
      return undefined;
    }
  }
}

/** Positions as if one character stood in front of the source instead of two. */
function shifted(node) {
  const { body } = node;
  return { ...node, body: { ...body, start: body.start - 1, end: body.end - 1 } };
}

function dedent(text) {
  const lines = text
    .replace(/^[^\S\n]*\n/, "")
    .trimEnd()
    .split("\n");
  const indents = lines.filter((line) => line.trim()).map((line) => /^\s*/.exec(line)[0].length);
  const indent = indents.length > 0 ? Math.min(...indents) : 0;
  return `${lines.map((line) => line.slice(indent)).join("\n")}\n`;
}

module.exports = { programText };
