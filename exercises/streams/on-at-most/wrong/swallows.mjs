export function latest(emitter, name, most) {
  const waiting = [];
  let ask = null; // {resolve, reject} of who waits for the next event
  let over = false;

  function end() {
    over = true;
    emitter.off(name, onEvent);
    emitter.off("error", onError);
  }
  function onEvent(value) {
    if (ask) {
      ask.resolve({ value, done: false });
      ask = null;
      return;
    }
    waiting.push(value);
    if (waiting.length > most) {
      waiting.shift();
      iterator.dropped++;
    }
  }
  function onError(error) {
    end();
    ask?.resolve({ value: error, done: true });
    ask = null;
  }

  const iterator = {
    dropped: 0,
    async next() {
      if (waiting.length > 0) return { value: waiting.shift(), done: false };
      if (over) return { value: undefined, done: true };
      return new Promise((resolve, reject) => {
        ask = { resolve, reject };
      });
    },
    async return() {
      end();
      waiting.length = 0;
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  emitter.on(name, onEvent); // now, not at the first next()
  emitter.on("error", onError);
  return iterator;
}
