// Evaluated inside the engine for a program with `using`: what is taken, and given back in reverse order.
(machine) => {
  const { SymbolDispose, SymbolAsyncDispose } = machine.primordials;
  const { apply } = Reflect;
  const isCallable = (value) => typeof value === "function";
  class UsingScope {
    taken = [];
    failure = null;
    #take(value, methods, isAsync) {
      const isNothing = value === null || value === undefined;
      const name = isNothing ? null : methods.find((symbol) => isCallable(value[symbol]));
      if (!isNothing && !name) throw new TypeError("Symbol.dispose is not a function");
      const method = isNothing ? () => undefined : value[name];
      if (!isNothing || isAsync) this.taken.unshift({ value, method, isAsync });
      return value;
    }
    add(value) {
      return this.#take(value, [SymbolDispose], false);
    }
    addAsync(value) {
      return this.#take(value, [SymbolAsyncDispose, SymbolDispose], true);
    }
    fail(error) {
      this.failure = { error: this.failure ? suppressed(error, this.failure.error) : error };
    }
    /** What must be awaited, one after the other. */
    *ends() {
      while (this.taken.length) {
        const { value, method, isAsync } = this.taken.shift();
        try {
          const result = apply(method, value, []);
          if (isAsync) yield result;
        } catch (error) {
          this.fail(error);
        }
      }
    }
    end() {
      for (const _ of this.ends());
      if (this.failure) throw this.failure.error;
    }
  }
  class SuppressedError extends Error {
    constructor(error, before, message = undefined) {
      super(message);
      Object.defineProperties(this, {
        error: { value: error, writable: true, configurable: true },
        suppressed: { value: before, writable: true, configurable: true },
      });
    }
  }
  Object.defineProperties(SuppressedError.prototype, {
    name: { value: "SuppressedError", writable: true, configurable: true },
    message: { value: "", writable: true, configurable: true },
  });
  const suppressed = (error, before) =>
    new SuppressedError(error, before, "An error was suppressed during disposal");
  machine.using = { UsingScope, SuppressedError };
};
