// Evaluated inside the engine after disk.js: work for the thread pool that is no file, from `crypto` and
// `dns`. What it takes is a rule of thumb; what it gives is not computed, and who reads it is told so.
(machine) => {
  const { load } = machine;
  const MS_OF_ROUNDS = 1 / 4000; // one millisecond for four thousand rounds of PBKDF2
  const SCRYPT_MS = 50; // with the cost that is usual
  const USUAL_COST = 16384;
  const RANDOM_MS = 0.01;
  const MOST_BYTES = 2 ** 31 - 1;
  const MOST_RANDOM_BYTES = 65536;
  const MOST_RANDOM = 2 ** 48 - 1;
  const LOOKUP_MS = 0.015; // as a job on a file: what else the loop does may take longer or not
  const HASHES = { md5: 16, sha1: 20, sha224: 28, sha256: 32, sha384: 48, sha512: 64 };

  /** A key of the right length, of which nothing but that can be read. */
  const keys = new WeakSet();
  const OPEN_IN_KEY = new Set(["length", "byteLength", "then", "constructor"]);
  const refuseKey = () =>
    machine.refuse("The model does not compute keys, so it cannot print, copy or compare one");
  machine.refuseUnknown = (value) => {
    if (keys.has(value)) refuseKey();
  };
  const keyOf = (length) => {
    const bytes = load("buffer").Buffer.alloc(length);
    const traps = "set has ownKeys getOwnPropertyDescriptor defineProperty deleteProperty";
    const key = new machine.EngineProxy(bytes, {
      ...Object.fromEntries(traps.split(" ").map((name) => [name, refuseKey])),
      get: (_, name) => (OPEN_IN_KEY.has(name) ? bytes[name] : refuseKey()),
    });
    keys.add(key);
    return key;
  };
  const random = (length) => {
    const bytes = load("buffer").Buffer.alloc(length);
    for (let at = 0; at < length; at++) bytes[at] = Math.floor(Math.random() * 256);
    return bytes;
  };
  const validCallback = (callback) => {
    load("internal/validators").validateFunction(callback, "callback");
    return callback;
  };
  const checkBuffer = (value) => {
    const { codes } = load("internal/errors");
    if (!machine.is.isAnyArrayBuffer(value) && !ArrayBuffer.isView(value))
      throw new codes.ERR_INVALID_ARG_TYPE("buf", ["ArrayBuffer", "ArrayBufferView"], value);
  };
  /** The bytes of a buffer or a view from an element on, as many as `size` elements have, or all. */
  const partOf = (buffer, offset, size) => {
    checkBuffer(buffer);
    const { codes } = load("internal/errors");
    const { validateNumber } = load("internal/validators");
    const { BYTES_PER_ELEMENT: elementBytes = 1, byteLength, byteOffset = 0 } = buffer;
    validateNumber(offset, "offset");
    const begin = offset * elementBytes;
    if (!(begin >= 0 && begin <= byteLength))
      throw new codes.ERR_OUT_OF_RANGE("offset", `>= 0 && <= ${byteLength}`, begin);
    if (size !== undefined) validateNumber(size, "size");
    const length = size === undefined ? byteLength - (begin >>> 0) : size * elementBytes;
    if (!(length >= 0 && length <= MOST_BYTES))
      throw new codes.ERR_OUT_OF_RANGE("size", `>= 0 && <= ${MOST_BYTES}`, length);
    const end = (begin >>> 0) + length;
    if (end > byteLength)
      throw new codes.ERR_OUT_OF_RANGE("size + offset", `<= ${byteLength}`, end);
    return new Uint8Array(buffer.buffer ?? buffer, byteOffset + (begin >>> 0), length >>> 0);
  };
  const work = (type, ms, perform, callback) =>
    machine.request(machine.wrap({}, type), {
      ms,
      perform,
      done: (error, value) => callback(error ?? null, value),
    });

  const roundsMs = (rounds, length, digest) => {
    const { codes } = load("internal/errors");
    const size = HASHES[`${digest}`.toLowerCase().replace("-", "")];
    if (!size) throw new codes.ERR_CRYPTO_INVALID_DIGEST(digest);
    return Math.max(RANDOM_MS, rounds * Math.ceil(length / size) * MS_OF_ROUNDS);
  };
  const scryptMs = ({ N, cost, r, blockSize, p, parallelization } = {}) =>
    (SCRYPT_MS * (N ?? cost ?? USUAL_COST) * (r ?? blockSize ?? 8) * (p ?? parallelization ?? 1)) /
    (USUAL_COST * 8);
  const passTime = (ms, value) => {
    machine.pass(ms);
    return value;
  };
  const crypto = {
    pbkdf2: (_password, _salt, rounds, length, digest, callback) =>
      void work(
        "PBKDF2REQUEST",
        roundsMs(rounds, length, digest),
        () => keyOf(length),
        validCallback(callback),
      ),
    pbkdf2Sync: (_password, _salt, rounds, length, digest) =>
      passTime(roundsMs(rounds, length, digest), keyOf(length)),
    scrypt(_password, _salt, length, ...rest) {
      const callback = validCallback(rest.at(-1));
      const ms = scryptMs(rest.length > 1 ? rest[0] : {});
      work("SCRYPTREQUEST", ms, () => keyOf(length), callback);
    },
    scryptSync: (_password, _salt, length, options) => passTime(scryptMs(options), keyOf(length)),
    randomBytes(size, callback) {
      load("internal/validators").validateNumber(size, "size");
      if (!(size >= 0 && size <= MOST_BYTES)) {
        const { codes } = load("internal/errors");
        throw new codes.ERR_OUT_OF_RANGE("size", `>= 0 && <= ${MOST_BYTES}`, size);
      }
      const length = size >>> 0;
      if (callback === undefined) return random(length);
      work("RANDOMBYTESREQUEST", RANDOM_MS, () => random(length), validCallback(callback));
      return undefined;
    },
    randomInt(low, high, callback) {
      const isRange = high !== undefined && typeof high !== "function";
      const [from, to, onNumber] = isRange ? [low, high, callback] : [0, low, high];
      if (onNumber !== undefined) validCallback(onNumber);
      const { codes } = load("internal/errors");
      for (const [name, value] of Object.entries({ min: from, max: to }))
        if (!Number.isSafeInteger(value))
          throw new codes.ERR_INVALID_ARG_TYPE(name, "a safe integer", value);
      if (to <= from)
        throw new codes.ERR_OUT_OF_RANGE("max", `greater than the value of "min" (${from})`, to);
      if (to - from > MOST_RANDOM)
        throw new codes.ERR_OUT_OF_RANGE(
          isRange ? "max - min" : "max",
          `<= ${MOST_RANDOM}`,
          to - from,
        );
      const number = from + Math.floor(Math.random() * (to - from));
      if (onNumber === undefined) return number;
      machine.process.nextTick(onNumber, undefined, number);
      return undefined;
    },
    randomUUID(options) {
      const { validateObject, validateBoolean } = load("internal/validators");
      if (options !== undefined) validateObject(options, "options");
      validateBoolean(options?.disableEntropyCache ?? false, "options.disableEntropyCache");
      const hex = random(16).toString("hex");
      const digit = (8 + (Number.parseInt(hex[16], 16) % 4)).toString(16);
      return [
        hex.slice(0, 8),
        hex.slice(8, 12),
        `4${hex.slice(13, 16)}`,
        `${digit}${hex.slice(17, 20)}`,
        hex.slice(20),
      ].join("-");
    },
    getRandomValues(view) {
      const kind = ArrayBuffer.isView(view) ? view[Symbol.toStringTag] : "";
      if (!/^(Big)?(Ui|I)nt/.test(kind) || view.byteLength > MOST_RANDOM_BYTES)
        machine.refuse(
          "The model fills only arrays of whole numbers with up to 65,536 bytes (crypto.getRandomValues)",
        );
      return crypto.randomFillSync(view);
    },
    randomFillSync(buffer, offset = 0, size) {
      const part = partOf(buffer, offset, size);
      part.set(random(part.length));
      return buffer;
    },
    randomFill(buffer, ...range) {
      checkBuffer(buffer);
      const at = range.slice(0, 2).findIndex((value) => typeof value === "function");
      const callback = validCallback(range[at < 0 ? 2 : at]);
      // Before Node 24, what has no `length` needs a size where it has an offset.
      const needsSize =
        Number.parseInt(machine.settings.version.slice(1), 10) < 24 && !("length" in buffer);
      const [offset, size] =
        at < 0 ? range : [[0], [range[0], needsSize ? Number.NaN : undefined]][at];
      const part = partOf(buffer, offset, size);
      if (!part.length) return void callback(null, buffer);
      const fill = () => {
        part.set(random(part.length));
        return buffer;
      };
      return void work("RANDOMBYTESREQUEST", RANDOM_MS, fill, callback);
    },
    timingSafeEqual(...buffers) {
      const [first, second] = buffers.slice(0, 2).map((buffer) => {
        checkBuffer(buffer);
        return new Uint8Array(buffer.buffer ?? buffer, buffer.byteOffset ?? 0, buffer.byteLength);
      });
      if (first.length !== second.length)
        throw Object.assign(new RangeError("Input buffers must have the same byte length"), {
          code: "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH",
        });
      return first.every((byte, at) => byte === second[at]);
    },
  };
  let hashes = null; // the functions of hash.js
  for (const name of ["createHash", "createHmac", "hash"])
    crypto[name] = {
      [name](...values) {
        hashes ??= machine.host("part", "hash")(machine);
        return hashes[name](...values);
      },
    }[name];
  /** What the model has of a module; the rest is refused. */
  const absent = (module, known) =>
    new Proxy(known, {
      get: (_, name) =>
        name in known || typeof name === "symbol" || name === "then"
          ? known[name]
          : machine.refuse(`The model has no ${module}.${name}`),
    });
  crypto.webcrypto = absent("crypto", {
    randomUUID: crypto.randomUUID,
    getRandomValues: crypto.getRandomValues,
  });

  // --- names ------------------------------------------------------------------------------------------
  const ADDRESSES = { localhost: "127.0.0.1" };
  const lookup = (name, options, callback) => {
    const onAddress = validCallback(callback ?? options);
    const isAll = typeof options === "object" && options?.all;
    const family = load("internal/net").isIP(`${name}`);
    if (family) {
      const { nextTick } = machine.process;
      if (isAll) nextTick(onAddress, null, [{ address: name, family }]);
      else nextTick(onAddress, null, name, family);
      return;
    }
    const address = ADDRESSES[name];
    if (!address)
      machine.refuse(`The model looks up only the name localhost (dns.lookup("${name}"))`);
    const wrap = machine.wrap({}, "GETADDRINFOREQWRAP");
    machine.request(wrap, {
      ms: LOOKUP_MS,
      isSlow: true,
      perform: () => address,
      done: () => (isAll ? onAddress(null, [{ address, family: 4 }]) : onAddress(null, address, 4)),
    });
  };
  const promises = absent("dns.promises", {
    lookup: (name, options) =>
      new Promise((resolve, reject) =>
        lookup(name, options ?? {}, (error, address, family) =>
          error ? reject(error) : resolve(options?.all ? address : { address, family }),
        ),
      ),
  });
  const dns = absent("dns", { lookup, promises, ADDRCONFIG: 32, V4MAPPED: 8, ALL: 16 });

  // Linux's signals by their numbers, from 1, and its priorities.
  const SIGNALS =
    "SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT,SIGIOT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV " +
    "SIGUSR2 SIGPIPE SIGALRM SIGTERM SIGCHLD SIGSTKFLT SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG " +
    "SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO,SIGPOLL SIGPWR SIGSYS";
  const signals = { __proto__: null };
  for (const [at, names] of SIGNALS.split(" ").entries())
    for (const name of names.split(",")) signals[name] = at + 1;
  Object.assign(signals, { SIGCHLD: 17, SIGSTKFLT: 16 });
  const errnoOf = (name) =>
    machine.errno[name] ??
    (/^E[A-Z0-9]+$/.test(String(name)) // which may be one of Linux
      ? machine.refuse(`The model has no os.constants.errno.${name}`)
      : undefined);
  machine.bindings.constants.os = absent("os.constants", {
    signals,
    errno: new machine.EngineProxy(machine.errno, {
      get: (_, name) => errnoOf(name),
      has: (_, name) => errnoOf(name) > 0,
      getOwnPropertyDescriptor: (_, name) => {
        errnoOf(name);
        return Object.getOwnPropertyDescriptor(machine.errno, name);
      },
      ownKeys: () => machine.refuseError("all of os.constants.errno"),
    }),
    priority: {
      __proto__: null,
      PRIORITY_LOW: 19,
      PRIORITY_BELOW_NORMAL: 10,
      PRIORITY_NORMAL: 0,
      PRIORITY_ABOVE_NORMAL: -7,
      PRIORITY_HIGH: -14,
      PRIORITY_HIGHEST: -20,
    },
  });
  machine.absent = absent;
  machine.own = { crypto: absent("crypto", crypto), dns, "dns/promises": promises };
};
