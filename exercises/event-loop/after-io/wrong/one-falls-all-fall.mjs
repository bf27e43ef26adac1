let queue = [];

function drain() {
  const jobs = queue;
  queue = [];
  for (const { fn, given, cancelled } of jobs) if (!cancelled) fn(...given);
}

export function afterIO(fn, ...given) {
  const job = { fn, given, cancelled: false };
  if (queue.push(job) === 1) setImmediate(drain);
  return () => {
    job.cancelled = true;
  };
}
