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
    const fail = (stream) => (error) => {
      leave();
      stream.destroy();
      reject(error);
    };

    hear(from, "data", (chunk) => {
      bytes += chunk.length;
      if (!to.write(chunk)) from.pause();
    });
    hear(to, "drain", () => from.resume());
    hear(from, "end", () => to.end());
    hear(to, "finish", () => {
      leave();
      resolve(bytes);
    });
    hear(from, "error", fail(from));
    hear(to, "error", fail(to));
  });
}
