export function limiter(n) {
  if (!(n >= 1)) throw new RangeError(`n is ${n}, but at least one job must be able to run`);
  return async function run(job) {
    return job();
  };
}
