// Work is done when the scene says, or never: no delay is hoped for.
const { setImmediate, setTimeout, now } = own;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error?.message));
const outcome = (promise) =>
  Promise.resolve(promise).then(
    (value) => ({ value }),
    (error) => ({ error: error?.message, code: error?.code, isError: error instanceof Error }),
  );

// how: "value", "error" or "throws". The limit is far away.
exports.inTime = async function inTime(student, { how, word, ms, turns }) {
  let signal;
  let begun = false;
  const work = (given) => {
    begun = true;
    signal = given;
    if (how === "throws") throw new Error(word);
    return (async () => {
      for (let i = 0; i < turns; i++) await turn();
      if (how === "error") throw Object.assign(new Error(word), { code: "EWORK" });
      return word;
    })();
  };
  let promise;
  try {
    promise = student.withTimeout(work, ms);
  } catch (error) {
    return { threw: error?.message };
  }
  const atOnce = begun;
  const result = await outcome(promise);
  for (let i = 0; i < 5; i++) await turn();
  return {
    ...result,
    atOnce,
    isSignal: signal instanceof AbortSignal,
    aborted: Boolean(signal?.aborted),
  };
};

// Work that does not end before the limit is over. `after`: what it does when it is aborted (or later, when nobody waits).
exports.late = async function late(student, { ms, after, word }) {
  const from = unhandled.length;
  let signal;
  let end;
  let half = false; // a timer of half the time, set before: whatever the machine does, it is due first
  setTimeout(() => {
    half = true;
  }, ms / 2);
  const promise = student.withTimeout((given) => {
    signal = given;
    return new Promise((resolve, reject) => {
      end = () => (after === "error" ? reject(new Error(word)) : resolve(word));
    });
  }, ms);
  const begin = now();
  let result = null;
  outcome(promise).then((one) => {
    result = { ...one, half };
  });
  while (result === null && now() - begin < ms + 1000)
    await new Promise((resolve) => setTimeout(resolve, 2));
  await turn();
  const [seen, aborted] = [result, Boolean(signal?.aborted)];
  end?.();
  for (let i = 0; i < 5; i++) await turn();
  return { result: seen, aborted, unhandled: unhandled.slice(from) };
};

// Errors in time, all handled here: is there one that nobody handles?
exports.handled = async function handled(student, { word }) {
  const from = unhandled.length;
  const result = await outcome(
    student.withTimeout(() => turn().then(() => Promise.reject(new Error(word))), 60_000),
  );
  for (let i = 0; i < 5; i++) await turn();
  return { result, unhandled: unhandled.slice(from) };
};

// What is told here is told while nothing but withTimeout may keep the process alive.
exports.alone = async function alone(student, { ms }, tell) {
  process.once("beforeExit", () => {
    tell("begun");
    outcome(student.withTimeout(() => new Promise(() => {}), ms)).then(({ code }) =>
      tell("timeout", code),
    );
  });
};
