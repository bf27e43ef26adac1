// turns.mjs QUOTA: when did a loop turn that has only a timer of 1 ms, while the pool computes under a quota?
import { text } from "node:stream/consumers";
import { print } from "../../streams/shared/asking.mjs";
import { contained } from "./_contained.mjs";

const TICKS = new URL("./_ticks.mjs", import.meta.url);
const { child, ended } = contained(TICKS, { cpus: Number(process.argv[2]) });
const [said] = await Promise.all([text(child.stdout), ended]);
JSON.parse(said).forEach((at, i) => {
  print({ "time (ms)": Math.round(at * 100) / 100, "turns so far": i + 1 });
});
