// Evaluated inside the engine, before any program: Node's own modules over bindings of ours. `host`
// is the one function that leads out: compile, jobs, promise, print, stop. What Node's C++ does around
// the modules is in loop.js, which gets what is returned here.
(host, settings) => {
  const { version, versions, options } = settings;

  // --- what the engine lacks ---------------------------------------------------------------
  const define = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, configurable: true });
  // V8 has these itself since Node 24; before, Node makes them.
  const hasDispose = Number.parseInt(version.slice(1), 10) >= 24;
  for (const name of ["dispose", "asyncDispose"])
    if (hasDispose && !Symbol[name])
      Object.defineProperty(Symbol, name, { value: Symbol(`Symbol.${name}`) });
  if (!globalThis.Atomics) {
    // There is one thread, so each of these is whole. Only waiting takes time, and nobody wakes it.
    const placeIn = (view, index, isWait = false) => {
      const kinds = isWait ? /^(Int32|BigInt64)Array$/ : /^(Big)?(Ui|I)nt\d+Array$/;
      if (!kinds.test(ArrayBuffer.isView(view) && view[Symbol.toStringTag]))
        throw new TypeError(
          `${describe(view)} is not an ${isWait ? "int32 or BigInt64" : "integer"} typed array.`,
        );
      const at = Math.trunc(index) || 0;
      if (!(at >= 0 && at < view.length)) throw new RangeError("Invalid atomic access index");
      return at;
    };
    const change = (name, body) => [
      name,
      (view, index, ...values) => {
        const at = placeIn(view, index);
        const before = view[at];
        const after = body(before, ...values);
        if (after !== undefined) view[at] = after;
        return name === "store" ? values[0] : before;
      },
    ];
    const changes = [
      change("load", () => undefined),
      change("store", (_, value) => value),
      change("exchange", (_, value) => value),
      change("add", (before, value) => before + value),
      change("sub", (before, value) => before - value),
      change("and", (before, value) => before & value),
      change("or", (before, value) => before | value),
      change("xor", (before, value) => before ^ value),
      change("compareExchange", (before, expected, value) =>
        before === expected ? value : undefined,
      ),
    ];
    const atomics = {
      ...Object.fromEntries(changes),
      isLockFree: (size) => [1, 2, 4, 8].includes(size),
      notify(view, index) {
        placeIn(view, index, true);
        return 0;
      },
      pause: () => undefined,
      wait(view, index, value, ms = Number.POSITIVE_INFINITY) {
        if (view[placeIn(view, index, true)] !== value) return "not-equal";
        if (ms === Number.POSITIVE_INFINITY)
          machine.refuse(
            "Atomics.wait() without a timeout waits for a worker, but the model has no workers",
          );
        machine.pass(Math.max(0, ms));
        return "timed-out";
      },
      waitAsync: () =>
        machine.refuse("Atomics.waitAsync() waits for a worker, but the model has no workers"),
      [Symbol.toStringTag]: "Atomics",
    };
    define(globalThis, "Atomics", {});
    for (const name of Reflect.ownKeys(atomics)) define(Atomics, name, atomics[name]);
  }
  // A run is too short for V8 to collect anything, and the engine collects at once.
  const canBeHeld = (value) =>
    isObject(value) || (typeof value === "symbol" && Symbol.keyFor(value) === undefined);
  const { WeakRef: weakRefModel } = {
    WeakRef: class {
      #target;
      constructor(target) {
        if (!canBeHeld(target)) throw new TypeError("WeakRef: invalid target");
        this.#target = target;
      }
      deref() {
        return this.#target;
      }
      get [Symbol.toStringTag]() {
        return "WeakRef";
      }
    },
  };
  define(globalThis, "WeakRef", weakRefModel);
  const { FinalizationRegistry: finalizationRegistryModel } = {
    FinalizationRegistry: class {
      #tokens = new WeakSet();
      constructor(cleanup) {
        if (typeof cleanup !== "function")
          throw new TypeError("FinalizationRegistry: cleanup must be callable");
      }
      register(target, held, token) {
        if (!canBeHeld(target))
          throw new TypeError("FinalizationRegistry.prototype.register: invalid target");
        if (target === held)
          throw new TypeError(
            "FinalizationRegistry.prototype.register: target and holdings must not be same",
          );
        if (canBeHeld(token)) this.#tokens.add(token);
        else if (token !== undefined)
          throw new TypeError(`Invalid unregisterToken ('${describe(token)}')`);
      }
      unregister(token) {
        if (!canBeHeld(token))
          throw new TypeError(`Invalid unregisterToken ('${describe(token)}')`);
        return this.#tokens.delete(token);
      }
      get [Symbol.toStringTag]() {
        return "FinalizationRegistry";
      }
    },
  };
  define(globalThis, "FinalizationRegistry", finalizationRegistryModel);
  // What is behind a proxy: Node prints that, and calls no trap for it.
  const EngineProxy = Proxy;
  const behind = new WeakMap();
  const noteProxy = (proxy, target, handler) => {
    behind.set(proxy, [target, handler]);
    return proxy;
  };
  define(
    globalThis,
    "Proxy",
    new EngineProxy(EngineProxy, {
      construct: (make, [target, handler]) => {
        const isPossible = [target, handler].every(
          (part) => (typeof part === "object" && part !== null) || typeof part === "function",
        );
        if (!isPossible)
          throw new TypeError("Cannot create proxy with a non-object as target or handler");
        return noteProxy(new make(target, handler), target, handler);
      },
      get: (make, name) =>
        name === "revocable"
          ? (target, handler) => {
              const { proxy, revoke } = make.revocable(target, handler);
              const end = () => {
                revoke();
                behind.set(proxy, [null, null]);
              };
              return { proxy: noteProxy(proxy, target, handler), revoke: end };
            }
          : make[name],
    }),
  );
  // A view whose bytes the model does not know is refused where it is taken for a view.
  const typedArray = Object.getPrototypeOf(Uint8Array.prototype);
  const kindOfView = Object.getOwnPropertyDescriptor(typedArray, Symbol.toStringTag).get;
  Object.defineProperty(typedArray, Symbol.toStringTag, {
    get() {
      machine.refuseUnknown?.(this);
      return Reflect.apply(kindOfView, this, []);
    },
    configurable: true,
  });
  const { isView } = ArrayBuffer;
  const strictViews = {
    isView(value) {
      machine.refuseUnknown?.(value);
      return isView(value);
    },
  };
  define(ArrayBuffer, "isView", strictViews.isView);
  // The engine's own gives its error no message and no stack.
  const combinators = {
    any(values) {
      return new this((resolve, reject) => {
        const errors = [];
        let open = 1;
        const fail = () => {
          if (--open) return;
          const error = new AggregateError(errors, "All promises were rejected");
          error.stack = `${error}`;
          reject(error);
        };
        let count = 0;
        for (const value of values) {
          const at = count++;
          open++;
          let isCalled = false;
          this.resolve(value).then(resolve, (error) => {
            if (isCalled) return;
            isCalled = true;
            errors[at] = error;
            fail();
          });
        }
        fail();
      });
    },
  };
  define(Promise, "any", combinators.any);
  const { asUintN } = BigInt;
  const numbers = {
    asUintN(bits, value) {
      const result = asUintN(bits, value);
      return result < 0n ? result + (1n << BigInt(bits)) : result; // the engine has the sign of 64 bits
    },
  };
  define(BigInt, "asUintN", numbers.asUintN);
  if (!globalThis.global) define(globalThis, "global", globalThis);
  for (const name of ["print", "console", "queueMicrotask", "navigator", "performance"])
    delete globalThis[name];

  // Of an iterator the engine does not say whether it gives pairs. Most do of a Map's, which are not noted, and few of a Set's.
  const single = new WeakSet();
  const pairing = new WeakSet();
  const noting = (prototype, name, iterators) => {
    const make = prototype[name];
    const wrapper = {
      [name]() {
        const iterator = Reflect.apply(make, this, []);
        iterators.add(iterator);
        return iterator;
      },
    };
    define(prototype, name, wrapper[name]);
  };
  noting(Map.prototype, "keys", single);
  noting(Map.prototype, "values", single);
  noting(Set.prototype, "entries", pairing);

  // --- bindings ----------------------------------------------------------------------------
  const noop = () => {};
  const symbols = new Proxy(Object.create(null), {
    get(known, name) {
      if (typeof name === "symbol") return undefined;
      known[name] ??= Symbol(name);
      return known[name];
    },
  });
  // Names that V8 keeps to itself: no promise shows them.
  for (const name of ["async_id_symbol", "trigger_async_id_symbol"]) {
    const ids = new WeakMap();
    Object.defineProperty(Promise.prototype, symbols[name], {
      get() {
        return ids.get(this);
      },
      set(id) {
        ids.set(this, id);
      },
      configurable: true,
    });
  }
  // A binding that a module takes constants, functions or classes from, and never calls here.
  const inert = new Proxy(function inert() {}, {
    get: (_, name) =>
      name === Symbol.toPrimitive ? () => 0 : name === Symbol.iterator ? undefined : inert,
    apply: () => undefined,
    construct: () => ({}),
    has: () => true,
  });

  const tag = (value) => Object.prototype.toString.call(value).slice(8, -1);
  const hasBrand = (method) => (value) => {
    try {
      method.call(value);
      return true;
    } catch {
      return false;
    }
  };
  const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
  const isObject = (value) =>
    (typeof value === "object" && value !== null) || typeof value === "function";
  const prefixed = (pattern) => (value) =>
    typeof value === "function" && pattern.test(Function.prototype.toString.call(value));
  const { isError } = Error;
  const isAsyncFunction = prefixed(/^(static )?async\b/);
  const isGeneratorFunction = prefixed(/^(static )?(async )?(function ?\*|\*)/);
  const iterator = (name) => (value) => isObject(value) && tag(value) === `${name} Iterator`;
  const is = {
    isExternal: () => false,
    isDate: hasBrand(Date.prototype.getTime),
    isArgumentsObject: (value) => isObject(value) && tag(value) === "Arguments",
    isBigIntObject: (value) =>
      typeof value === "object" && hasBrand(BigInt.prototype.valueOf)(value),
    isBooleanObject: (value) =>
      typeof value === "object" && hasBrand(Boolean.prototype.valueOf)(value),
    isNumberObject: (value) =>
      typeof value === "object" && hasBrand(Number.prototype.valueOf)(value),
    isStringObject: (value) =>
      typeof value === "object" && hasBrand(String.prototype.valueOf)(value),
    isSymbolObject: (value) =>
      typeof value === "object" && hasBrand(Symbol.prototype.valueOf)(value),
    isNativeError: (value) =>
      typeof value === "object" && value !== null && isError
        ? isError(value)
        : tag(value) === "Error",
    isRegExp: hasBrand(getter(RegExp.prototype, "flags")),
    isAsyncFunction: (value) => isAsyncFunction(value),
    isGeneratorFunction,
    isGeneratorObject: (value) =>
      isObject(value) && (tag(value) === "Generator" || tag(value) === "AsyncGenerator"),
    isPromise: (value) => isObject(value) && host("promise", value) >= 0,
    isMap: hasBrand(getter(Map.prototype, "size")),
    isSet: hasBrand(getter(Set.prototype, "size")),
    isMapIterator: iterator("Map"),
    isSetIterator: iterator("Set"),
    isWeakMap: hasBrand(function () {
      WeakMap.prototype.has.call(this, {});
    }),
    isWeakSet: hasBrand(function () {
      WeakSet.prototype.has.call(this, {});
    }),
    isArrayBuffer: hasBrand(getter(ArrayBuffer.prototype, "byteLength")),
    isDataView: hasBrand(getter(DataView.prototype, "buffer")),
    isSharedArrayBuffer: (value) => isObject(value) && tag(value) === "SharedArrayBuffer",
    isProxy: (value) => isObject(value) && behind.has(value),
    isModuleNamespaceObject: (value) => isObject(value) && tag(value) === "Module",
    isCryptoKey: () => false,
    isKeyObject: () => false,
    isEventTarget: () => false,
  };
  is.isRegExp = (value) => isObject(value) && tag(value) === "RegExp";
  is.isAnyArrayBuffer = (value) => is.isArrayBuffer(value) || is.isSharedArrayBuffer(value);
  is.isBoxedPrimitive = (value) =>
    is.isNumberObject(value) ||
    is.isStringObject(value) ||
    is.isBooleanObject(value) ||
    is.isBigIntObject(value) ||
    is.isSymbolObject(value);

  const PENDING = 0;
  const isIndex = (key) => typeof key === "string" && /^(0|[1-9]\d*)$/.test(key);
  const util = {
    constants: {
      kPending: PENDING,
      kFulfilled: 1,
      kRejected: 2,
      kExiting: 0,
      kExitCode: 1,
      kHasExitCode: 2,
      ALL_PROPERTIES: 0,
      ONLY_WRITABLE: 1,
      ONLY_ENUMERABLE: 2,
      ONLY_CONFIGURABLE: 4,
      SKIP_STRINGS: 8,
      SKIP_SYMBOLS: 16,
      kDisallowCloneAndTransfer: 0,
      kTransferable: 1,
      kCloneable: 2,
    },
    privateSymbols: symbols,
    shouldAbortOnUncaughtToggle: new Uint32Array(1),
    isInsideNodeModules: () => false,
    defineLazyProperties(target, id, keys, enumerable = true) {
      for (const key of keys) {
        const set = (value) =>
          Object.defineProperty(target, key, {
            value,
            writable: true,
            enumerable,
            configurable: true,
          });
        Object.defineProperty(target, key, {
          get: () => {
            const value = load(id)[key];
            set(value);
            return value;
          },
          set,
          enumerable,
          configurable: true,
        });
      }
    },
    getPromiseDetails(promise) {
      const state = host("promise", promise);
      return state === PENDING ? [state, undefined] : [state, host("result", promise)];
    },
    getProxyDetails: (value, isFull = true) =>
      isFull ? behind.get(value) : behind.get(value)?.[0],
    getCallerLocation: () => undefined,
    getCallSites: () => [],
    getConstructorName(value) {
      for (let object = value; object; object = Object.getPrototypeOf(object)) {
        const found = Object.getOwnPropertyDescriptor(object, "constructor");
        if (typeof found?.value === "function" && found.value.name) return found.value.name;
      }
      return "Object";
    },
    getOwnNonIndexProperties: (object, filter) =>
      Reflect.ownKeys(object).filter(
        (key) =>
          !isIndex(key) &&
          !(filter & util.constants.SKIP_SYMBOLS && typeof key === "symbol") &&
          (!(filter & util.constants.ONLY_ENUMERABLE) ||
            Object.prototype.propertyIsEnumerable.call(object, key)),
      ),
    previewEntries(value, isIterator) {
      if (!is.isMapIterator(value) && !is.isSetIterator(value))
        return machine.refuse("The model cannot look into a WeakMap or WeakSet");
      // What is looked at is taken, so the iterator gives that from here on.
      const values = [...value];
      const left = values.values();
      define(value, "next", () => left.next());
      const isKeyValue = pairing.has(value) || (is.isMapIterator(value) && !single.has(value));
      const entries = isKeyValue ? values.flat() : values;
      return isIterator ? [entries, isKeyValue] : entries;
    },
    sleep: (ms) => machine.pass(ms),
    guessHandleType: () => "PIPE",
    toUSVString: (text) => String(text).toWellFormed(),
    isConstructor(value) {
      try {
        Reflect.construct(Object, [], value);
        return true;
      } catch {
        return false;
      }
    },
    parseEnv: () => ({}),
    arrayBufferViewHasBuffer: () => true,
    WeakReference: class {
      constructor(value) {
        this.value = value;
      }
      get() {
        return this.value;
      }
      incRef() {}
      decRef() {}
    },
  };

  const exitCodes = {
    kNoFailure: 0,
    kGenericUserError: 1,
    kInternalJSParseError: 3,
    kInternalJSEvaluationFailure: 4,
    kV8FatalError: 5,
    kInvalidFatalExceptionMonkeyPatching: 6,
    kExceptionInFatalExceptionHandler: 7,
    kUnsettledTopLevelAwait: 13,
  };
  const settledPromise = Promise.resolve();
  const nativeThen = Promise.prototype.then;
  // What a job of V8's that is no promise's does with an error: it goes to the process at once.
  const enqueueMicrotask = (callback) => {
    const job = () => {
      try {
        callback();
      } catch (error) {
        machine.uncaught(error, false);
      }
    };
    nativeThen.call(settledPromise, job);
  };

  // What the other parts fill in: the loop, the hooks of promises, and the driver of the program.
  const machine = {
    changed: { __proto__: null }, // by modules' names: what the model changes in one once it is loaded
    host,
    nativeThen,
    isWatched: false, // true in a run of which somebody wants to know more than what it prints
    settings,
    exitCodes,
    enqueueMicrotask,
    uncaught: null,
    rejected: null,
    tickCallback: null,
    tickInfo: new Uint8Array(2),
    hasDispose,
    immediateInfo: new Uint32Array(3),
    timeoutInfo: new Int32Array(1),
    exitInfo: new Int32Array(3),
    isStopped: false,
    /** Ends the run with a sentence. What a program does with the error that this throws changes nothing. */
    stop(sentence) {
      machine.isStopped = true;
      host("refuse", sentence);
    },
  };

  const describe = (value) => {
    if (typeof value === "string") return value;
    if (typeof value === "symbol") return value.toString();
    if (is.isNativeError(value)) return `${value.name}: ${value.message}`;
    if (typeof value === "function") return Function.prototype.toString.call(value);
    if (!isObject(value)) return String(value);
    const { toString: tagged } = Object.prototype;
    return is.isProxy(value) || value.toString === tagged
      ? `#<${util.getConstructorName(value)}>`
      : tagged.call(value);
  };

  const bindings = {
    __proto__: null,
    util,
    types: is,
    symbols,
    config: {
      hasInspector: false,
      hasIntl: false,
      hasTracing: false,
      hasOpenSSL: false,
      noBrowserGlobals: false,
      bits: 64,
    },
    constants: {
      os: {},
      trace: {},
      fs: {},
      zlib: {},
      crypto: {},
      internal: {},
    },
    errors: {
      exitCodes,
      noSideEffectsToString: describe,
      triggerUncaughtException: (error, fromPromise) => machine.uncaught(error, fromPromise),
      setPrepareStackTraceCallback: noop,
      setGetSourceMapErrorSource: noop,
      setSourceMapsEnabled: noop,
      setMaybeCacheGeneratedSourceMap: noop,
      setEnhanceStackForFatalException: noop,
    },
    options: {
      getCLIOptionsValues: () => options,
      getCLIOptionsInfo: () => ({ options: new Map(), aliases: new Map() }),
      getEmbedderOptions: () => ({}),
      getOptionsAsFlags: () => [],
    },
    task_queue: {
      tickInfo: machine.tickInfo,
      runMicrotasks: () => machine.runJobs(),
      setTickCallback: (callback) => {
        machine.tickCallback = callback;
      },
      enqueueMicrotask,
      promiseRejectEvents: {
        kPromiseRejectWithNoHandler: 0,
        kPromiseHandlerAddedAfterReject: 1,
        kPromiseResolveAfterResolved: 2,
        kPromiseRejectAfterResolved: 3,
      },
      setPromiseRejectCallback: (callback) => {
        machine.rejected = callback;
      },
    },
    timers: {
      immediateInfo: machine.immediateInfo,
      timerInfo: machine.timeoutInfo,
      timeoutInfo: machine.timeoutInfo,
      setupTimers: (processImmediate, processTimers) => {
        machine.processImmediate = processImmediate;
        machine.processTimers = processTimers;
      },
      scheduleTimer: (duration) => machine.scheduleTimer(duration),
      toggleTimerRef: (ref) => machine.toggleTimerRef(ref),
      toggleImmediateRef: (ref) => machine.toggleImmediateRef(ref),
      getLibuvNow: () => machine.readClock("read"),
    },
    async_wrap: {
      setupHooks: noop,
      setCallbackTrampoline: noop,
      registerDestroyHook: noop,
      setPromiseHooks: (...functions) => machine.setPromiseHooks(...functions),
      getPromiseHooks: () => [undefined, undefined, undefined, undefined],
      queueDestroyAsyncId: (id) => machine.destroyed.push(id),
      async_hook_fields: new Uint32Array(9),
      async_id_fields: new Float64Array([1, 0, 1, -1]),
      async_ids_stack: new Float64Array(4096),
      execution_async_resources: [],
      pushAsyncContext: noop,
      popAsyncContext: () => true,
      clearAsyncIdStack() {
        const { async_hook_fields: fields, async_id_fields: ids, constants } = bindings.async_wrap;
        fields[constants.kStackLength] = 0;
        ids[constants.kExecutionAsyncId] = 0;
        ids[constants.kTriggerAsyncId] = 0;
        bindings.async_wrap.execution_async_resources.length = 0;
      },
      executionAsyncResource: () => undefined,
      constants: {
        kInit: 0,
        kBefore: 1,
        kAfter: 2,
        kDestroy: 3,
        kPromiseResolve: 4,
        kTotals: 5,
        kCheck: 6,
        kStackLength: 7,
        kUsesExecutionAsyncResource: 8,
        kExecutionAsyncId: 0,
        kTriggerAsyncId: 1,
        kAsyncIdCounter: 2,
        kDefaultTriggerAsyncId: 3,
      },
      Providers: {},
    },
    async_context_frame: {
      getContinuationPreservedEmbedderData: () => machine.frame,
      setContinuationPreservedEmbedderData: (frame) => {
        machine.frame = frame;
      },
    },
    trace_events: {
      isTraceCategoryEnabled: () => false,
      trace: noop,
      getCategoryEnabledBuffer: () => new Uint8Array(1),
      setTraceCategoryStateUpdateHandler: noop,
      available: false,
    },
    performance: {
      constants: new Proxy({}, { get: () => 0 }),
      milestones: [0],
      now: () => machine.preciseNow(),
      observerCounts: [],
    },
    process_methods: new Proxy(
      {
        reallyExit: (code) => machine.exit(code),
        hrtime: noop,
        hrtimeBigInt: noop,
        setEmitWarningSync: noop,
        uptime: () => machine.preciseNow() / 1000,
        patchProcessObject: noop,
      },
      { get: (known, name) => known[name] ?? noop },
    ),
    os: {
      getAvailableParallelism: () => 4,
      getCPUs: () => Array.from({ length: 4 }, () => ["model", 2400, 0, 0, 0, 0, 0]).flat(),
      getFreeMem: () => 2 ** 32,
      getTotalMem: () => 2 ** 33,
      getHomeDirectory: () => "/home/you",
      getHostname: () => "model",
      getInterfaceAddresses: () => [],
      getLoadAvg: (values) => values.fill(0),
      getPriority: () => 0,
      setPriority: () => 0,
      getOSInformation: () => ["Linux", "#1", "6.0.0", "x86_64"],
      getUptime: () => 1000,
      getUserInfo: () => ({
        uid: 1000,
        gid: 1000,
        username: "you",
        homedir: "/home/you",
        shell: null,
      }),
      isBigEndian: false,
    },
    messaging: new Proxy(
      {
        structuredClone: (value) => machine.clone(value),
        setDeserializerCreateFunction: noop,
        get DOMException() {
          return lent.DOMException;
        },
      },
      { get: (known, name) => (name in known ? known[name] : inert) },
    ),
    builtins: { natives: {}, builtinIds: [], hasCachedBuiltins: () => false, config: "{}" },
    module_wrap: new Proxy({}, { get: () => 0 }),
    string_decoder: {},
  };

  function internalBinding(name) {
    bindings[name] ??= inert;
    return bindings[name];
  }

  // Before Node's modules take theirs: a `then` that tells of its reactions where somebody is told.
  const { apply } = Reflect;
  define(Promise.prototype, "then", function then(onFulfilled, onRejected) {
    return machine.isWatched
      ? machine.reactTo(this, onFulfilled, onRejected)
      : apply(nativeThen, this, [onFulfilled, onRejected]);
  });

  // --- modules -----------------------------------------------------------------------------
  const primordials = {};
  const compile = (id, ...names) => host("compile", id, names.join(", "));
  compile(
    "internal/per_context/primordials",
    "exports",
    "primordials",
    "privateSymbols",
    "perIsolateSymbols",
  )({}, primordials, symbols, symbols);
  const lent = { __proto__: null };
  compile(
    "internal/per_context/domexception",
    "exports",
    "primordials",
    "privateSymbols",
    "perIsolateSymbols",
  )(lent, primordials, symbols, symbols);
  Object.defineProperty(lent.DOMException.prototype, symbols.transfer_mode_private_symbol, {
    set: noop,
  });

  const modules = new Map();
  const process = settings.process;
  // Modules that would lead to files, threads or bytes: what the others ask of them, and no more.
  const substitutes = {
    __proto__: null,
    // Until a program needs its own; what others have taken from it by then goes on to that.
    "internal/url": () => ({
      isURL: (value) => machine.urls?.isURL(value) ?? false,
      URL: class URL {},
      URLSearchParams: class URLSearchParams {},
      pathToFileURL: (path) => machine.urls?.pathToFileURL(path) ?? { href: `file://${path}` },
      fileURLToPath: (url) =>
        machine.urls?.fileURLToPath(url) ?? String(url).replace(/^file:\/\//, ""),
      toPathIfFileURL: (path) => machine.urls?.toPathIfFileURL(path) ?? path,
    }),
    "internal/worker/js_transferable": () => ({
      markTransferMode: noop,
      setup: noop,
      structuredClone: (value) => machine.clone(value),
      kClone: Symbol("kClone"),
      kDeserialize: Symbol("kDeserialize"),
      kTransfer: Symbol("kTransfer"),
      kTransferList: Symbol("kTransferList"),
    }),
    "internal/v8/startup_snapshot": () => ({
      namespace: {
        isBuildingSnapshot: () => false,
        addAfterUserSerializeDeserializeSnapshot: noop,
      },
      isBuildingSnapshot: () => false,
      addAfterUserSerializeDeserializeSnapshot: noop,
      addSerializeCallback: noop,
      addDeserializeCallback: noop,
    }),
    "internal/bootstrap/realm": () => ({
      BuiltinModule: { exists: (id) => id.startsWith("internal/") },
    }),
    // Until a program needs its own.
    diagnostics_channel: () => {
      const channel = () => ({ hasSubscribers: false, publish: noop });
      return { channel, tracingChannel: channel, hasSubscribers: () => false };
    },
    "internal/vm": () => ({}),
    "internal/source_map/source_map_cache": () => ({
      getSourceMapsSupport: () => ({ enabled: false }),
      findSourceMap: noop,
    }),
    "internal/modules/helpers": () => ({ getRequireStack: () => [] }),
    // An assertion that fails without a message names its own text.
    "internal/errors/error_source": () => ({
      getErrorSourceExpression({ stack }) {
        const [, file, line, column] =
          /^ +at .*?((?:file:\/)?\/.*):(\d+):(\d+)\)?$/m.exec(stack) ?? [];
        return file ? host("called", JSON.stringify({ file, line, column })) : undefined;
      },
    }),
    "internal/modules/run_main": () => ({}),
    "internal/modules/typescript": () => ({}),
    "internal/fs/recursive_watch": () => ({}),
    // The lines of a file have no history.
    "internal/repl/history": () => ({
      ReplHistory: class {
        initialize() {}
      },
    }),
    // There is one realm; Node asks another one for regular expressions that leave no traces.
    vm: () => ({ isContext: () => false, runInNewContext: () => globalThis }),
    worker_threads: () => ({ isMainThread: true }),
    "internal/worker": () => ({ isMainThread: true }),
    dns: () => machine.own.dns,
    cluster: () => ({ isPrimary: true, isWorker: false }),
    "internal/perf/observe": () => ({ hasObserver: () => false, startPerf: noop, stopPerf: noop }),
    process: () => process,
    perf_hooks: () => machine.hooksOfPerformance(),
    inspector: () => ({}),
  };

  // Of what Node has from ICU the model has the encodings.
  const withIcu = { config: { ...bindings.config, hasIntl: true } };
  const WITH_ICU = ["internal/encoding"];
  const OTHER_PRIMORDIALS = {
    // The ids of promises are no properties of theirs here, and Node asks for them as such.
    "internal/async_hooks": {
      ObjectPrototypeHasOwnProperty: (object, key) => object[key] !== undefined,
    },
    // The list of errors refuses those that it has not.
    "internal/errors": {
      MapPrototypeGet: (map, key) =>
        (Object.hasOwn(map, "get") ? map.get : primordials.MapPrototypeGet.bind(null, map))(key),
    },
  };
  const primordialsOf = (id) =>
    id in OTHER_PRIMORDIALS ? { __proto__: primordials, ...OTHER_PRIMORDIALS[id] } : primordials;
  const bindingsOf = (id) =>
    WITH_ICU.includes(id) ? (name) => withIcu[name] ?? internalBinding(name) : internalBinding;

  // What these modules require as they load, and use rarely or never, is loaded once it is used.
  const isBuffer = (value) => load("buffer").Buffer.isBuffer(value);
  const OTHER_REQUIRES = {
    "internal/console/constructor": { buffer: { Buffer: { isBuffer } } },
    "internal/process/execution": {
      path: new EngineProxy({}, { get: (_, name) => load("path")[name] }),
    },
  };
  const requireOf = (id) =>
    id in OTHER_REQUIRES ? (name) => OTHER_REQUIRES[id][name] ?? load(name) : load;

  function load(name) {
    const id = name.startsWith("node:") ? name.slice(5) : name;
    const there = modules.get(id);
    if (there) return there.exports;
    const module = { exports: {}, id };
    modules.set(id, module);
    if (substitutes[id]) module.exports = substitutes[id]();
    else
      compile(
        id,
        "exports",
        "require",
        "module",
        "process",
        "internalBinding",
        "primordials",
      )(module.exports, requireOf(id), module, process, bindingsOf(id), primordialsOf(id));
    machine.changed[id]?.(module.exports);
    return module.exports;
  }

  /** A module of Node's in the place of what stands for it. */
  const loadOwn = (id) => {
    delete substitutes[id];
    modules.delete(id);
    return load(id);
  };

  bindings.messaging.messaging_private = lent;
  Object.assign(machine, {
    loadOwn,
    EngineProxy,
    load,
    primordials,
    bindings,
    lent,
    is,
    isObject,
    describe,
    version,
    versions,
  });
  return machine;
};
