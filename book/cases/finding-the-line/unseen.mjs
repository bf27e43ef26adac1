// What does a CPU profile say of six kinds of work that each take a while? In per cent of that time: the looks that ended in the
// function `work` itself, those that ended in what it had called, those at the collector, and those at a loop that had nothing to do.
import { execFileSync } from "node:child_process";
import { pbkdf2, pbkdf2Sync } from "node:crypto";
import { Session } from "node:inspector/promises";
import { promisify } from "node:util";
import { print } from "../../streams/shared/asking.mjs";
import { looksOf, nameOf } from "./_profile.mjs";

const HASH = ["", "", 300_000, 64, "sha512"];
const kinds = {
  "a loop": function work() {
    let sum = 0;
    for (let i = 0; i < 150_000_000; i++) sum += i % 7;
    return sum;
  },
  "a hash, pbkdf2Sync": function work() {
    return pbkdf2Sync(...HASH);
  },
  "a sleep, execFileSync": function work() {
    return execFileSync("sleep", ["0.2"]);
  },
  "a hash in the pool, awaited": function work() {
    return promisify(pbkdf2)(...HASH);
  },
  "a regular expression": function work() {
    return /^(a+)+$/.test(`${"a".repeat(22)}!`);
  },
  "a million objects, all kept": function work() {
    return Array.from({ length: 1_000_000 }, (_, i) => ({ of: [i] })).length;
  },
};

const profileOf = async (work) => {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.start");
  await work();
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  return looksOf(profile).filter(({ stack }) => !stack.some(({ url }) => url === "node:inspector"));
};
const kindOf = (stack) => {
  const [top, ...below] = stack.map(nameOf);
  if (!stack[0].url && top.startsWith("(")) return top;
  if (top === "work") return "its own";
  return below.includes("work") ? "called by it" : "other";
};

for (const [what, work] of Object.entries(kinds)) {
  const looks = await profileOf(work);
  const all = looks.reduce((sum, { ms }) => sum + ms, 0);
  const share = (kind) => {
    const those = looks.filter(({ stack }) => kindOf(stack) === kind);
    return Math.round((100 * those.reduce((sum, { ms }) => sum + ms, 0)) / all);
  };
  print({
    what,
    "took (ms)": Math.round(all),
    "its own (%)": share("its own"),
    "called by it (%)": share("called by it"),
    "(garbage collector) (%)": share("(garbage collector)"),
    "(idle) (%)": share("(idle)"),
  });
}
