// The engine's collector of garbage failed where a generator waits whose variables a function has captured.
async function* beats() {
  let count = 0;
  let wake;
  const timer = setInterval(() => {
    count++;
    wake?.();
    wake = undefined;
  }, 20);
  try {
    for (;;) {
      if (count === 0)
        await new Promise((resolve) => {
          wake = resolve;
        });
      for (; count > 0; count--) yield count;
    }
  } finally {
    clearInterval(timer);
  }
}
(async () => {
  let left = 4;
  for await (const _ of beats()) {
    globalThis.kept = Array.from({ length: 20_000 }, (_, i) => ({ i }));
    console.log("beat");
    if (--left === 0) break;
  }
})();
