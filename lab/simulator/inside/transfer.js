// Evaluated inside the engine for a program that gives `structuredClone` options: what it shall transfer.
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
};
