import { stat } from "node:fs";

export function six(say) {
  process.nextTick(() => say("tick"));
  Promise.resolve().then(() => say("promise"));
  setTimeout(() => say("timer"), 0);
  stat(".", () => say("file"));
  setImmediate(() => {
    say("immediate");
    setImmediate(() => say("again"));
  });
}
