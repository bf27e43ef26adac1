// A sentence for mistakes that say little to a reader who is new to Node.

const BROWSER = new Set(
  "alert confirm prompt document window localStorage sessionStorage requestAnimationFrame XMLHttpRequest history location".split(
    " ",
  ),
);

/** What helps after an error's text, or null. */
export function hintFor(error, source) {
  const missing = /ReferenceError: (?:'([\w$]+)'|([\w$]+)) is not defined/.exec(error);
  const name = missing?.[1] ?? missing?.[2];
  if (BROWSER.has(name))
    return `${name} belongs to browsers and does not exist in Node. Print with console.log.`;
  if (name === "require" || name === "module")
    return "This file is an ES module. Write import, or give the program a name that ends in .cjs.";
  if (/was stopped after/.test(error) && /\bsetInterval\b/.test(source))
    return "An interval never ends. Call clearInterval after a few times.";
  if (/was stopped after/.test(error) && /\b(while|for)\b/.test(source))
    return "No timer or promise callback can run until the running function returns.";
  if (/Cannot use import statement|await is only valid/.test(error))
    return (
      "Choose ES module above, because import and await outside functions work only in " +
      "modules."
    );
  if (!/SyntaxError/.test(error)) return null;
  if (
    /\b(interface|type)\s+\w+[^;\n]*[{=]|[\w)\]?]\s*:\s*(string|number|boolean|any|void|unknown|never)\b/.test(
      source,
    )
  )
    return "This looks like TypeScript. The model takes JavaScript, so leave out the types.";
  if (/<\/?[A-Za-z][\w.]*(\s[^<>]*)?\/?>/.test(source))
    return "This looks like JSX, which a build step turns into JavaScript. The model takes JavaScript.";
  return null;
}
