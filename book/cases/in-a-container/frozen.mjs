// frozen.mjs QUOTA… : the same server and load under each quota. How often does the kernel stop it, and for how long does its loop wait?
import { print } from "../../streams/shared/asking.mjs";
import { measured } from "./_asking.mjs";

for (const cpus of process.argv.slice(2).map(Number)) {
  const { hashes, longestMs, pingMs, periods, throttled } = await measured({ cpus, threads: 4 });
  print({
    "quota (CPUs)": cpus,
    "hashes (/s)": hashes,
    "periods throttled (%)": periods ? (100 * throttled) / periods : 0,
    "longest loop delay (ms)": longestMs,
    "ping, 95 % (ms)": pingMs,
  });
}
