// Played where a path holds the loop up, to say how: in its call, in microtasks, or in a later callback.
const { setImmediate, setTimeout, now } = own;

exports.how = async function how(student, { path, delay }) {
  const handler = student.handlers?.[path];
  if (typeof handler !== "function") return undefined;
  const half = delay / 2;
  const begun = now();
  const waits = handler();
  const called = now() - begun;
  // What stands below runs only when no microtask is left.
  const came = await new Promise((resolve) => setImmediate(() => resolve(now() - begun)));
  let last = now();
  let longest = 0;
  let over = false;
  const beat = () => {
    longest = Math.max(longest, now() - last);
    last = now();
    if (!over) setTimeout(beat, 1);
  };
  beat();
  await waits;
  over = true;
  beat();
  if (called > half) return "call";
  if (came > half) return "microtasks";
  return longest > half ? "later" : "side by side";
};
