// The work of one thread: how many primes there are below a number.
export default function primes(below) {
  let count = 0;
  for (let n = 2; n < below; n += 1) {
    let divisor = 2;
    while (divisor * divisor <= n && n % divisor) divisor += 1;
    if (divisor * divisor > n) count += 1;
  }
  return count;
}
