// Orders that need several delays of tens of milliseconds: a search for them must not stop at the first detour.
const { EventEmitter, on, once } = require("node:events");
const timers = require("node:timers/promises");
const p = console.log;
process.on("uncaughtException", (error, origin) => {
  p("L1", error.message, origin);
  p("L2");
  Promise.resolve(1)
    .then(() => {
      p("L3");
      setTimeout(() => {
        p("L4");
      }, 0);
      setImmediate(() => {
        p("L5");
      });
    })
    .catch((error) => {
      p("L6", error.message);
    });
});
process.on("exit", (code) => {
  p("L7", code);
});
process.once("beforeExit", () => {
  p("L8");
  p("L9");
});
process.nextTick(() => {
  p("L10");
  new Promise((_, reject) => setTimeout(reject, 120, new Error("E15")))
    .then(() => {
      p("L11");
      queueMicrotask(() => {
        p("L12");
        process.exitCode = 3;
        (async () => {
          for await (const i of [1, Promise.resolve(2), 3]) {
            p("L14", i);
          }
        })();
      });
    })
    .catch((error) => {
      p("L16", error.message);
    });
  const e17 = new EventEmitter();
  once(e17, "x").then(() => {
    p("L18");
  });
  e17.emit("x");
});
queueMicrotask(() => {
  p("L19");
  p("L20");
  queueMicrotask(() => {
    p("L21");
    setTimeout(() => {
      p("L22");
      const c23 = AbortSignal.any([AbortSignal.abort(), new AbortController().signal]);
      p(c23.aborted);
      const q24 = new Promise((_, reject) => setTimeout(reject, 0, new Error("E25")));
      setTimeout(() => {
        p("L26");
        q24.catch((error) => {
          p("L27", error.message);
        });
      });
    }, 0);
    setTimeout(() => {
      p("L28");
    }, 120).unref();
    throw new Error("E29");
  });
});
p("L30");
queueMicrotask(() => {
  p("L31");
  setImmediate(() => {
    p("L32");
  });
});
let n34 = 0;
const h33 = setInterval(() => {
  if (++n34 >= 1) clearInterval(h33);
  p("L35");
}, 1);
p("L36");
const h37 = setTimeout(() => {
  p("L38");
  queueMicrotask(() => {
    p("L39");
  });
}, 40);
setTimeout(() => {
  p("L40");
  h37.refresh();
}, 20);
setTimeout(async () => {
  p("L41");
  await new Promise((resolve) => setImmediate(resolve));
  p("L42");
}, 1)
  .unref()
  .ref();
setTimeout(() => {
  p("L43");
}, 1);
p("L44");
