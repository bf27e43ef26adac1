import { stat } from "node:fs";

export function six(say) {
  process.nextTick(() => {
    say("tick");
    queueMicrotask(() => say("promise"));
  });
  setTimeout(() => say("timer"), 10);
  setTimeout(() => stat(".", () => say("file")), 20);
  setTimeout(() => {
    setImmediate(() => say("immediate"));
    setImmediate(() => say("again"));
  }, 40);
}
