// What a page's worker loads to judge exercises. `entry` is the worker's: two machines, and the texts that it has.
import { judge } from "./judge.js";

globalThis.labJudge = (
  model,
  { machine, other: driver, texts },
  { exercise, source, file, seed },
  tell,
) => {
  const common = { driver: texts["check/driver"], harness: texts["check/harness"] };
  const result = judge(
    model,
    { driver, handIn: machine },
    common,
    JSON.parse(texts[`exercise/${exercise}`]),
    { name: file, source },
    { seed, tell: (said) => tell("criterion", { said }), beat: () => tell("going") },
  );
  tell("judged", result);
};
