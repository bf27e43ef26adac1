// Evaluated inside the engine for a program with a text that is no JSON or an object that has no JSON: V8's words for that.
(machine) => {
  const MOST_SHOWN = 10; // characters of a text that is no JSON, on each side
  const LITERALS = ["true", "false", "null"];
  /**
   * Of a text that is no JSON as V8 tells it: where a character is that no value begins with (`unexpected`), or a text whose end is
   * missing (`endlessTextAt`), and where more follows after a value (`further`); -1 each if it is wrong in another way.
   */
  const wrongIn = (text) => {
    let at = 0;
    let unexpectedOffset = -1;
    let endlessTextAt = -1;
    let further = -1;
    const take = (pattern) => {
      pattern.lastIndex = at;
      const [token] = pattern.exec(text) ?? [];
      at += token?.length ?? 0;
      return token;
    };
    const next = (character) => {
      take(/[ \t\n\r]*/y);
      if (text[at] !== character) return false;
      at++;
      return true;
    };
    const list = (end, item) => {
      if (next(end)) return true;
      do if (!item()) return false;
      while (next(","));
      return next(end);
    };
    const value = () => {
      if (next("[")) return list("]", value);
      if (next("{"))
        return list("}", () => {
          if (!next('"')) return false;
          if (take(/(?:[^"\\]|\\.)*"/y)) return next(":") && value();
          endlessTextAt = at - 1;
          return false;
        });
      if (take(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y)) return true;
      if (text[at] === '"') {
        endlessTextAt = at;
        return false;
      }
      const word = LITERALS.find((literal) => literal[0] === text[at]) ?? "";
      const start = at;
      while (at < start + word.length && text[at] === word[at - start]) at++;
      if (word && at === start + word.length) return true;
      unexpectedOffset = at;
      return false;
    };
    if (value()) {
      take(/[ \t\n\r]*/y);
      if (at < text.length) further = at;
    }
    return { unexpected: unexpectedOffset, endlessTextAt, further };
  };
  /** A place in a text as V8 words it. */
  const placeIn = (text, at) => {
    const lines = text.slice(0, at).split("\n");
    return `in JSON at position ${at} (line ${lines.length} column ${lines.at(-1).length + 1})`;
  };
  /** V8's words for a number, a text's end or a text after a value that is wrong, which the engine places otherwise; else null. */
  const placedWords = (text, message) => {
    const [, words, start] =
      /^(Unexpected number|No number after minus sign) in JSON at position (\d+)/.exec(message) ??
      [];
    const from = Number(start);
    if (words === "Unexpected number")
      return `${words} ${placeIn(text, from + /^-?0?/.exec(text.slice(from))[0].length)}`;
    if (words) return `${words} ${placeIn(text, from + 1)}`;
    const { endlessTextAt, further } = wrongIn(text);
    if (endlessTextAt >= 0 && /^Unexpected end/.test(message))
      return `Unterminated string ${placeIn(text, text.length)}`;
    if (further >= 0 && /^unexpected (data|token)/.test(message))
      return `Unexpected non-whitespace character after ${placeIn(text, further).slice(3)}`;
    return null;
  };
  /** V8's words for a text that is no JSON, where the engine names what is unexpected in its own way. */
  const wordsOfJson = (text) => {
    const at = wrongIn(text).unexpected;
    if (at < 0) return null;
    if (/^(undefined|NaN|Infinity|\[object Object\])$/.test(text))
      return `"${text}" is not valid JSON`;
    if (at >= text.length) return "Unexpected end of JSON input";
    const isShort = text.length <= 2 * MOST_SHOWN;
    const from = isShort || at < MOST_SHOWN ? 0 : at - MOST_SHOWN;
    const to = isShort || at >= text.length - MOST_SHOWN ? text.length : at + MOST_SHOWN;
    const shown = `${from ? "..." : ""}"${text.slice(from, to)}"${to < text.length ? "... " : " "}`;
    return `Unexpected token '${text[at]}', ${shown}is not valid JSON`;
  };
  /** V8's words for an object that holds itself; null if none does. */
  const circle = (value) => {
    const path = []; // of [words of the key, object]
    const nameOf = (object) =>
      `object with constructor '${machine.bindings.util.getConstructorName(object)}'`;
    const linkFrom = (object, key) => {
      if (typeof object?.toJSON === "function") return null;
      if (typeof object !== "object" || object === null) return null;
      const start = path.findIndex(([, other]) => other === object);
      if (start >= 0) return { start, key };
      path.push([key, object]);
      for (const name of Object.keys(object)) {
        const link = linkFrom(
          object[name],
          Array.isArray(object) ? `index ${name}` : `property '${name}'`,
        );
        if (link) return link;
      }
      path.pop();
      return null;
    };
    const closingLink = linkFrom(value, "");
    if (!closingLink) return null;
    const [[, first], ...rest] = path.slice(closingLink.start);
    const lines = rest.map(([key, object]) => `|     ${key} -> ${nameOf(object)}`);
    const shown = lines.length > 3 ? [...lines.slice(0, 2), "|     ...", lines.at(-1)] : lines;
    const diagram = [
      `--> starting at ${nameOf(first)}`,
      ...shown,
      `--- ${closingLink.key} closes the circle`,
    ];
    return ["Converting circular structure to JSON", ...diagram].join("\n    ");
  };
  /** V8's words for a text that is no JSON and for which the engine has `message`; null if they are the same. */
  const wrongText = (text, message) => {
    const [, at] = /^Expected property.* position (\d+)/.exec(message) ?? [];
    if (at && /,\s*$/.test(text.slice(0, at)))
      return message.replace("property name or '}'", "double-quoted property name");
    return (
      placedWords(text, message) ?? (/^unexpected token/.test(message) ? wordsOfJson(text) : null)
    );
  };
  return { wrongText, circle };
};
