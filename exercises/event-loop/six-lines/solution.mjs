import { stat } from "node:fs";

export function six(say) {
  process.nextTick(() => {
    say("tick");
    // Scheduled here, it runs after the tick, even if the caller is a microtask.
    queueMicrotask(() => {
      say("promise");
      setTimeout(() => {
        say("timer");
        stat(".", () => {
          say("file");
          // Both run in the check phase of this turn. If one set the other, the second would wait for the next turn.
          setImmediate(() => say("immediate"));
          setImmediate(() => say("again"));
        });
      }, 0);
    });
  });
}
