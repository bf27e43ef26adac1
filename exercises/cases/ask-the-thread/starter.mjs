export function client(port) {
  return (sql, params) =>
    new Promise((resolve) => {
      port.once("message", ({ rows }) => resolve(rows));
      port.postMessage({ sql, params });
    });
}
