const queue = [];

function drain() {
  while (queue.length > 0) {
    const { fn, given } = queue.shift();
    try {
      fn(...given);
    } catch (error) {
      console.error(error);
    }
  }
}

export function afterIO(fn, ...given) {
  const job = { fn, given };
  if (queue.push(job) === 1) setImmediate(drain);
  return () => {
    const at = queue.indexOf(job);
    if (at >= 0) queue.splice(at, 1);
  };
}
