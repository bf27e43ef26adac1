// A sentence for mistakes that say little to a reader who is new to Node.

const words = (text) => new Set(text.split(" "));
const BROWSER = words(
  "alert confirm prompt document window localStorage sessionStorage requestAnimationFrame XMLHttpRequest history location",
);
const OF_COMMONJS = words("require module exports");
const OF_ANOTHER_LANGUAGE = words("print println printf echo puts");
const GLOBALS = words(
  "console process setTimeout setInterval setImmediate clearTimeout clearInterval queueMicrotask require performance Promise Buffer",
);
/** Quotation marks, dashes, dots and invisible characters, as word processors and chats write them. */
const PRINTED =
  /[\u00ab\u00bb\u00d7\u200b-\u200f\u2010-\u201f\u2026\u2039\u203a\u2060\u2212\ufeff]/;

/** A word, and the words that it becomes without one of its letters, in small letters. */
const shortened = (word) =>
  Array.from({ length: word.length + 1 }, (_, at) =>
    (word.slice(0, at) + word.slice(at + 1)).toLowerCase(),
  );

/** The global name that differs from this one in a letter, or in capital letters. */
function globalLike(name) {
  const letters = shortened(name);
  return [...GLOBALS].find((word) => shortened(word).some((short) => letters.includes(short)));
}

function hintForName(name) {
  if (BROWSER.has(name))
    return `${name} belongs to browsers and does not exist in Node. Print with console.log.`;
  if (OF_ANOTHER_LANGUAGE.has(name)) return "JavaScript prints with console.log.";
  if (OF_COMMONJS.has(name))
    return "This file is an ES module. Write import and export, or choose CommonJS above.";
  if (/^__(dir|file)name$/.test(name))
    return `An ES module has import.meta.${name.slice(2)} instead.`;
  const near = globalLike(name);
  return near ? `Did you mean ${near}?` : null;
}

/** What helps after an error's text, or null. */
export function hintFor(error, source) {
  const missing = /ReferenceError: '?([\w$]+)'? is not defined/.exec(error);
  if (missing) return hintForName(missing[1]);
  if (/was stopped after/.test(error) && /\bsetInterval\b/.test(source))
    return "An interval never ends. Call clearInterval after a few times.";
  if (/was stopped after/.test(error) && /\b(while|for)\b/.test(source))
    return "No timer or promise callback can run until the running function returns.";
  if (/nested more deeply/.test(error)) return "Perhaps a function calls itself without an end.";
  if (/printed more than/.test(error)) return "Print fewer lines, for example every thousandth.";
  if (/Error: ENOENT/.test(error))
    return "The model has only the files that your program writes. Write the file first, for example with fs.writeFileSync.";
  if (/await is only valid/.test(error))
    return (
      "Write async before the function that has the await. Outside functions, await works " +
      "only in an ES module, which you can choose above."
    );
  if (/Cannot use import statement/.test(error))
    return "Choose ES module above, because import works only in modules.";
  return /SyntaxError/.test(error) ? hintForSyntax(error, source) : null;
}

function hintForSyntax(error, source) {
  const printed = /unexpected token/i.test(error) && PRINTED.exec(error)?.[0];
  if (printed) {
    const code = printed.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    return (
      `The line has a character of printed text (${printed}, U+${code}), perhaps from a document that ` +
      "it was copied from. Type the quotation marks, dashes and spaces of the line again."
    );
  }
  if (
    /\b(interface|type)\s+\w+[^;\n]*[{=]|[\w)\]?]\s*:\s*(string|number|boolean|any|void|unknown|never)\b/.test(
      source,
    )
  )
    return "This looks like TypeScript. The model takes JavaScript, so leave out the types.";
  if (/<\/?[A-Za-z][\w.]*(\s[^<>]*)?\/?>/.test(source))
    return "This looks like JSX or HTML. The model takes JavaScript.";
  if (/^\s*\$?\s*(npm|npx|node|curl|yarn|cd)\s+[\w.-]/m.test(source))
    return "This looks like a command for a terminal. Write a program here, and press Run.";
  return null;
}
