// Calls are ended by the scene, one at a time or two in one callback, and the loop turns a few times in between: what begins then
// began because of that.
const { setImmediate } = own;
const turns = async () => {
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
};
const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(String(error?.message)));

// ends: in which order calls are ended, by index, and how: "value", "error" or "throws" (at once, when it is called). `also` is a
// call that is done in the same callback, right behind it: not even a microtask runs between the two.
exports.play = async function play(student, { items, p, ends }) {
  const from = unhandled.length;
  const calls = [];
  const open = new Map();
  const how = new Map(ends.map((end) => [end.index, end.how]));
  let most = 0;
  let begun = 0;
  let signal;
  let signals = 0;
  let outcome = null;
  const fn = (item, index, given) => {
    begun++;
    calls.push({ item, index });
    if (given !== signal) signals++;
    signal = given;
    if (how.get(index) === "throws") throw new Error(`no ${item}`);
    return new Promise((resolve, reject) => {
      open.set(index, { resolve, reject });
      most = Math.max(most, open.size);
    });
  };
  let promise;
  try {
    promise = student.mapLimit(items, p, fn);
  } catch (error) {
    return { threw: error?.message };
  }
  Promise.resolve(promise).then(
    (value) => {
      outcome = { value };
    },
    (error) => {
      outcome = { error: error?.message };
    },
  );
  await turns();
  const steps = [{ begun, open: open.size, outcome }];
  for (const { index, how: kind, also } of ends) {
    const call = open.get(index);
    const other = open.get(also);
    if (!call || (also !== undefined && !other)) continue;
    open.delete(index);
    open.delete(also);
    if (kind === "error") call.reject(new Error(`no ${items[index]}`));
    else call.resolve(`${items[index]}!`);
    other?.resolve(`${items[also]}!`);
    await turns();
    steps.push({ index, kind, begun, open: open.size, outcome, aborted: Boolean(signal?.aborted) });
  }
  // Whatever is still open ends now.
  for (let left = 0; open.size > 0 && left < items.length + 5; left++)
    for (const [index, { resolve }] of [...open]) {
      open.delete(index);
      resolve(`${items[index]}!`);
      await turns();
    }
  return {
    calls,
    most,
    begun,
    steps,
    outcome,
    aborted: Boolean(signal?.aborted),
    isSignal: signal instanceof AbortSignal,
    signals,
    unhandled: unhandled.slice(from),
  };
};
