export function latest(emitter, name, most) {
  const waiting = [];
  let wake = null;
  let failed = null;

  async function* events() {
    const onEvent = (value) => {
      waiting.push(value);
      if (waiting.length > most) {
        waiting.shift();
        iterator.dropped++;
      }
      wake?.();
    };
    const onError = (error) => {
      failed = { error };
      emitter.off(name, onEvent);
      wake?.();
    };
    emitter.on(name, onEvent);
    emitter.on("error", onError);
    try {
      for (;;) {
        if (waiting.length > 0) yield waiting.shift();
        else if (failed) throw failed.error;
        else
          await new Promise((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      emitter.off(name, onEvent);
      emitter.off("error", onError);
    }
  }
  const iterator = Object.assign(events(), { dropped: 0 });
  return iterator;
}
