export function waiting(cost, now) {
  const jobs = [];
  return {
    add(job) {
      jobs.push(job);
      return true;
    },
    next() {
      return jobs.shift() ?? null;
    },
  };
}
