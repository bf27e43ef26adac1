export function server(wait, compute) {
  const ready = []; // those whose data have come

  // One computation a turn: between two of them the loop polls, and new requests begin to wait.
  function next() {
    const { data, resolve, reject } = ready.shift();
    if (ready.length > 0) setTimeout(next, 8);
    try {
      resolve(compute(data));
    } catch (error) {
      reject(error);
    }
  }

  return async function handle(request) {
    const data = await wait(request);
    return new Promise((resolve, reject) => {
      ready.push({ data, resolve, reject });
      if (ready.length === 1) setTimeout(next, 8);
    });
  };
}
