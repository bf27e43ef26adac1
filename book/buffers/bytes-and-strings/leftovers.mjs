// Fills Buffers with a password and forgets them, then looks for it in new ones: allocUnsafe against alloc.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc");
const SIZE = 16 * 1024;
const TIMES = 2000;

const many = (way) => Array.from({ length: TIMES }, () => Buffer[way](SIZE));
const fillAndForget = () => {
  for (const buffer of many("allocUnsafe")) buffer.fill("password=swordfish;");
};

fillAndForget();
gc();
gc();
await new Promise((resolve) => setTimeout(resolve, 100)); // memory is given back in the background

for (const way of ["allocUnsafe", "alloc"]) {
  const found = many(way).filter((buffer) => buffer.includes("swordfish")).length;
  console.log(JSON.stringify({ way, made: TIMES, "with the password": found }));
}
