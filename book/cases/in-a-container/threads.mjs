// threads.mjs N: the server under a quota of one CPU, with N threads in its pool.
import { print } from "../../streams/shared/asking.mjs";
import { measured } from "./_asking.mjs";

const threads = Number(process.argv[2]);
const { hashes, longestMs, pingMs, periods, throttled } = await measured({ cpus: 1, threads });
print({
  threads,
  "hashes (/s)": hashes,
  "periods throttled (%)": periods ? (100 * throttled) / periods : 0,
  "longest loop delay (ms)": longestMs,
  "ping, 95 % (ms)": pingMs,
});
