// What a page never needs of the code of others, left out while the files are made: functions of the engine, errors
// that none of Node's texts throws, and the parser's tables of letters, which every browser has as well.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as acorn from "acorn";

const ENGINE = dirname(
  fileURLToPath(import.meta.resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm")),
);
const [IMPORTS, EXPORTS, START, ELEMENTS, CODE] = [2, 7, 8, 9, 10]; // sections of a WebAssembly file
const FUNCTION = 0;
const TRAP = [0, 0x00, 0x0b]; // a body without locals: `unreachable`, `end`

class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  byte() {
    return this.bytes[this.at++];
  }
  /** A number in LEB128; of a negative one only its end is right. */
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }
  text() {
    const length = this.number();
    this.at += length;
    return Buffer.from(this.bytes.subarray(this.at - length, this.at)).toString();
  }
  skipLimits() {
    const hasMost = this.number() & 1;
    this.number();
    if (hasMost) this.number();
  }
}

function leb(number) {
  const bytes = [];
  for (let rest = number; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest & 127) | 128);
  }
}

/** The functions that a body calls or takes the address of. An instruction that is not known is an error. */
function calledIn(bytes, { start, end }) {
  const reader = new Reader(bytes, start);
  const callees = [];
  for (let count = reader.number(); count > 0; count--) {
    reader.number();
    reader.byte();
  }
  const numbers = (count) => {
    for (let left = count; left > 0; left--) reader.number();
  };
  while (reader.at < end) {
    const code = reader.byte();
    if (code === 0x10 || code === 0xd2) callees.push(reader.number());
    else if (code === 0x11 || (code >= 0x28 && code <= 0x3e)) numbers(2);
    else if (code === 0x0e) numbers(reader.number() + 1);
    else if (code === 0x43) reader.at += 4;
    else if (code === 0x44) reader.at += 8;
    else if (code === 0xfc) {
      const more = reader.number();
      if (more > 11) throw new Error(`The engine has an instruction 0xfc ${more}.`);
      if (more >= 8) numbers([2, 1, 2, 1][more - 8]);
    } else if (
      (code >= 0x02 && code <= 0x04) ||
      (code >= 0x0c && code <= 0x0d) ||
      (code >= 0x20 && code <= 0x26) ||
      (code >= 0x3f && code <= 0x42)
    )
      reader.number();
    else if (
      !([0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b].includes(code) || (code >= 0x45 && code <= 0xc4))
    )
      throw new Error(`The engine has an instruction 0x${code.toString(16)}.`);
  }
  if (reader.at !== end) throw new Error("A function of the engine ends within an instruction.");
  return callees;
}

/** What the package's functions are exported as: its script has shorter names for them. */
function exportedNames() {
  const script = readFileSync(join(ENGINE, "emscripten-module.browser.mjs"), "utf8");
  return new Map(
    [...script.matchAll(/\._(QTS_\w+)=\w+\.([\w$]+)[;,}]/g)].map(([, ...pair]) => pair),
  );
}

/**
 * The engine's file without the bodies of functions that only those of the package's functions reach which `scripts`,
 * our texts, do not name. The functions keep their numbers.
 */
export function engineFor(binary, scripts) {
  const bytes = new Uint8Array(binary);
  const sections = [];
  for (const reader = new Reader(bytes, 8); reader.at < bytes.length; ) {
    const id = reader.byte();
    const length = reader.number();
    sections.push({ id, start: reader.at, end: reader.at + length });
    reader.at += length;
  }
  const sectionAt = (id) => new Reader(bytes, sections.find((section) => section.id === id).start);

  let importCount = 0;
  const imports = sectionAt(IMPORTS);
  for (let count = imports.number(); count > 0; count--) {
    imports.text();
    imports.text();
    const kind = imports.byte();
    if (kind === FUNCTION) {
      imports.number();
      importCount++;
    } else if (kind === 2) imports.skipLimits();
    else throw new Error(`The engine imports what has the kind ${kind}.`);
  }

  const usedNames = new Set(scripts.join("\n").match(/\bQTS_\w+/g));
  const names = exportedNames();
  const unusedExports = new Set(
    [...names].filter(([name]) => !usedNames.has(name)).map(([, short]) => short),
  );
  for (const name of usedNames)
    if (!names.has(name)) throw new Error(`The engine's package has no ${name}.`);
  const worklist = [];
  const exported = sectionAt(EXPORTS);
  for (let count = exported.number(); count > 0; count--) {
    const name = exported.text();
    const kind = exported.byte();
    const number = exported.number();
    if (kind === FUNCTION && !unusedExports.has(name)) worklist.push(number);
  }
  if (sections.some(({ id }) => id === START)) worklist.push(sectionAt(START).number());
  const elements = sectionAt(ELEMENTS); // functions whose address is taken
  for (let count = elements.number(); count > 0; count--) {
    if (elements.number() !== 0 || elements.byte() !== 0x41)
      throw new Error("The engine's table of functions is of another kind.");
    elements.number();
    elements.byte();
    for (let more = elements.number(); more > 0; more--) worklist.push(elements.number());
  }

  const code = sectionAt(CODE);
  const bodies = Array.from({ length: code.number() }, () => {
    const length = code.number();
    code.at += length;
    return { start: code.at - length, end: code.at };
  });
  const reachableFunctions = new Set();
  while (worklist.length) {
    const number = worklist.pop();
    if (reachableFunctions.has(number)) continue;
    reachableFunctions.add(number);
    if (number >= importCount) worklist.push(...calledIn(bytes, bodies[number - importCount]));
  }

  const bodyParts = bodies.flatMap(({ start, end }, at) => {
    const body = reachableFunctions.has(at + importCount)
      ? bytes.subarray(start, end)
      : Buffer.from(TRAP);
    return [Buffer.from(leb(body.length)), body];
  });
  const sectionParts = sections.flatMap(({ id, start, end }) => {
    const section =
      id === CODE
        ? Buffer.concat([Buffer.from(leb(bodies.length)), ...bodyParts])
        : bytes.subarray(start, end);
    return [Buffer.from([id, ...leb(section.length)]), section];
  });
  return Buffer.concat([bytes.subarray(0, 8), ...sectionParts]);
}

/**
 * The text of Node's `internal/errors` without the errors that no other text names, of `texts`, which are all that
 * can be loaded. An error is a statement `E("ERR_…", …)` at the top, and is reached by this name alone.
 */
export function errorsFor(source, texts) {
  const errorCodes = new Set(texts.flatMap((text) => text.match(/\bERR_\w+/g) ?? []));
  const { body } = acorn.parse(source, { ecmaVersion: "latest", allowReturnOutsideFunction: true });
  let text = source;
  for (const { type, expression, start, end } of body.reverse()) {
    if (type !== "ExpressionStatement" || expression.callee?.name !== "E") continue;
    const code = expression.arguments[0].value;
    const isNamedHere = source.split(new RegExp(`\\b${code}\\b`)).length > 2;
    if (!errorCodes.has(code) && !isNamedHere) text = text.slice(0, start) + text.slice(end);
  }
  return text;
}

const TABLE =
  /^var (astralIdentifierCodes|astralIdentifierStartCodes|nonASCIIidentifier(Start)?Chars) = .*\n/gm;
const LETTERS = [
  [/^var nonASCIIidentifierStart = .*$/m, "var nonASCIIidentifierStart = /\\p{ID_Start}/u;"],
  [
    /^var nonASCIIidentifier = .*$/m,
    "var nonASCIIidentifier = /[\\p{ID_Continue}\\u200c\\u200d]/u;",
  ],
  [
    "isInAstralSet(code, astralIdentifierStartCodes) || isInAstralSet(code, astralIdentifierCodes)",
    "nonASCIIidentifier.test(String.fromCodePoint(code))",
  ],
  [
    "isInAstralSet(code, astralIdentifierStartCodes)",
    "nonASCIIidentifierStart.test(String.fromCodePoint(code))",
  ],
];

/** The parser's text, which asks its own language which letters a name may have: its tables are of the same standard. */
export function parserFor(source) {
  if (source.match(TABLE)?.length !== 4) throw new Error("acorn has its letters in other tables.");
  let text = source.replace(TABLE, "");
  for (const [before, after] of LETTERS) {
    const next = text.replace(before, () => after);
    if (next === text) throw new Error(`acorn has another text than ${before}.`);
    text = next;
  }
  return text;
}
