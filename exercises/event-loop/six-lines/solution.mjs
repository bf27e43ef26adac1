import { stat } from "node:fs";

export function six(say) {
  process.nextTick(() => {
    say("tick");
    // Asked for here it follows, even if the caller is a microtask itself.
    queueMicrotask(() => {
      say("promise");
      setTimeout(() => {
        say("timer");
        stat(".", () => {
          say("file");
          // Both go into the check phase of this turn; one set by the other would wait for the next.
          setImmediate(() => say("immediate"));
          setImmediate(() => say("again"));
        });
      }, 0);
    });
  });
}
