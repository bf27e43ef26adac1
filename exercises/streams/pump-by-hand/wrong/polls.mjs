export function pump(from, to) {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const heard = [];
    const hear = (emitter, event, listener) => {
      emitter.on(event, listener);
      heard.push(() => emitter.off(event, listener));
    };
    const leave = () => {
      for (const forget of heard) forget();
    };
    const fail = (error) => {
      leave();
      from.destroy();
      to.destroy();
      reject(error);
    };

    hear(from, "data", (chunk) => {
      bytes += chunk.length;
      if (to.write(chunk)) return;
      from.pause();
      setTimeout(() => from.resume(), 1);
    });
    hear(from, "end", () => to.end());
    hear(to, "finish", () => {
      leave();
      resolve(bytes);
    });
    hear(from, "error", fail);
    hear(to, "error", fail);
  });
}
