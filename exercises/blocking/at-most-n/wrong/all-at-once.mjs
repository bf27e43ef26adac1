export function limiter(n) {
  if (!(n >= 1)) throw new RangeError(`n is ${n}: at least one job must be at work`);
  return async function run(job) {
    return job();
  };
}
