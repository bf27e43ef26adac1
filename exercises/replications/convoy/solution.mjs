export function server(wait, compute) {
  const ready = []; // the requests whose data have arrived

  // One computation per turn. Between two computations the loop polls, and new requests begin to wait.
  function next() {
    const { data, resolve, reject } = ready.shift();
    if (ready.length > 0) setImmediate(next);
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
      if (ready.length === 1) setImmediate(next);
    });
  };
}
