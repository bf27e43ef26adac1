export function client(port) {
  const queue = [];
  let current = null; // the query that the thread has
  let gone = null;

  const next = () => {
    if (current || queue.length === 0) return;
    current = queue.shift();
    port.postMessage({ sql: current.sql, params: current.params });
  };
  port.on("message", ({ rows, error }) => {
    const pending = current;
    current = null;
    if (error === undefined) pending?.resolve(rows);
    else pending?.reject(new Error(error));
    next();
  });
  port.on("close", () => {
    gone = new Error("the database thread is gone");
    for (const pending of queue.splice(0)) pending.reject(gone);
    current?.reject(gone);
  });

  return (sql, params, { signal } = {}) =>
    new Promise((resolve, reject) => {
      if (gone) return reject(gone);
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        if (queue.includes(pending)) queue.splice(queue.indexOf(pending), 1);
        pending.reject(signal.reason);
      };
      const settled = (settle) => (value) => {
        signal?.removeEventListener("abort", abort);
        settle(value);
      };
      const pending = { sql, params, resolve: settled(resolve), reject: settled(reject) };
      signal?.addEventListener("abort", abort);
      queue.push(pending);
      next();
    });
}
