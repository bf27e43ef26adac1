// Evaluated inside the engine after process.js: where QuickJS-ng takes other microtasks than V8 does.
//
// It awaits the value with which a `yield*` is left, it takes no promise for a value of a synchronous
// iterable in `Array.fromAsync` and leaves an iterator that failed, and its `import()` awaits less than Node's loader. complete.js writes the calls of `__delegating`, `__named` and `__imported` into a program.
(machine) => {
  const { host, nativeThen, describe, isObject, settings } = machine;
  const { apply } = Reflect;
  const NativePromise = Promise;
  const { resolve } = Promise;
  const major = Number.parseInt(settings.version.replace(/^v/, ""), 10);
  const isCallable = (value) => typeof value === "function";
  const ignore = () => {};
  const promiseOf = (value) => apply(resolve, NativePromise, [value]);
  const announce = (value) => (machine.isWatched ? machine.awaited(value, null) : value);
  const define = (object, name, value) =>
    Object.defineProperty(object, name, { value, writable: true, configurable: true });
  const noObject = (result) =>
    new TypeError(`Iterator result ${describe(result)} is not an object`);
  const noThrow = () => new TypeError("The iterator does not provide a 'throw' method.");

  // --- what the engine has, and V8 has from a Node on ---------------------------------------------
  const IMMUTABLE =
    "ArrayBuffer.prototype.immutable ArrayBuffer.prototype.sliceToImmutable ArrayBuffer.prototype.transferToImmutable";
  const PLACES =
    "Function.prototype.fileName Function.prototype.lineNumber Function.prototype.columnNumber";
  const NEWER = [
    [24, "Float16Array Math.f16round DataView.prototype.getFloat16 DataView.prototype.setFloat16"],
    [24, "Promise.try RegExp.escape Error.isError Atomics.pause"],
    [26, "Map.prototype.getOrInsert Map.prototype.getOrInsertComputed Iterator.concat"],
    [26, "WeakMap.prototype.getOrInsert WeakMap.prototype.getOrInsertComputed"],
    [Number.POSITIVE_INFINITY, `Math.sumPrecise Iterator.zip Iterator.zipKeyed`],
    [Number.POSITIVE_INFINITY, `${IMMUTABLE} ${PLACES}`],
  ];
  for (const [since, paths] of NEWER)
    if (major < since)
      for (const path of paths.split(" ")) {
        const names = path.split(".");
        const name = names.pop();
        delete names.reduce((owner, part) => owner[part], globalThis)[name];
      }

  // The engine's helpers of iterators call a `return()` that the iterator behind them need not have.
  const helper = Object.getPrototypeOf([].values().map((value) => value));
  const { return: end } = helper;
  const ofHelpers = {
    return() {
      try {
        return apply(end, this, []);
      } catch (error) {
        if (error.message !== "not a function") throw error;
        return { value: undefined, done: true };
      }
    },
  };
  define(helper, "return", ofHelpers.return);

  // --- mathematics ---------------------------------------------------------------------------------
  // The engine's differs from V8's in the last digit, so the host's is asked, but for what is exact.
  for (const name of "pow exp expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh hypot cbrt".split(
    " ",
  )) {
    const ownFunction = Math[name];
    const { length } = ownFunction;
    const value = {
      [name](...values) {
        const numbers = values.map((each) => +each);
        const result = apply(ownFunction, Math, numbers);
        if (!Number.isFinite(result)) return result;
        if (Number.isSafeInteger(result) && numbers.every(Number.isInteger)) return result;
        return +machine.host("math", [name, ...numbers].join());
      },
    }[name];
    define(Math, name, Object.defineProperty(value, "length", { value: length }));
  }
  const { toString: textOf } = Number.prototype;
  const texts = {
    toString(radix) {
      const text = apply(textOf, this, [radix]);
      const isExact = radix === undefined || +radix === 10 || Number.isSafeInteger(+this);
      return isExact ? text : machine.host("math", ["toString", +this, +radix].join());
    },
  };
  define(
    Number.prototype,
    "toString",
    Object.defineProperty(texts.toString, "length", { value: 1 }),
  );
  const { pow } = Math;
  define(globalThis, "__power", (base, exponent) =>
    typeof base === "number" && typeof exponent === "number"
      ? pow(base, exponent)
      : base ** exponent,
  );

  // --- an iterator of promises over a synchronous one ------------------------------------------
  const closesOnFailure = major >= 24; // so does V8 since 13
  machine.fromSync = (iterator) => {
    const { next } = iterator;
    const close = () => {
      const method = iterator.return;
      if (isCallable(method)) apply(method, iterator, []);
    };
    const attempt = (body, closes) => {
      try {
        return body();
      } catch (error) {
        if (closes) close();
        return NativePromise.reject(error);
      }
    };
    const unwrap = (result, closes) => {
      if (!isObject(result)) throw noObject(result);
      const isDone = Boolean(result.done);
      const promise = promiseOf(result.value);
      const fail = (error) => {
        if (closes && !isDone) close();
        throw error;
      };
      return apply(nativeThen, promise, [(value) => ({ value, done: isDone }), fail]);
    };
    return {
      next: (...values) =>
        attempt(() => unwrap(apply(next, iterator, values), closesOnFailure), closesOnFailure),
      return: (...values) =>
        attempt(() => {
          const method = iterator.return;
          if (method === undefined || method === null)
            return NativePromise.resolve({ value: values[0], done: true });
          return unwrap(apply(method, iterator, values), false);
        }, false),
      throw: (...values) =>
        attempt(() => {
          const method = iterator.throw;
          if (method !== undefined && method !== null)
            return unwrap(apply(method, iterator, values), closesOnFailure);
          if (!closesOnFailure) throw values[0];
          close();
          throw noThrow();
        }, false),
    };
  };
  /** The iterator of a value as `for await` takes it; undefined if it has none. */
  const iteratorOf = (iterable) => {
    const asynchronous = iterable[Symbol.asyncIterator];
    if (asynchronous !== undefined && asynchronous !== null) {
      const iterator = apply(asynchronous, iterable, []);
      return isObject(iterator) ? iterator : undefined;
    }
    const synchronous = iterable[Symbol.iterator];
    if (!isCallable(synchronous)) return undefined;
    const iterator = apply(synchronous, iterable, []);
    return isObject(iterator) ? machine.fromSync(iterator) : undefined;
  };

  // --- yield* in an asynchronous generator -------------------------------------------------------
  // Where such a generator is ended in the middle of a `yield*`, the engine awaits what `return()` was
  // given, the result of the inner `return()` and then its value; V8 leaves the last out. So the inner
  // iterator is one of ours, of which the engine gets no result to await, or has no value to await but
  // the result. The generator then ends with the wrong value, which is mended before anybody sees it.
  const PENDING = 0;
  const SUCCESS = 1;
  const generators = Object.getPrototypeOf(async function* () {}.prototype);
  const { next: nativeNext, return: nativeReturn } = generators;
  const delegations = new WeakMap(); // by the generator, once it has begun
  let beginning = null; // the generator whose `next` runs
  const stateOf = (result) => (result instanceof NativePromise ? host("promise", result) : SUCCESS);
  const resultOf = (result) => (result instanceof NativePromise ? host("result", result) : result);
  const isDone = (result) => isObject(result) && Boolean(result.done);
  /** What the engine takes as the inner iterator's `return`. */
  const closeOf = (state, iterator) => {
    const method = iterator.return;
    if (!isCallable(method)) return method;
    const result = apply(method, iterator, state.given);
    const answer = stateOf(result) === SUCCESS ? resultOf(result) : null;
    if (isDone(answer)) {
      state.mend = { from: state.given[0], to: answer.value };
      return undefined; // the engine awaits what it was given once more, and not the result
    }
    if (stateOf(result) === SUCCESS && !isObject(answer))
      return () => NativePromise.reject(noObject(answer));
    if (stateOf(result) !== PENDING) return () => result;
    const keep = (last) => {
      if (!isDone(last)) machine.refuse("The model has no yield* that goes on after return()");
      state.mend = { from: last, to: last.value };
    };
    apply(nativeThen, result, [keep, ignore]);
    const value = () => announce(result);
    return () => Object.defineProperty({ done: true }, "value", { get: value });
  };
  const throwOf = (iterator) => {
    const method = iterator.throw;
    if (method !== undefined && method !== null) return method;
    const close = iterator.return;
    if (close === undefined || close === null) throw noThrow();
    const result = apply(close, iterator, []);
    const state = stateOf(result);
    if (state !== PENDING && state !== SUCCESS) return () => result;
    const fail = () => {
      throw isObject(resultOf(result)) ? noThrow() : noObject(resultOf(result));
    };
    return state === PENDING
      ? () => apply(nativeThen, result, [fail])
      : () => NativePromise.reject(attemptError(fail));
  };
  const attemptError = (body) => {
    try {
      return body();
    } catch (error) {
      return error;
    }
  };
  const delegate = (state, iterable) => {
    const isIterable =
      iterable !== undefined &&
      iterable !== null &&
      (isCallable(iterable[Symbol.asyncIterator]) || isCallable(iterable[Symbol.iterator]));
    if (!isIterable) return iterable; // the engine has the words for it
    return {
      [Symbol.asyncIterator]() {
        const iterator = iteratorOf(iterable);
        if (iterator === undefined) return iterator;
        const { next } = iterator;
        return {
          next: (...values) => announce(apply(next, iterator, values)),
          get return() {
            return closeOf(state, iterator);
          },
          get throw() {
            const method = throwOf(iterator);
            return isCallable(method)
              ? (...values) => announce(apply(method, iterator, values))
              : method;
          },
        };
      },
    };
  };
  define(globalThis, "__delegating", () => {
    const state = { given: [], mend: null };
    if (beginning) delegations.set(beginning, state);
    return (iterable) => delegate(state, iterable);
  });
  const methods = {
    next(...values) {
      const before = beginning;
      beginning = this;
      try {
        return apply(nativeNext, this, values);
      } finally {
        beginning = before;
      }
    },
    return(...values) {
      const state = isObject(this) ? delegations.get(this) : undefined;
      if (!state) return apply(nativeReturn, this, [announce(values[0])]);
      const argument = isObject(values[0]) ? promiseOf(values[0]) : values[0];
      const keep = (value) => {
        state.given = values.length ? [value] : [];
      };
      if (argument instanceof NativePromise) apply(nativeThen, argument, [keep, ignore]);
      else keep(argument);
      const request = apply(nativeReturn, this, [announce(argument)]);
      const mend = (last) => {
        if (state.mend && last.done && last.value === state.mend.from) last.value = state.mend.to;
        state.mend = null;
      };
      apply(nativeThen, request, [mend, ignore]);
      return request;
    },
  };
  for (const [name, method] of Object.entries(methods)) define(generators, name, method);

  // --- Array.fromAsync ---------------------------------------------------------------------------
  const constructs = (value) => machine.bindings.util.isConstructor(value);
  const pause = major >= 24 ? announce : (value) => value; // a store is lost in V8's own function before
  const collect = async (maker, items, mapper, self) => {
    if (mapper !== undefined && !isCallable(mapper))
      throw new TypeError(`${describe(mapper)} is not a function`);
    if (items === undefined || items === null)
      throw new TypeError(
        `Cannot read properties of ${items} (reading 'Symbol(Symbol.asyncIterator)')`,
      );
    const set = (list, at, value) =>
      Object.defineProperty(list, at, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    const iterator = iteratorOf(items);
    if (!iterator) {
      const length = Math.min(Math.max(Math.trunc(Number(items.length)) || 0, 0), 2 ** 53 - 1);
      const list = constructs(maker) ? new maker(length) : new Array(length);
      for (let at = 0; at < length; at++) {
        let value = await pause(items[at]);
        if (mapper) value = await pause(apply(mapper, self, [value, at]));
        set(list, at, value);
      }
      list.length = length;
      return list;
    }
    const list = constructs(maker) ? new maker() : [];
    const { next } = iterator;
    try {
      for (let at = 0; ; at++) {
        const result = await pause(apply(next, iterator, []));
        // V8 names itself here.
        if (!isObject(result)) throw noObject("Array.fromAsync");
        if (result.done) {
          list.length = at;
          return list;
        }
        let { value } = result;
        if (mapper) value = await pause(apply(mapper, self, [value, at]));
        set(list, at, value);
      }
    } catch (error) {
      try {
        const close = iterator.return;
        if (isCallable(close)) await pause(apply(close, iterator, []));
      } catch {
        // the first error is the one that counts
      }
      throw error;
    }
  };
  if (Array.fromAsync)
    define(Array, "fromAsync", function fromAsync(items, mapper = undefined, self = undefined) {
      return collect(this, items, mapper, self);
    });

  // --- import() ------------------------------------------------------------------------------------
  // As many microtasks as Node's own loader takes for one of its modules, by the first import or a later one.
  const FIRST_HOPS = major >= 24 ? 10 : 13;
  const LATER_HOPS = major >= 24 ? 7 : 8;
  const imports = new Map(); // by the module's name: a promise, once it is linked
  const idOf = (name) => name.replace(/^node:/, "");
  const { moduleText } = machine;
  machine.moduleText = (name, ...file) => {
    if (!imports.has(idOf(name))) imports.set(idOf(name), promiseOf(undefined));
    return moduleText(name, ...file);
  };
  machine.isImported = (name) => imports.has(name);
  machine.bodyHops = major >= 24 ? 3 : 6;
  const hops = async (count) => {
    for (let n = 0; n < count; n++) await undefined;
  };
  const linking = async (name) => {
    for (let n = 0; n < machine.bodyHops; n++) await undefined;
    const more = machine.hopsOfImports?.(name) ?? 0; // by then it is known what else is imported
    for (let n = machine.bodyHops; n < FIRST_HOPS - 3 + more; n++) await undefined;
  };
  define(globalThis, "__imported", (load, file, specifier, options = undefined) => {
    if (typeof specifier !== "string") return load(specifier);
    const name = machine.nameIn?.(specifier, file) ?? idOf(specifier);
    const isNew = !imports.has(name);
    if (isNew) imports.set(name, linking(name));
    const first = isNew ? hops : null;
    const promise = machine.importFile?.(name, first, load, specifier, options) ?? load(specifier);
    const linked = imports.get(name);
    const wait = async (before) => {
      for (let n = 0; n < before; n++) await undefined;
      await linked;
      return promise;
    };
    return wait(isNew ? 0 : LATER_HOPS - 3);
  });
  let messages = null; // the classes of messages.js
  const fromMessages = (object, name) =>
    Object.defineProperty(object, name, {
      get() {
        messages ??= machine.host("part", "messages")(machine);
        return messages[name];
      },
      set: (value) => Object.defineProperty(object, name, { value, writable: true }),
      configurable: true,
    });
  for (const name of ["MessageEvent", "MessagePort", "MessageChannel"])
    fromMessages(globalThis, name);
  fromMessages(machine.own, "worker_threads");
};
