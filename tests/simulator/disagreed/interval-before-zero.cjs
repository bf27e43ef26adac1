// The 40 ms interval can come before a timer of 1 ms that is set in an immediate 39 ms later.
const { EventEmitter, on, once } = require("node:events");
const timers = require("node:timers/promises");
const p = console.log;
process.on("exit", (code) => {
  p("L1", code);
  p("L2");
  setImmediate(() => {
    p("L3");
    setImmediate(async () => {
      p("L4");
    });
  });
  const h5 = setTimeout(async () => {
    p("L6");
    process.nextTick(() => {
      p("L7");
    });
    p("L8");
  }, 80);
  setTimeout(() => {
    p("L9");
    h5.refresh();
  }, 20);
});
process.nextTick(() => {
  p("L10");
  let n12 = 0;
  const h11 = setInterval(() => {
    if (++n12 >= 3) clearInterval(h11);
    p("L13");
  }, 40);
  process.nextTick(() => {
    p("L14");
    (async () => {
      p("L15");
      await new Promise((resolve) => setImmediate(resolve));
      p("L16");
      const c17 = AbortSignal.any([AbortSignal.abort(), new AbortController().signal]);
      p(c17.aborted);
      await Promise.race([1, 2]);
      p("L18");
      Promise.resolve(7)
        .catch((error) => {
          p("L19", error.message);
        })
        .then(() => {
          p("L20");
        })
        .catch((error) => {
          p("L21", error.message);
        });
      await timers.setTimeout(120);
      p("L22");
    })();
    setImmediate(() => {
      p("L23");
      setTimeout(() => {
        p("L24");
      }, 0);
    });
  });
});
(async () => {
  p("L25");
  await null;
  p("L26");
  await timers.setImmediate();
  p("L27");
  setImmediate(() => {
    p("L28");
    setImmediate(() => {
      p("L29");
      (async () => {
        p("L30");
        await null;
        p("L31");
        setImmediate(() => {
          p("L32");
        });
        await new Promise((resolve) => {
          p("L33");
          process.nextTick(resolve);
        });
        p("L34");
        const q35 = Promise.reject(new Error("E36"));
        process.nextTick(() => {
          p("L37");
          q35.catch((error) => {
            p("L38", error.message);
          });
        });
      })();
      setTimeout(() => {
        p("L39");
      }, 0);
    });
  });
  await new Promise((resolve) => {
    resolve(Promise.resolve());
  });
  p("L40");
})();
p("L41");
