// Evaluated inside the engine for a program that reads or writes a property of nothing: V8's words where its key is a symbol.
(machine) => {
  const { host } = machine;
  const { stringify } = JSON;
  const OF_SYMBOL = /^cannot (read|set) property '(.*)' of (undefined|null)$/;
  /** V8's words where a symbol is read or written of nothing, or something is no iterable; null for other errors, and if the text has several that may be meant. */
  const ofSymbol = (message, place) => {
    const [, verb, name, nullishText] = OF_SYMBOL.exec(message) ?? [];
    if (name === "Symbol.iterator" ? verb === "read" : message === "value is not iterable") {
      const { kind, text } = JSON.parse(host("iterable", stringify(place))) ?? {};
      if (kind === "read" && nullishText)
        return `${nullishText} is not iterable (cannot read property Symbol(Symbol.iterator))`;
      return kind === "iterable" ? `${text} is not iterable` : null;
    }
    if (name === undefined) return null;
    const isKnown = name.startsWith("Symbol.") || isOwnSymbol(name);
    const words =
      verb === "read" ? "read properties of % (reading" : "set properties of % (setting";
    return isKnown ? `Cannot ${words.replace("%", nullishText)} 'Symbol(${name})')` : null;
  };
  /** Whether the program makes a symbol that is called so, and no text has a property of that name. */
  const isOwnSymbol = (name) => {
    const source = host("source");
    const quoted = name.replace(/[^\w ]/g, "\\$&");
    const isMade = new RegExp(`\\bSymbol(\\.for)?\\(\\s*(["'\`])${quoted}\\2`).test(source);
    if (name === "") return isMade || /\bSymbol\(\s*\)/.test(source);
    if (!isMade) return false;
    return !new RegExp(`\\.\\s*${quoted}\\b|\\[\\s*(["'\`])${quoted}\\1`).test(source);
  };
  return { ofSymbol };
};
