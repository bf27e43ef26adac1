// Tab and Shift-Tab: what stands before the cursor, as a name and the keys after it. The cells' process says what
// that is without running any code of the reader (`look.cjs`).
"use strict";

const { builtinModules } = require("node:module");
const documentation = require("nel/lib/mdn.js");

const NAME = "[\\p{ID_Start}$_][\\p{ID_Continue}$\\u200c\\u200d]*";
const PARTIAL = new RegExp(`(?:${NAME})?$`, "u");
const LITERAL = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)$/;
const KEY = /\s*(?:\?\.\s*)?\[\s*(?:(["'`])([^"'`\\\n]*)\1|(\d+))\s*\]$/;
const DOT = /\s*(\?\.|(?<![.\d])\.)\s*$/;
const OPEN_KEY = /\s*(?:\?\.\s*)?\[\s*(["'`])([^"'`\\\n]*)$/;
const OPEN_MODULE = /(?:\brequire\(|\bimport\(|\bfrom|\bimport)\s*(["'])([^"'\n]*)$/;
const MODULES = builtinModules.filter((name) => !name.startsWith("_"));
const KEYWORDS =
  "async await break case catch class const continue debugger default delete do else export extends false finally " +
  "for from function if import in instanceof let new null of return static super switch this throw true try typeof " +
  "undefined using var void while with yield";

/** The value that ends `text`, as {root, keys, start}, or {literal, keys, start}; undefined if it is none that can be looked at. */
function valueBefore(text) {
  const keys = [];
  let remaining = text;
  while (true) {
    const key = KEY.exec(remaining);
    if (key && /[\p{ID_Continue}$)\]"'`]\s*$/u.test(remaining.slice(0, key.index))) {
      keys.unshift(key[2] ?? key[3]);
      remaining = remaining.slice(0, key.index);
      continue;
    }
    const literal = literalBefore(remaining);
    if (literal) return { ...literal, keys };
    const [name] = PARTIAL.exec(remaining);
    if (!name) return undefined;
    const before = remaining.slice(0, remaining.length - name.length);
    const dot = DOT.exec(before);
    if (!dot) return { root: name, keys, start: before.length };
    keys.unshift(name);
    remaining = before.slice(0, dot.index);
  }
}

/** A text or an array that is written out: its methods are those of its kind. */
function literalBefore(text) {
  const quoted = LITERAL.exec(text);
  if (quoted) return { literal: "String", start: quoted.index };
  if (!text.endsWith("]")) return undefined;
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text[at] === "]") depth += 1;
    if (text[at] === "[") depth -= 1;
    if (depth === 0) return { literal: "Array", start: at };
  }
  return undefined;
}

/** What is to be completed at the end of `text`: {of, partial, start, close}; `of` is undefined for a name alone. */
function openBefore(text) {
  const module = OPEN_MODULE.exec(text);
  if (module) return { modules: true, partial: module[2], start: text.length - module[2].length };
  const key = OPEN_KEY.exec(text);
  const holder = key && valueBefore(text.slice(0, key.index));
  if (holder) {
    const start = text.length - key[2].length;
    return { of: holder, partial: key[2], start, close: `${key[1]}]` };
  }
  const [partial] = PARTIAL.exec(text);
  const before = text.slice(0, text.length - partial.length);
  const dot = DOT.exec(before);
  if (!dot) return partial ? { partial, start: before.length } : undefined;
  const of = valueBefore(before.slice(0, dot.index));
  return of && { of, partial, start: before.length, isName: true };
}

/** The reply to a complete_request; `look` asks the cells' process. Positions are characters, not UTF-16 units. */
async function completion({ code, cursor_pos: cursor }, look) {
  const text = [...code].slice(0, cursor).join("");
  const after = code.slice(text.length);
  const open = openBefore(text);
  const names = open ? await candidates(open, look) : [];
  const close = open?.close && !after.startsWith(open.close[0]) ? open.close : "";
  // With what stands before it, as it is written: consoles show the whole.
  const start = open ? (open.of?.start ?? open.start) : text.length;
  const written = open ? text.slice(start, open.start) : "";
  const matches = names
    .filter((name) => name.startsWith(open.partial))
    .map((name) => `${written}${escaped(name, open)}${close}`);
  return {
    status: "ok",
    matches,
    cursor_start: [...text.slice(0, matches.length > 0 ? start : text.length)].length,
    cursor_end: cursor,
    metadata: {},
  };
}

async function candidates({ of, modules, isName }, look) {
  if (modules)
    return [...MODULES.map((name) => `node:${name.replace(/^node:/, "")}`), "lab", ...MODULES];
  const { names = [] } = (await look({ of, names: true })) ?? {};
  if (!of) return [...names, ...KEYWORDS.split(" ")];
  return isName ? names.filter((name) => new RegExp(`^${NAME}$`, "u").test(name)) : names;
}

const escaped = (name, { close }) =>
  close
    ? JSON.stringify(name)
        .slice(1, -1)
        .replaceAll("'", close[0] === "'" ? "\\'" : "'")
    : name;

/** The reply to an inspect_request. */
async function inspection({ code, cursor_pos: cursor }, look) {
  const text = [...code].slice(0, cursor).join("");
  const [more] = /^[\p{ID_Continue}$]*/u.exec(code.slice(text.length)) ?? [""];
  // In the brackets of a call, the question is what is called.
  const of = valueBefore((text + more).replace(/\s*\([^()]*$/, ""));
  const { inspection } = (of && (await look({ of }))) ?? {};
  if (!inspection) return { status: "ok", found: false, data: {}, metadata: {} };
  const { usage, description } = documented(of, inspection) ?? {};
  const plain = usage ? `${usage}\n\n${description}` : `${inspection.type}: ${inspection.string}`;
  const html = plain.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const data = { "text/plain": plain, "text/html": `<pre>${html}</pre>` };
  return { status: "ok", found: true, data, metadata: {} };
}

/** What nel knows of JavaScript's own, by its full name, or by that of a method of its kind. */
function documented({ root, keys }, { holders }) {
  const names = [
    [root, ...keys].join("."),
    ...holders.map((kind) => `${kind}.prototype.${keys.at(-1)}`),
  ];
  return names
    .map((name) => Object.hasOwn(documentation, name) && documentation[name])
    .find(Boolean);
}

module.exports = { completion, inspection };
