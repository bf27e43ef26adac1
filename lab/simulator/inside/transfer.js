// Evaluated inside the engine for a program that calls `structuredClone`: the copy, and what is transferred.
(machine) => {
  const { lent, settings } = machine;
  const isCallable = (value) => typeof value === "function";
  const CLONE_PREFIX = "Failed to execute 'structuredClone': ";
  const isRecent = Number.parseInt(settings.version.slice(1), 10) >= 24;
  const isNoObject = (value) => Object(value) !== value;
  /** What `structuredClone` shall transfer, or the error for what is no such list. */
  const transferIn = (options) => {
    const wrong = (words) => {
      throw Object.assign(new TypeError(words), { code: "ERR_INVALID_ARG_TYPE" });
    };
    const uncloneable = (words) => {
      throw new lent.DOMException(words, "DataCloneError");
    };
    if (options === undefined || options === null) return [];
    if (isNoObject(options)) wrong(`${CLONE_PREFIX}Options cannot be converted to a dictionary`);
    const { transfer } = options;
    if (transfer === undefined) return [];
    if (isNoObject(transfer) || !isCallable(transfer[Symbol.iterator]))
      wrong(
        `${CLONE_PREFIX}transfer in Options can${isRecent ? "" : " "}not be converted to sequence.`,
      );
    const list = [...transfer];
    for (const [at, item] of list.entries()) {
      if (isNoObject(item))
        wrong(
          isRecent
            ? `${CLONE_PREFIX}transfer in Options[${at}] is not an object.`
            : "Value is not an object",
        );
      if (machine.is.isArrayBuffer(item)) {
        if (list.indexOf(item) < at) uncloneable("Transfer list contains duplicate ArrayBuffer");
      } else if (!/(MessagePort|Stream)\]$/.test(Object.prototype.toString.call(item)))
        uncloneable("Found invalid value in transferList.");
    }
    return list;
  };
  machine.transferIn = transferIn;

  const MOST_CLONED = 1500; // levels, as many as V8's stack is sure to hold
  machine.clone = (value) => {
    const copies = new Map();
    const fail = (what) => {
      throw new lent.DOMException(`${what} could not be cloned.`, "DataCloneError");
    };
    const copy = (item) => {
      if (typeof item === "function") fail(String(item));
      if (typeof item === "symbol") fail(String(item));
      if (typeof item !== "object" || item === null) return item;
      if (copies.has(item)) return copies.get(item);
      const { is } = machine;
      const tag = Object.prototype.toString.call(item);
      if (is.isProxy(item)) fail(Array.isArray(item) ? tag : "#<Object>");
      if (/( Iterator|Generator)\]$/.test(tag)) fail(tag);
      if (/^\[object (Promise|Weak(Map|Set|Ref)|FinalizationRegistry)\]$/.test(tag))
        fail(`#<${machine.bindings.util.getConstructorName(item)}>`);
      if (tag === "[object Arguments]") fail("#<Object>");
      let clone;
      const keep = (result) => {
        copies.set(item, result);
        return result;
      };
      if (is.isDate(item)) return keep(new Date(+item));
      if (is.isRegExp(item)) return keep(new RegExp(item.source, item.flags));
      if (is.isMap(item)) {
        clone = keep(new Map());
        for (const [key, entry] of item) clone.set(copy(key), copy(entry));
        return clone;
      }
      if (is.isSet(item)) {
        clone = keep(new Set());
        for (const entry of item) clone.add(copy(entry));
        return clone;
      }
      if (item instanceof lent.DOMException)
        return keep(new lent.DOMException(item.message, item.name));
      if (is.isNativeError(item)) {
        const isOfLanguage = /^(Eval|Range|Reference|Syntax|Type|URI)Error$/.test(item.name);
        clone = keep(new (isOfLanguage ? globalThis[item.name] : Error)(item.message));
        if (typeof item.stack === "string") clone.stack = item.stack;
        if ("cause" in item) clone.cause = copy(item.cause);
        return clone;
      }
      if (is.isArrayBuffer(item)) return keep(item.slice());
      if (ArrayBuffer.isView(item)) {
        const size = item instanceof DataView ? item.byteLength : item.length;
        const Kind = globalThis[tag.slice(8, -1)];
        return keep(new Kind(copy(item.buffer), item.byteOffset, size));
      }
      if (is.isBoxedPrimitive(item)) {
        if (is.isSymbolObject(item)) fail(tag);
        return keep(Object(item.valueOf()));
      }
      clone = keep(Array.isArray(item) ? new Array(item.length) : {});
      for (const key of Object.keys(item)) clone[key] = copy(item[key]);
      return clone;
    };
    machine.refuseDeep(value, MOST_CLONED);
    return copy(value);
  };
};
