// 100,000 look-ups of something that is there, each begun in the answer of the last one: with a callback that
// is called at once, with one that is called in a tick, and with await. A line per way: how far it came.
const WANTED = 100_000;

const atOnce = (done) => done(29);
const inTick = (done) => process.nextTick(done, 29);
const promised = async () => 29;

let reached = 0;
const chain = (lookUp, finished) => {
  reached += 1;
  if (reached === WANTED) finished();
  else lookUp(() => chain(lookUp, finished));
};

// ways to answer
const ways = {
  "called at once": () => new Promise((finished) => chain(atOnce, finished)),
  "called in a tick": () => new Promise((finished) => chain(inTick, finished)),
  await: async () => {
    for (reached = 0; reached < WANTED; reached++) await promised();
  },
};

for (const [answer, run] of Object.entries(ways)) {
  reached = 0;
  const end = await run().then(
    () => "done",
    (error) => `${error.name}: ${error.message}`,
  );
  console.log(JSON.stringify({ answer, "look-ups": reached, end }));
}
