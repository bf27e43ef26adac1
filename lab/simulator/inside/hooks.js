// Evaluated inside the engine after realm.js: what V8 tells Node of promises, and what a trace is made of.
//
// The engine tells of a promise that is made or fulfilled, and not of the callback that runs for it. So
// `then` tells of its reactions, and a program's `await` goes through `__awaited`, which tells of it:
// a reaction before the engine's own, of which the next job is the rest of the function.
(machine) => {
  const { host, nativeThen } = machine;
  const { apply } = Reflect;
  const { resolve } = Promise;
  const NativePromise = Promise;
  const EVENTS = ["init", "before", "after", "settled"]; // by the engine's number of the event
  const hooks = { isMuted: false };
  let current = null; // the promise whose callback is the job that runs
  let isNext = false; // the job that has just run was the mark before that callback

  // --- what Node sets -----------------------------------------------------------------------
  machine.setPromiseHooks = (...functions) => {
    for (const [at, name] of EVENTS.entries()) hooks[name] = functions[at];
    host("hook", functions.some((hook) => typeof hook === "function") ? 1 : 0);
  };
  const tell = (name, ...values) => {
    if (hooks.isMuted || machine.isStopped) return;
    hooks.isMuted = true; // Node's own functions make promises of their own only to look at them
    try {
      hooks[name]?.(...values);
    } catch (error) {
      if (!machine.isStop(error)) machine.failed = error;
    } finally {
      hooks.isMuted = false;
    }
  };
  const PENDING = 0;
  const tellInit = (promise, parent) => {
    machine.isSettled = parent !== undefined && host("promise", parent) > PENDING;
    tell("init", promise, parent);
    machine.isSettled = false;
  };
  /** The engine's own word: a promise is made, a thenable's `then` is called, a promise is fulfilled. */
  machine.promiseEvent = (number, promise, parent) => {
    if (number === 1) enter(promise);
    else if (number === 0) tellInit(promise, parent);
    else if (number === 3) tell("settled", promise);
  };

  // --- the callbacks of promises --------------------------------------------------------------
  const enter = (promise) => {
    leave();
    current = promise;
    tell("before", promise);
  };
  /** A callback of a promise of which the engine tells nothing: at the end of an iteration, say. */
  machine.enterUnknown = () => {
    const promise = {};
    tell("init", promise);
    enter(promise);
  };
  const leave = () => {
    const promise = current;
    current = null;
    if (promise) tell("after", promise);
  };
  machine.frame = undefined; // what AsyncLocalStorage keeps, since Node 24
  const reactionTo = (promise) => ({ promise, frame: machine.frame });
  const begin = (reaction) => {
    machine.frame = reaction.frame;
    enter(reaction.promise);
  };
  /** The host calls this after each job while somebody is told. */
  machine.afterJob = () => {
    if (isNext) {
      isNext = false;
      return;
    }
    leave();
    machine.frame = undefined;
  };
  const around = (handler, reaction, isRejection) =>
    typeof handler === "function"
      ? (value) => {
          begin(reaction);
          return handler(value);
        }
      : (value) => {
          begin(reaction);
          if (isRejection) throw value;
          return value;
        };
  machine.reactTo = (promise, onFulfilled, onRejected) => {
    const reaction = reactionTo(null);
    reaction.promise = apply(nativeThen, promise, [
      around(onFulfilled, reaction, false),
      around(onRejected, reaction, true),
    ]);
    return reaction.promise;
  };

  /** What `await` waits for, told of before and after; the same promise that the engine would await. */
  machine.awaited = (value, place) => {
    let promise;
    try {
      promise = apply(resolve, NativePromise, [value]);
    } catch {
      return value; // the engine comes to the same error
    }
    const reaction = reactionTo({});
    machine.place = place;
    tellInit(reaction.promise, promise);
    machine.place = null;
    const isQuiet = hooks.isMuted;
    hooks.isMuted = true;
    const mark = () => {
      isNext = true;
      begin(reaction);
    };
    apply(nativeThen, promise, [mark, mark]);
    hooks.isMuted = isQuiet;
    return promise;
  };
  Object.defineProperty(globalThis, "__awaited", {
    value: function awaited(value, line, column) {
      return machine.isWatched ? machine.awaited(value, [line, column]) : value;
    },
  });
};
