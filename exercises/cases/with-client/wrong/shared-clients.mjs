export function createPool(connect, P) {
  const clients = [];
  let calls = 0;
  return async function withClient(fn) {
    const number = calls++ % P;
    clients[number] ??= connect();
    return fn(await clients[number]);
  };
}
