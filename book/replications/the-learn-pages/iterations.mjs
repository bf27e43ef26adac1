// How many iterations of the loop later a callback runs, asked for in the callback of a read.
import { readFile } from "node:fs";
import { performance } from "node:perf_hooks";

const iteration = () => performance.nodeTiming.uvMetricsInfo?.loopCount;
const asks = {
  "process.nextTick": (callback) => process.nextTick(callback),
  setImmediate: (callback) => setImmediate(callback),
  "setTimeout 0": (callback) => setTimeout(callback, 0),
};
for (const [call, ask] of Object.entries(asks)) {
  await new Promise((done) =>
    readFile(new URL(import.meta.url), () => {
      const then = iteration();
      ask(() => {
        console.log(JSON.stringify({ call, "iterations later": iteration() - then }));
        done();
      });
    }),
  );
}
