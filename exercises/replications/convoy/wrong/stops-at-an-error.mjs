export function server(wait, compute) {
  const ready = []; // those whose data have come

  // One computation a turn: between two of them the loop polls, and new requests begin to wait.
  function next() {
    const { data, resolve, reject } = ready.shift();
    try {
      resolve(compute(data));
      if (ready.length > 0) setImmediate(next);
    } catch (error) {
      reject(error);
    }
  }

  return async function handle(request) {
    const data = await wait(request);
    return new Promise((resolve, reject) => {
      ready.push({ data, resolve, reject });
      if (ready.length === 1) setImmediate(next);
    });
  };
}
