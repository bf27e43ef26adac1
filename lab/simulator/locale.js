// What depends on a language, an encoding or a time zone is left to the JavaScript that runs the model: it has the tables.

const USUAL = "en-US";
const OWNERS = { Date, Number, BigInt, String };
const LANGUAGE_AT = { localeCompare: 1, toString: null, toTimeString: null }; // of the others it is parameter 0

/** The JSON of {value}, or of {error: [name, message]}, for that of {owner, method, self, values}. */
export function inLocale(request) {
  const { owner, method, self, values } = JSON.parse(request);
  if (owner in Intl)
    return answerOf(() =>
      new Intl[owner](self[0] ?? USUAL, self[1] ?? undefined)[method](...values),
    );
  const value = owner === "Date" ? new Date(self ?? Number.NaN) : OWNERS[owner](self);
  const { [method]: at = 0 } = LANGUAGE_AT;
  if (at !== null) values[at] ??= USUAL;
  return answerOf(() => OWNERS[owner].prototype[method].apply(value, values));
}

function answerOf(ask) {
  try {
    return JSON.stringify({ value: ask() });
  } catch (error) {
    return JSON.stringify({ error: [error.name, error.message] });
  }
}

/** The letters of an encoding that has one byte for each, by the bytes. */
export function lettersOf(encoding) {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  return new TextDecoder(encoding).decode(bytes, { stream: true }); // of all at once Node 20 makes ISO 8859-1
}
