export function client(port) {
  const queue = [];
  let current = null; // the question that the thread has
  let gone = null;

  const next = () => {
    if (current || queue.length === 0) return;
    current = queue.shift();
    port.postMessage({ sql: current.sql, params: current.params });
  };
  port.on("message", ({ rows, error }) => {
    const question = current;
    current = null;
    if (error === undefined) question?.resolve(rows);
    else question?.reject(new Error(error));
    next();
  });
  port.on("close", () => {
    gone = new Error("the database thread is gone");
    for (const question of queue.splice(0)) question.reject(gone);
    current?.reject(gone);
  });

  return (sql, params, { signal } = {}) =>
    new Promise((resolve, reject) => {
      if (gone) return reject(gone);
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        if (queue.includes(question)) queue.splice(queue.indexOf(question), 1);
        question.reject(signal.reason);
      };
      const settled = (settle) => (value) => {
        signal?.removeEventListener("abort", abort);
        settle(value);
      };
      const question = { sql, params, resolve: settled(resolve), reject: settled(reject) };
      signal?.addEventListener("abort", abort);
      queue.push(question);
      next();
    });
}
