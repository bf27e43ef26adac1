// Played in the process of the hand-in. What is noted here is noted before any line of the hand-in could change how.
const { setImmediate, setTimeout, nextTick } = own;
const later = () => new Promise((resolve) => setTimeout(resolve, 20));

function fetcher(delayed) {
  const fetched = [];
  const fetch = (key, callback) => {
    fetched.push(key);
    const answer = () =>
      key.startsWith("bad") ? callback(new Error(`no ${key}`)) : callback(null, `value of ${key}`);
    if (delayed) setImmediate(answer);
    else answer();
  };
  return { fetch, fetched };
}

// Asks for each key in turn, waits, and says what came: how often, with what, and whether the call had returned by then.
exports.ask = async function ask(student, { keys, delayed, throws }) {
  const { fetch, fetched } = fetcher(delayed);
  const lookup = student.cached(fetch);
  const asked = [];
  const thrown = [];
  if (throws) process.on("uncaughtException", (error) => thrown.push(error.message));
  for (const key of keys) {
    const one = { key, calls: 0, early: false };
    let returned = false;
    lookup(key, (error, value) => {
      one.calls++;
      one.early ||= !returned;
      one.error = error ? error.message : null;
      one.value = value;
      if (throws) throw new Error("from the callback");
    });
    returned = true;
    asked.push(one);
    await later();
  }
  return { asked, fetched, thrown };
};

// Rounds, each with a look-up of its own: a timer and an immediate are set, then three hits are asked for. What came, in
// which order, for each round. It is over when all five are there; what is lost is waited for.
exports.order = async function order(student, { rounds }) {
  const keys = ["a", "b", "c"];
  const lookups = Array.from({ length: rounds }, () => student.cached(fetcher(false).fetch));
  await Promise.all(
    lookups.flatMap((lookup) => keys.map((key) => new Promise((resolve) => lookup(key, resolve)))),
  );
  await later();
  const all = [];
  for (const lookup of lookups) {
    const came = [];
    await new Promise((resolve) => {
      const note = (what) => came.push(what) === 5 && resolve();
      setImmediate(() => {
        setTimeout(() => note("timer"), 0);
        setImmediate(() => note("immediate"));
        for (const key of ["c", "a", "b"]) lookup(key, () => note(key));
        nextTick(() => {
          setTimeout(resolve, 20);
        });
      });
    });
    all.push([...came]);
  }
  return all;
};
