// Evaluated inside the engine for a program that names Intl: its formats, which the JavaScript that runs the model makes.
(machine) => {
  const { inLocale, selfOf } = machine.locale;
  const defineHidden = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, configurable: true });
  // The formats of Intl; what is bound to its object is read, and the other functions are methods.
  const FORMATS = {
    NumberFormat: ["format", "formatToParts formatRange formatRangeToParts"],
    DateTimeFormat: ["format", "formatToParts formatRange formatRangeToParts"],
    Collator: ["compare", ""],
    PluralRules: [null, "select selectRange"],
    RelativeTimeFormat: [null, "format formatToParts"],
    ListFormat: [null, "format formatToParts"],
    DisplayNames: [null, "of"],
  };
  // The values of a format's function as JSON can have them.
  const plainNumber = (value) => {
    if (typeof value === "string") return value;
    const number = +value;
    return Number.isFinite(number) && !Object.is(number, -0) ? number : selfOf.Number(number);
  };
  const isPlain = (value) =>
    value === null || Number.isFinite(value) || ["string", "boolean"].includes(typeof value);
  const plainList = (value = []) => {
    const isList = typeof value?.[Symbol.iterator] === "function";
    const items = isList ? [...value] : [];
    if (!items.every(isPlain) || !(isList || isPlain(value) || typeof value === "object"))
      machine.refuseFor("list of anything but texts (Intl.ListFormat)");
    if (isList) return items;
    return isPlain(value) ? value : {}; // an error, as in Node
  };
  const plainOf = {
    NumberFormat: (value) => (typeof value === "bigint" ? `${value}` : plainNumber(value)),
    DateTimeFormat: (value = Date.now()) => plainNumber(value),
    PluralRules: plainNumber,
    RelativeTimeFormat: plainNumber,
    ListFormat: plainList,
  };
  const plainValues = (name, method, values) => {
    const plain = plainOf[name] ?? ((value) => `${value}`);
    const [first, second] = values;
    if (method === "resolvedOptions") return [];
    if (name === "RelativeTimeFormat") return [plain(first), `${second}`];
    if (name === "Collator") return [plain(first), plain(second)];
    if (!method.includes("Range")) return [plain(first)];
    const range = [first, second];
    const missing = range.indexOf(undefined); // the two of a range must be given
    return (missing < 0 ? range : range.slice(0, missing)).map((value) => plain(value));
  };
  const formatOf = (name, [boundMethod, methods]) => {
    const optionsByFormat = new WeakMap(); // the locales and options of each
    const boundByFormat = new WeakMap();
    const ask = (format, method, values = []) =>
      inLocale({
        owner: name,
        method,
        self: optionsByFormat.get(format),
        values: plainValues(name, method, values),
      });
    function Format(...self) {
      if (!new.target && boundMethod) return new Format(...self);
      if (!new.target) throw new TypeError(`Constructor Intl.${name} requires 'new'`);
      optionsByFormat.set(this, self);
      ask(this, "resolvedOptions"); // which says what is wrong
    }
    const { prototype } = Format;
    for (const method of `resolvedOptions ${methods}`.trim().split(" "))
      defineHidden(prototype, method, function called(...values) {
        return ask(this, method, values);
      });
    if (boundMethod)
      Object.defineProperty(prototype, boundMethod, {
        get() {
          if (!boundByFormat.has(this))
            boundByFormat.set(this, (...values) => ask(this, boundMethod, values));
          return boundByFormat.get(this);
        },
        configurable: true,
      });
    Object.defineProperty(prototype, Symbol.toStringTag, { value: `Intl.${name}` });
    Format.supportedLocalesOf = () => machine.refuseFor("list of languages");
    return Object.defineProperty(Format, "name", { value: name });
  };
  const formats = Object.entries(FORMATS).map(([name, names]) => [name, formatOf(name, names)]);
  Object.defineProperty(globalThis, "Intl", {
    value: machine.absent("Intl", { ...Object.fromEntries(formats), [Symbol.toStringTag]: "Intl" }),
    writable: true,
    configurable: true,
  });
};
