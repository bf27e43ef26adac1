// When the machine is to blame for what came late, and when the program that was late.
import assert from "node:assert/strict";
import { test } from "node:test";
import { added, cpu, starved } from "../../lab/node/grader/proc.mjs";

const PROCESSORS = 2;

/** Looks at a program for five seconds, ten a second; `waited` and `had` are shares of that time. */
const looks = ({ waited, had, until = 5000, processes = 1 }) =>
  Array.from({ length: until / 100 }, (_, i) => ({
    at: 1000 + 100 * i,
    waited: 100 * i * waited,
    had: 100 * i * had,
    processes,
  }));

for (const [what, shares, wanted] of [
  ["others have the processor", { waited: 0.9, had: 0.1 }, true],
  ["it waits for something else", { waited: 0.01, had: 0.01 }, false],
  ["it computes", { waited: 0.02, had: 0.98 }, false],
  [
    "it computes in many processes, which wait for each other",
    { waited: 0.9, had: 2, processes: 20 },
    false,
  ],
  [
    "others have the processors while several of its processes start",
    { waited: 0.8, had: 0.4, processes: 4 },
    true,
  ],
  ["it computes as much in one process", { waited: 0.6, had: 0.4 }, false],
  ["it has others beside it, and comes to its turn", { waited: 0.4, had: 0.1 }, false],
  ["it had ended soon", { waited: 0.9, had: 0.1, until: 1000 }, false],
])
  test(`${what}: ${wanted ? "the machine" : "the program"} is to blame`, () => {
    assert.equal(starved(looks(shares), 1000, 5000, PROCESSORS), wanted);
  });

test("a program at which nobody has looked is not excused", () => {
  assert.equal(starved([], 1000, 5000), false);
});

test("a process that has ended adds nothing to the processor time of its family", () => {
  const gone = 4_194_305; // above the largest number that Linux gives
  assert.deepEqual(cpu(gone), { user: 0, system: 0 });
  assert.deepEqual(added([cpu(gone), { user: 20, system: 10 }]), { user: 20, system: 10 });
});
