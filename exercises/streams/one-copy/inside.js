// Loads end when the scene says, and after each step comes what follows from it: nothing is timed.
const { setImmediate } = own;
const turn = () => new Promise((resolve) => setImmediate(resolve));

// steps: {get: name}, {done: name, bytes} or {fails: name}, which ends all loads of that name.
exports.play = async function play(student, { most, steps }) {
  const loads = [];
  const load = (name) =>
    new Promise((resolve, reject) => {
      loads.push({ name, resolve, reject });
    });
  const get = student.keep(load, most);
  if (typeof get !== "function") return { kind: typeof get };
  const gets = [];
  for (const step of steps) {
    if (step.get !== undefined) {
      const one = { name: step.get };
      gets.push(one);
      const before = loads.length;
      try {
        Promise.resolve(get(step.get)).then(
          (file) => {
            one.file = file;
          },
          (error) => {
            one.error = String(error?.message);
          },
        );
      } catch (error) {
        one.error = String(error?.message);
      }
      for (let turns = 0; turns < 4; turns++) await turn();
      one.loads = loads.length - before;
      continue;
    }
    const name = step.done ?? step.fails;
    for (const one of loads.filter((each) => each.name === name))
      if (step.fails) one.reject(new Error(`no ${name}`));
      else one.resolve(Buffer.alloc(step.bytes, name));
    for (let turns = 0; turns < 4; turns++) await turn();
  }
  return {
    gets: gets.map(({ file, ...one }) => ({
      ...one,
      bytes: file?.length,
      same: gets.findIndex((other) => other.file === file), // the first who got that very Buffer
    })),
  };
};
